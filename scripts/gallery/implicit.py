"""Berdat et al. (EPFL): implicit skinning of a hand."""
import json
import math
import random
import struct

from curves import plot
from files import index_bends, ply_points
from gallery import farthest, row

PAPER = "EPFL"
CYLINDER, INDEX = "builtin:cylinder", "builtin:hand:3000"
WEBXR = "hand_webxr/hand_left_poses.glb"
QUALITY = ["intersecting_pairs", "folds", "scars", "stretch_max", "volume_change"]
RADIUS = 0.1  # of the built-in cylinder, metres


def preset(r, name, value):
    path = r.studio.work / f"{r.recipe.name}-{name}.json"
    path.write_text(json.dumps(value))
    return path


def ply_pieces(path):
    """Connected pieces of a surface that `cutis fields --iso` wrote, but for specks of less than a hundredth of its triangles."""
    data = open(path, "rb").read()
    head, _, body = data.partition(b"end_header\n")
    lines = head.decode().splitlines()
    vertices, faces = (next(int(x.split()[2]) for x in lines if x.startswith(f"element {e}")) for e in ("vertex", "face"))
    floats = sum(x.startswith("property float") for x in lines)
    at = 4 * floats * vertices
    step = (len(body) - at) // faces
    parent = list(range(vertices))

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v
    corners = [struct.unpack_from("<3i", body, at + step * i + 1) for i in range(faces)]
    for a, b, c in corners:
        parent[root(b)] = root(a)
        parent[root(c)] = root(a)
    sizes = {}
    for a, _, _ in corners:
        sizes[root(a)] = sizes.get(root(a), 0) + 1
    return sum(s > faces / 100 for s in sizes.values())


@row(PAPER, "Figure 1", "Candy wrapper", quick=True,
     claim="Twisted by 180 degrees, a cylinder collapses with linear blending; dual quaternions and implicit skinning keep its radius and agree.")
def figure_1(r):
    at = ["--clip", "twist", "--frames", 3]
    rest = r.frames(CYLINDER, *at, method="lbs")[0]
    side = [i for i, p in enumerate(rest) if math.hypot(p[0], p[2]) > 0.99 * RADIUS]
    skins = {m: r.frames(CYLINDER, *at, method=m)[1] for m in ("lbs", "dqs", "implicit", "tracking")}
    least = {m: 100 * min(math.hypot(skin[i][0], skin[i][2]) for i in side) / RADIUS for m, skin in skins.items()}
    most = {m: 100 * max(math.hypot(skin[i][0], skin[i][2]) for i in side) / RADIUS for m, skin in skins.items()}
    r.table("Radius at 180 degrees, % of rest", ["", "least", "most"], [[m, least[m], most[m]] for m in skins])
    r.expect("least radius, linear blending", least["lbs"], "<", 10, "%")
    for m in ("dqs", "implicit", "tracking"):
        r.expect(f"least radius, {m}", least[m], ">", 97, "%")
        r.expect(f"largest radius, {m}", most[m], "<", 103, "%")
    shape = max(abs(math.hypot(a[0], a[2]) - math.hypot(b[0], b[2])) for a, b in zip(skins["dqs"], skins["implicit"]))
    r.expect("radii of dual quaternions and implicit skinning differ by", 100 * shape / RADIUS, "<", 3, "% of the radius")
    r.say(f"Vertices of implicit skinning slide along that surface, by up to {100 * farthest(skins['dqs'], skins['implicit']) / RADIUS:.0f}% of the radius: "
          "relaxation spreads the twist.")
    r.picture("twist", "Linear blending, dual quaternions, implicit skinning.", "render", CYLINDER, "--clip", "twist", "--at", "0.5,1.0", "--methods",
              "lbs,dqs,implicit", "--wireframe", "--zoom", "upper", "--zoom-size", 0.55, "--yaw", 0, "--size", "300x300")
    r.picture("forearm", "The same in a forearm.", "render", "builtin:arm", "--clip", "forearm_twist", "--at", 0.5, "--methods", "lbs,dqs,implicit,tracking",
              "--yaw", 0, "--size", "330x200")


@row(PAPER, "Figure 2", "Self-intersection of a bent limb", quick=True,
     claim="Linear blending and dual quaternions fold a bent cylinder into itself, linear blending loses volume besides; implicit skinning makes a contact region.")
def figure_2(r):
    m = r.measure(CYLINDER, "--clip", "bend", "--frames", 13, methods="lbs,dqs,implicit")
    r.expect("pairs of linear blending", m.worst("lbs", "intersecting_pairs"), ">", 100)
    r.expect("pairs of dual quaternions", m.worst("dqs", "intersecting_pairs"), ">", 100)
    r.expect("pairs of implicit skinning", m.worst("implicit", "intersecting_pairs"), "=", 0)
    r.expect("volume lost by linear blending", -100 * m.worst("lbs", "volume_change"), ">", -100 * m.worst("dqs", "volume_change"), "%", than="dual quaternions")
    r.compare("To 150° and back", m, QUALITY)
    r.picture("bend", "From the side; red triangles intersect.", "render", CYLINDER, "--clip", "bend", "--at", "0.5,0.75", "--methods", "lbs,dqs,implicit",
              "--color", "intersections", "--yaw", 0, "--size", "330x330")
    r.picture("section", "Iso-lines of the implicit skin in the plane of the bend.", "fields", CYLINDER, "--slice", "upper", "--clip", "bend", "--at", "0.5,0.75")


FINGER = ["--zoom", "index_2", "--zoom-size", 0.28, "--yaw", -90, "--pitch", 5, "--size", "330x330"]


def index_lost(measured, method):
    """Volume that the part of the index finger that loses most has lost in its worst frame, %."""
    return max(-100 * v["worst"] for k, v in measured.report["methods"][method]["summary"].items() if k.startswith("volume_change.index_"))


@row(PAPER, "Figure 3", "An index finger bends",
     claim="Linear blending and dual quaternions pinch or swell a bent finger; implicit skinning keeps its thickness and creases inside.")
def figure_3(r):
    bent = index_bends(r.studio)
    m = r.measure(INDEX, *bent, "--frames", 11, methods="lbs,dqs,implicit")
    lost = {method: index_lost(m, method) for method in m.methods}
    r.table("The index finger alone bends: volume of its parts, worst part and frame", ["", "lost, %"], [[method, x] for method, x in lost.items()])
    r.expect("volume that a part of the finger loses by implicit skinning", lost["implicit"], "<", min(lost["lbs"], lost["dqs"]), "%", than="the less of the others")
    r.compare("Index finger", m, [*QUALITY, "roughness"])
    if m.worst("implicit", "scars") > 5:
        r.partly(f"the finger is not quite smooth below: {m.worst('implicit', 'scars'):.0f} edges are bent where dual quaternions hardly bend them, at the knuckle most")
    r.picture("finger", "Linear blending, dual quaternions, implicit skinning.", "render", INDEX, *bent, "--at", "0.45,0.6", "--methods", "lbs,dqs,implicit", *FINGER)
    hand = r.studio.shared(WEBXR)
    if hand:
        r.picture("webxr", "A real hand.", "render", hand, "--clip", "index_curl", "--at", "0.6,1.0", "--methods", "lbs,dqs,implicit", "--zoom",
                  "index-finger-phalanx-intermediate", "--zoom-size", 0.35, "--yaw", 0, "--pitch", 10, "--size", "330x300")


@row(PAPER, "Figures 4 and 17", "Bones from control spheres", quick=True,
     claim="A hand tracked as spheres; the hierarchy of bones follows from where the spheres are.")
def figure_4(r):
    # Spheres at two joints and a point of the upper bone, which swings by 90 degrees.
    track = preset(r, "track", {"fps": 2, "spheres": ["lower", "upper", {"joint": "upper", "rest": [0, 0.8, 0]}, {"joint": "lower", "rest": [0.1, 0.1, 0]}],
                                "frames": [[[0, 0, 0], [0, 0.45, 0], [0, 0.8, 0], [0.1, 0.1, 0]], [[0, 0, 0], [0, 0.45, 0], [-0.35, 0.45, 0], [0.1, 0.1, 0]]]})
    end = r.frames(CYLINDER, "--spheres", track, "--frames", 2, method="dqs")[1]
    reach = min(p[0] for p in end)
    r.expect("reach of the upper part when its sphere lies at -0.35 m", reach, "<", -0.38, " m")
    # What a tracker sees of a fist, on a hand 1.15 times as large, with noise and gaps; the character is fitted to it and follows.
    seen = r.studio.work / f"{r.recipe.name}-fist.json"
    r.studio.run(["spheres", "builtin:hand:2000", "--clip", "fist", "--frames", 12, "--make-track", seen, "--noise", 0.0005, "--gaps", 0.1, "--quiet"])
    larger = json.loads(seen.read_text())
    for frame in larger["frames"]:
        frame["centers"] = [c and [1.15 * x for x in c] for c in frame["centers"]]
    fist = preset(r, "larger", larger)
    f = r.answer("spheres", "builtin:hand:2000", "--spheres", fist, "--fit", "--fitted", r.studio.work / f"{r.recipe.name}-fitted.glb")["followed"]
    r.say(f"{f['spheres']} spheres of a fist on a hand 1.15 times as large, noise of 0.5 mm, {f['not_seen']} of {f['spheres'] * f['frames']} centres not seen.")
    r.expect("size that the fit finds, less 1.15", abs(f["fit"]["size"] - 1.15), "<", 0.02)
    r.expect("centres missed by the fitted hand, mean", 1000 * f["miss"]["mean"], "<", 1, " mm")
    r.picture("spheres", "The hand as spheres, fitted to its mesh.", "render", "builtin:hand", "--fields", "spheres", "--balls", "--yaw", 0, "--size", "420x460")
    r.picture("fist", "The hand follows the noisy track.", "render", "builtin:hand", "--spheres", fist, "--fit", "--at", "0.4,0.8", "--methods", "implicit", "--yaw", 0, "--size",
              "300x330")
    r.picture("skeleton", "Bones of the hand, in the colours of their parts.", "render", "builtin:hand", "--color", "part", "--skeleton", "--yaw", 0, "--size", "420x460")
    r.picture("track", "A cylinder that follows four spheres.", "render", CYLINDER, "--spheres", track, "--at", "0,0.5", "--methods", "implicit", "--skeleton", "--yaw", 0,
              "--size", "300x300")


@row(PAPER, "Figures 5 and 6", "Bispheres and trispheres", claim="The distance to two spheres and the cone around them; to three and the planes on them.")
def figure_5(r):
    b = r.answer("bind", CYLINDER, "-p", preset(r, "spheres", {"all_joints": {"shape": "spheres"}}), "-o", r.studio.work / "spheres.rig")
    for part in b["parts"]:
        r.expect(f"bisphere of '{part['joint']}' off the mesh, median", 1000 * part["residual"]["median"], "<", 5, " mm")
    r.picture("bisphere", "A cylinder of two bispheres: iso-lines.", "fields", CYLINDER, "--slice", "upper", "--clip", "bend", "--at", "0,0.5", "-p",
              r.studio.work / f"{r.recipe.name}-spheres.json")
    model = r.studio.work / f"{r.recipe.name}-hand.json"
    m = r.answer("spheres", "builtin:hand", "--model", model)["model"]
    palm = [b for b in json.loads(model.read_text())["blocks"] if b["bone"] == "hand" and len(b["spheres"]) == 3]
    r.say(f"The built-in hand: {m['spheres']} spheres, {m['blocks']} blocks, {m['trispheres']} of them trispheres, {len(palm)} in the palm.")
    r.expect("trispheres in the palm", len(palm), ">=", 3)
    r.picture("trispheres", "The blocks of the hand in the colours of their bones; the palm is of trispheres.", "render", "builtin:hand", "--sphere-model", model, "--balls",
              "--yaw", 0, "--size", "420x460")
    r.picture("palm", "Iso-lines through the palm of trispheres.", "fields", "builtin:hand", "--sphere-model", model, "--slice", "z", "--size", 420)


@row(PAPER, "Figure 7", "The reparametrisation function",
     claim="Distances become fields: 1 inside, 0 outside, between them -3/16 x^5 + 5/8 x^3 - 15/16 x + 1/2.")
def figure_7(r):
    spheres = preset(r, "spheres", {"all_joints": {"shape": "spheres"}})  # whose distances are exact
    radius = r.answer("bind", CYLINDER, "-p", spheres, "-o", r.studio.work / "support.rig")["parts"][0]["radius"]
    formula = lambda x: -3 / 16 * x ** 5 + 5 / 8 * x ** 3 - 15 / 16 * x + 0.5
    found = []
    for level in (0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9):
        path = r.studio.work / f"level-{level}.ply"
        r.studio.run(["fields", CYLINDER, "-p", spheres, "--iso", path, "--level", level, "--cell", 0.004, "--quiet"])
        ring = [math.hypot(p[0], p[2]) for p in ply_points(path) if 0.15 < p[1] < 0.25]
        found.append((sum(ring) / len(ring), level))
        path.unlink()
    skin = next(x for x, level in found if level == 0.5)
    points = [((x - skin) / radius, level) for x, level in found]
    r.expect("largest difference between the program's fields and the formula", max(abs(formula(x) - f) for x, f in points), "<", 0.02)
    r.svg("The formula, and levels of the field of a cylinder against their distance from its skin, in radii of the support.",
          plot({"formula": [(k / 50 - 1, formula(k / 50 - 1)) for k in range(101)], "program": sorted(points)}, "distance / radius", "field"))


@row(PAPER, "Figures 8 and 9", "Union and blend", quick=True,
     claim="The maximum of two fields has a sharp edge where its gradient jumps; the blend raises values between both and fills the edge.")
def figure_8(r):
    union, clean, blend = (r.answer("operators", "--kind", k, "-o", r.studio.work / f"{k}.png")["operators"][0]["drawn"] for k in ("union", "clean-union", "blend"))
    grid = [k / 4 for k in range(5)]
    r.expect("the union differs from the maximum by", max(abs(union[0]["values"][j][i] - max(a, b)) for j, b in enumerate(grid) for i, a in enumerate(grid)), "<", 1e-6)
    r.expect("clean union on the skin, g(0.5, 0.25)", clean[0]["values"][1][2], "=", 0.5)
    r.expect("clean union off it, g(0.25, 0.25)", clean[0]["values"][1][1], ">", 0.25, than="the union: the field is round")
    closed, wide = blend[0], blend[-1]
    r.expect("blend opened wide, g(0.25, 0.25)", wide["values"][1][1], ">", closed["values"][1][1], than="closed")
    r.picture("union", "Union.", "operators", "--kind", "union")
    r.picture("clean-union", "Clean union: the same skin in a round field.", "operators", "--kind", "clean-union")
    r.picture("blend", "Blend, opened by 45 to 0 degrees.", "operators", "--kind", "blend")


@row(PAPER, "Figure 10", "How far the blend opens", quick=True, claim="The opening as a curve of the angle between gradients, shaped for fingers.")
def figure_10(r):
    curves = r.answer("operators", "--kind", "controllers", "--preset", "finger", "-o", r.studio.work / "finger.png")["controllers"][0]["curves"]
    at = {c["angle"]: c["opening"] for c in curves}
    r.expect("opening below pi/8, where theta_0 is pi/4", at[15], "=", 45, "°")
    r.expect("opening from pi/2 on, where theta_1 is pi/10", at[90], "=", 18, "°")
    r.expect("opening between them, at 60°", at[60], "<", at[45], "°", than="at 45°")
    r.picture("curves", "Controllers of a finger.", "operators", "--kind", "controllers", "--preset", "finger")


@row(PAPER, "Figures 11, 12 and 25", "Blending inside a finger alone", quick=True,
     claim="Where the angle between gradients decides, the whole joint blends, since gradients part on the back as well; the direction in which the "
           "bone has swung confines the blend to the inner side, with weights that are painted orange on the hand.")
def figure_12(r):
    wide = preset(r, "wide", {"fields": {"support_factor": 2}})
    at = ["--clip", "bend", "--frames", 13, "-p", wide]
    union = r.frames(CYLINDER, *at, method="implicit")[3]
    bones = r.frames(CYLINDER, *at, "--operator", "blend", "--opening", "hip", method="implicit")[3]
    turn = [math.dist(a, b) for a, b in zip(union, bones)]
    # The inner side: where the bend is, toward which the upper part swings (-x).
    inner = max(d for d, p in zip(turn, union) if p[0] < -0.02)
    outer = max(d for d, p in zip(turn, union) if p[0] > 0.05)
    r.expect("the blend lifts the inner side of the bend by", 100 * inner / RADIUS, ">", 10, "% of the radius")
    r.expect("and the back by", 100 * outer / RADIUS, "<", 2, "% of the radius")
    painted = preset(r, "painted", {"fields": {"support_factor": 2}, "regions": [{"name": "none", "joints": ["lower", "upper"], "blend": 0}]})
    away = r.frames(CYLINDER, "--clip", "bend", "--frames", 13, "-p", painted, "--operator", "blend", "--opening", "hip", method="implicit")[3]
    r.expect("with weights painted away the blend lifts the skin by", 100 * farthest(union, away) / RADIUS, "<", 2, "% of the radius")
    pose = [*index_bends(r.studio), "--at", "0.55", "--methods", "implicit", *FINGER]
    for part in ("lower", "upper"):
        r.picture(f"field-{part}", f"(11) Iso-lines of the {part} part alone. Gradients stand on them: on the back of the bend those of the two parts differ, where its end is round.",
                  "fields", CYLINDER, "--slice", "upper", "--part", part, "--clip", "bend", "--at", "0,0.5")
    r.picture("weights", "Blending weights (orange), as they follow from the swing of the bones.", "render", INDEX, *pose, "-p", wide, "--color", "blend")
    r.picture("hand", "The same on a hand whose fingers all bend.", "render", "builtin:hand", "--clip", "fist", "--at", 0.45, "--methods", "implicit", "-p", wide, "--color", "blend",
              "--yaw", -25, "--size", "420x460")
    hand = preset(r, "hand", {"fields": {"support_factor": 2}, "regions": [
        {"name": "none", "joints": ["index_1", "index_2", "index_3"], "blend": 0}, {"name": "knuckle", "joints": ["index_2"], "blend": 0.8, "fade": 0.006}]})
    r.picture("painted", "Painted: none on the index finger but around its middle.", "render", INDEX, *pose, "-p", hand, "--color", "blend")
    r.picture("union", "The union: a crease.", "render", INDEX, *pose, "-p", wide)
    r.picture("gradients", "The blend by the angle between gradients (--contact operator).", "render", INDEX, *pose, "-p", wide, "--operator", "blend", "--contact", "operator")
    r.picture("bones", "The blend by the swing of the bones: inside alone.", "render", INDEX, *pose, "-p", wide, "--operator", "blend", "--opening", "hip")


@row(PAPER, "Figure 13", "Mean value coordinates", claim="A vertex as the weighted mean of its ring in its tangent plane: (tan(a_(j-1)/2) + tan(a_j/2)) / r_j.")
def figure_13(r):
    r.svg("Angles and distances at a vertex. The papers' relaxation (--contact operator) draws a vertex to that mean; own-side contact slides by conjugate "
          "gradients instead.", MEAN_VALUE)


MEAN_VALUE = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 420 300" width="420" font-family="sans-serif" font-size="15">
<g fill="none" stroke="#888"><path d="M210 150L340 90M210 150L300 250M210 150L130 255M210 150L70 140M210 150L160 45M340 90L300 250L130 255L70 140L160 45Z"/></g>
<path d="M250 131A44 44 0 0 1 240 183" fill="none" stroke="#c33"/><path d="M233 176A34 34 0 0 1 189 177" fill="none" stroke="#36c"/>
<g fill="#222"><circle cx="210" cy="150" r="4"/><circle cx="340" cy="90" r="3"/><circle cx="300" cy="250" r="3"/><circle cx="130" cy="255" r="3"/>
<circle cx="70" cy="140" r="3"/><circle cx="160" cy="45" r="3"/><text x="192" y="142">v</text><text x="346" y="88">u<tspan dy="4" font-size="11">j-1</tspan></text>
<text x="306" y="264">u<tspan dy="4" font-size="11">j</tspan></text><text x="106" y="272">u<tspan dy="4" font-size="11">j+1</tspan></text>
<text x="268" y="205">r<tspan dy="4" font-size="11">j</tspan></text></g><text x="256" y="165" fill="#c33">a<tspan dy="4" font-size="11">j-1</tspan></text>
<text x="203" y="203" fill="#36c">a<tspan dy="4" font-size="11">j</tspan></text></svg>"""


@row(PAPER, "Figure 14", "Smoothing around contact", quick=True,
     claim="Without smoothing the skin around a contact is a sawtooth; Laplacian smoothing takes it away.")
def figure_14(r):
    at = ["--clip", "bend", "--frames", 13]
    before = r.measure(CYLINDER, *at, "--set", "implicit.smoothing=0", methods="implicit")
    after = r.measure(CYLINDER, *at, "--set", "implicit.smoothing=3", methods="implicit")
    r.expect("folded edges without smoothing, worst frame", before.worst("implicit", "folds"), ">", 2 * after.worst("implicit", "folds"), than="twice as many as with it")
    r.expect("folded edges without smoothing, mean of the frames", before.mean("implicit", "folds"), ">", 2 * after.mean("implicit", "folds"),
             than="twice as many as with it")
    for when, passes in (("before", 0), ("after", 3)):
        r.picture(when, f"A bent cylinder, {when}.", "render", CYLINDER, "--clip", "bend", "--at", 0.8, "--zoom", "upper", "--zoom-size", 0.22, "--yaw", -35, "--pitch", -5,
                  "--methods", "implicit", "--size", "460x380", "--set", f"implicit.smoothing={passes}")


@row(PAPER, "Figures 15 and 16", "From a scan", claim="A point cloud of a hand, and parts of a template fitted to it by iterative closest points.")
def figure_15(r):
    # A cloud as a scanner gives it: a hand of another size in another pose, noisy, with strays.
    larger, noise = 1.1, 0.0005
    posed = r.frames("builtin:hand:3000", "--clip", "fist", "--frames", 9, method="dqs")[1]
    chance = random.Random(1)
    cloud = [[larger * x + chance.gauss(0, noise) for x in p] for p in posed]
    low, high = ([f(p[k] for p in cloud) for k in range(3)] for f in (min, max))
    cloud += [[chance.uniform(2 * a - b, 2 * b - a) for a, b in zip(low, high)] for _ in range(len(cloud) // 100)]
    scan, fitted = r.studio.work / f"{r.recipe.name}-scan.ply", r.studio.work / f"{r.recipe.name}-fitted.glb"
    scan.write_text(f"ply\nformat ascii 1.0\nelement vertex {len(cloud)}\nproperty float x\nproperty float y\nproperty float z\nend_header\n" +
                    "".join("%g %g %g\n" % tuple(p) for p in cloud))
    f = r.drawn("fit", "The cloud and the hand fitted to it, coloured by their distance.", "--picture", ["register", "builtin:hand:3000", scan, "-o", fitted])
    r.say(f"{f['scan_points']} points of a hand {larger} times as large with its fingers bent, {1000 * noise:g} mm of noise, {f['stray_points']} points left out as strays.")
    r.expect("size that the fit finds, less the scan's", abs(f["size"] - larger), "<", 0.03)
    r.expect("points off the fitted skin, mean", f["scan_to_skin"]["mean_mm"], "<", 1, " mm")
    r.expect("bones and their thickness alone, mean", f["without_layer"]["mean_mm"], "<", 1.5, " mm")
    r.partly("the cloud is made from a hand: there is no scan of one with a licence that allows its redistribution")


@row(PAPER, "Figure 18", "Parts of the hand", quick=True, claim="Each vertex belongs to the bone with its largest weight.")
def figure_18(r):
    parts = r.answer("bind", "builtin:hand", "-o", r.studio.work / "parts.rig")["parts"]
    r.expect("bones with a part", sum(p["vertices"] > 0 for p in parts), "=", 17)
    r.expect("vertices in them", sum(p["vertices"] for p in parts), "=", 5888, than="all of the hand")
    r.picture("parts", "The built-in hand.", "render", "builtin:hand", "--color", "part", "--yaw", 0, "--size", "420x460")
    hand = r.studio.shared(WEBXR)
    if hand:
        r.picture("webxr", "A real hand.", "render", hand, "--color", "part", "--yaw", 90, "--size", "420x460")


@row(PAPER, "Figure 19", "Samples of a finger and the surface through them",
     claim="Samples with normals on the skin of each phalanx, caps beyond its joints; the surface of the fields is the finger's.")
def figure_19(r):
    b = r.answer("bind", "builtin:hand", "-o", r.studio.work / "hand.rig")
    finger = [p for p in b["parts"] if p["joint"].startswith("index_")]
    for p in finger:
        r.say(f"{p['joint']}: {p['samples']} samples, {p['caps']} caps, {1000 * p['residual']['median']:.2f} mm off the mesh (median).")
        r.expect(f"{p['joint']} off the mesh, median", 1000 * p["residual"]["median"], "<", 0.5, " mm")
        r.expect(f"{p['joint']}, samples", p["samples"], ">=", 50)
    r.picture("samples", "Samples (yellow) with normals, caps (red), tucks (blue), through the skin.", "render", "builtin:hand", "--samples", "--zoom", "index_2", "--zoom-size", 0.26, "--yaw", 20,
              "--size", "520x520")
    skin = r.studio.work / "hand-skin.ply"
    if r.studio.pictures:
        r.studio.once(skin, lambda: r.studio.run(["fields", "builtin:hand", "--iso", skin, "--quiet"]))
        r.picture("surface", "The surface of the fields.", "render", skin, "--yaw", 0, "--size", "420x460")


@row(PAPER, "Figures 20 to 22", "HRBF fields and spheres",
     claim="The surface rebuilt with HRBFs follows the mesh; spheres are coarser. Both carry a hand through an animation.")
def figure_20(r):
    spheres = preset(r, "spheres", {"all_joints": {"shape": "spheres"}})
    poor = preset(r, "poor", {"all_joints": {"samples": 8}})
    kinds = {"HRBF": [], "spheres": ["-p", spheres], "poor HRBF": ["-p", poor]}
    off, rough = {}, {}
    for name, p in kinds.items():
        short = name.lower().replace(" ", "-")
        b = r.answer("bind", INDEX, *p, "-o", r.studio.work / f"{short}.rig")
        found = [x["residual"]["median"] for x in b["parts"] if x["shape"] != "none"]
        off[name] = 1000 * sum(found) / len(found)
        m = r.measure(INDEX, *index_bends(r.studio), "--frames", 11, *p, methods="implicit")
        rough[name] = m.worst("implicit", "roughness")
        if name != "poor HRBF":
            r.picture(f"fist-{short}", f"A fist, fields of {name}.", "render", "builtin:hand", "--clip", "fist", "--at", "0.4,0.7,1.0", "--methods", "implicit", *p, "--yaw", 0,
                      "--size", "300x330")
        r.picture(f"finger-{short}", f"The index finger, fields of {name}{', of 8 samples a part' if name == 'poor HRBF' else ''}.", "render", INDEX, *index_bends(r.studio), "--at", 0.55,
                  "--methods", "implicit", *p, *FINGER)
        if r.studio.pictures:
            skin = r.studio.work / f"skin-{short}.ply"
            r.studio.run(["fields", INDEX, *p, "--iso", skin, "--quiet", "--threads", 1])
            r.picture(f"surface-{short}", f"The surface of {name}.", "render", skin, "--yaw", 0, "--size", "300x330")
    r.table("Fields of the hand", ["", "off the mesh, mm", "roughness of the bent finger, °"], [[name, off[name], rough[name]] for name in kinds])
    r.expect("poor HRBFs off the mesh", off["poor HRBF"], ">", off["HRBF"], " mm", than="fitted ones")
    r.expect("HRBF off the mesh, mean of the parts' medians", off["HRBF"], "<", off["spheres"], " mm", than="spheres")
    # Nothing gaps: in a fist the surface of the spheres is one piece.
    skin = r.studio.work / f"{r.recipe.name}-pieces.ply"
    r.studio.run(["fields", "builtin:hand", "-p", spheres, "--iso", skin, "--clip", "fist", "--at", 0.7, "--cell", 0.0025, "--quiet"])
    r.expect("pieces of the surface of spheres in a fist", ply_pieces(skin), "=", 1)
    hand, model = r.studio.shared(WEBXR), r.studio.shared("hand_webxr/hand_left_spheres.json")
    if hand and model:
        r.picture("given", "A hand whose spheres are given in a file, and its fist.", "render", hand, "--sphere-model", model, "--balls", "--clip", "fist", "--at", "0,1", "--yaw", 90,
                  "--methods", "implicit", "--size", "380x420")


@row(PAPER, "Figure 23", "The initial guess", quick=True,
     claim="From linear blending some vertices are projected on the wrong side; from dual quaternions all start on the right one.")
def figure_23(r):
    at = ["--clip", "bend", "--frames", 13]
    m = {g: r.measure(CYLINDER, *at, "--contact", "operator", "--operator", "union", "--initial", g, methods="implicit") for g in ("lbs", "dqs")}
    r.table("The paper's union (--contact operator), to 150 degrees and back, worst frame", ["from", "pairs", "folds", "longest edge", "volume, %"],
            [[g, x.worst("implicit", "intersecting_pairs"), x.worst("implicit", "folds"), x.worst("implicit", "stretch_max"), 100 * x.worst("implicit", "volume_change")]
             for g, x in m.items()])
    own = {g: r.measure(CYLINDER, *at, "--initial", g, methods="implicit") for g in ("lbs", "dqs")}
    r.expect("volume lost from linear blending, on its own side", -100 * own["lbs"].worst("implicit", "volume_change"), ">",
             -100 * own["dqs"].worst("implicit", "volume_change"), "%", than="from dual quaternions")
    late = 4  # the frame at 0.67 s of 13
    lbs, dqs = (m[g].frame("implicit", "intersecting_pairs", late) for g in ("lbs", "dqs"))
    r.expect("pairs of the paper's union at 0.67 s, from linear blending", lbs, ">", dqs, than="from dual quaternions")
    r.expect("longest edge of the paper's union at 0.67 s, from linear blending", m["lbs"].frame("implicit", "stretch_max", late), ">",
             1.5 * m["dqs"].frame("implicit", "stretch_max", late), than="one and a half times as long as from dual quaternions")
    if dqs > 0:
        r.partly(f"the paper's union does not work correctly from dual quaternions either: {dqs:.0f} pairs at 0.67 s, and to 150 degrees it fails from both "
                 f"({m['lbs'].worst('implicit', 'intersecting_pairs'):.0f} and {m['dqs'].worst('implicit', 'intersecting_pairs'):.0f} pairs); with vertices on their own side "
                 f"there are {own['dqs'].worst('implicit', 'intersecting_pairs'):.0f}")
    for g, name in (("lbs", "linear blending"), ("dqs", "dual quaternions")):
        r.picture(f"union-{g}", f"The paper's union, from {name}; red triangles intersect.", "render", CYLINDER, "--clip", "bend", "--at", "0.5,0.67", "--methods", "implicit",
                  "--contact", "operator", "--operator", "union", "--initial", g, "--color", "intersections", "--yaw", 0, "--size", "330x330")
        r.picture(g, f"Vertices on their own side, from {name}.", "render", CYLINDER, "--clip", "bend", "--at", "0.5,0.8", "--methods", "implicit", "--initial", g, "--yaw", 0, "--size", "330x330")


@row(PAPER, "Figure 24", "Reach of the fields", quick=True,
     claim="The wider the support of the fields, the more the blend bulges inside a bent finger.")
def figure_24(r):
    at = ["--clip", "bend", "--frames", 13]
    lifted = []
    for factor in (1, 1.5, 2, 3):
        p = preset(r, f"support-{factor}", {"fields": {"support_factor": factor}})
        union = r.frames(CYLINDER, *at, "-p", p, method="implicit")[3]
        blend = r.frames(CYLINDER, *at, "-p", p, "--operator", "blend", "--opening", "hip", method="implicit")[3]
        lifted.append(100 * farthest(union, blend) / RADIUS)
        if factor != 1.5:
            r.picture(f"finger-{factor}", f"The index finger, supports of {factor} thicknesses.", "render", INDEX, *index_bends(r.studio), "--at", 0.55, "--methods", "implicit",
                      "--operator", "blend", "--opening", "hip", "-p", p, *FINGER)
        r.picture(f"support-{factor}", f"Supports of {factor} thicknesses: the blend lifts the skin by {lifted[-1]:.0f}% of the radius.", "render", CYLINDER, "--clip",
                  "bend", "--at", 0.5, "--methods", "implicit", "--operator", "blend", "--opening", "hip", "-p", p, "--zoom", "upper", "--zoom-size", 0.5, "--yaw", 0, "--size", "330x330")
    r.table("Farthest that the blend lifts the skin at 75 degrees, % of the radius", ["supports of", "1", "1.5", "2", "3 thicknesses"], [["", *lifted]])
    r.expect("the blend with supports of 1.5 thicknesses", lifted[1], ">", lifted[0], "%", than="of 1")
    r.expect("of 2", lifted[2], ">", lifted[1], "%", than="of 1.5")


@row(PAPER, "Table 1", "Time", claim="One frame of a hand: 13 ms for 3,045 vertices and 55 ms for 12,125 in C++ (union, not converged); dual quaternions 1.5 and 1.7 ms.")
def table_1(r):
    rows = []
    for vertices in (3000, 12000):
        for fields in ("hrbf", "spheres"):
            for op in ("union", "blend"):
                m = r.measure(f"builtin:hand:{vertices}", "--clip", "fist", "--frames", 12, "--fields", fields, "--operator", op, methods="dqs,implicit")
                rows.append([f"{m.report['welded_vertices']} vertices", fields, op, m.ms("implicit"), m.ms("dqs")])
    header = ["", "fields", "operator", "implicit, ms", "dual quaternions, ms"]
    r.table("Ours: one core, converged, median of 12 frames of a fist", header, rows)
    r.table("The report's C++", header, [["3,045 vertices", "hrbf", "union", 13, 1.5], ["12,125 vertices", "hrbf", "union", 55, 1.7]])
    r.table("The report's MatLab", header, [["3,045 vertices", "hrbf", "union", 750, 15], ["3,045 vertices", "hrbf", "blend", 3000, 15],
                                            ["3,045 vertices", "spheres", "union", 1400, 15], ["3,045 vertices", "spheres", "blend", 5600, 15],
                                            ["12,125 vertices", "hrbf", "union", 1450, 90], ["12,125 vertices", "hrbf", "blend", 5900, 90],
                                            ["12,125 vertices", "spheres", "union", 2150, 90], ["12,125 vertices", "spheres", "blend", 10600, 90]])
    r.say("What differs: ours stops when it has converged, theirs after a fixed number of steps; our fields lie in grids, theirs are evaluated each time.")
    r.say(f"Union of HRBF fields: {rows[0][3]:.2g} ms against the report's 13, {rows[4][3]:.2g} against 55.")
