"""Lu, Hetroy, Gerot, Thibert 2008: atlas-based character skinning."""
import math

from curves import plot
from files import Glb, weighted
from gallery import row

PAPER = "Atlas"
BODY = "makehuman_male/makehuman_male.glb"


def atlas(r, character, *arguments):
    name = "atlas-" + character.split(":")[-1].split("/")[-1].split(".")[0]
    return weighted(r.studio, name, character, "--method", "atlas", *arguments)


def weights_of(path):
    """Positions and, per vertex, {joint: weight}."""
    glb = Glb(path)
    positions, rows = [], []
    for p in glb.primitives():
        attributes = p["attributes"]
        positions += glb.read(attributes["POSITION"])
        for joints, weights in zip(glb.read(attributes["JOINTS_0"]), glb.read(attributes["WEIGHTS_0"])):
            rows.append({j: w for j, w in zip(joints, weights) if w > 0})
    return positions, rows


def related(rows):
    counts = [0] * 6
    for row_ in rows:
        counts[min(len(row_), 5)] += 1
    return counts


@row(PAPER, "Figure 1", "A plane at a joint", quick=True,
     claim="Each boundary is cut by a plane through a joint, tilted so that the closed curve around the limb is shortest.")
def figure_1(r):
    found = r.answer("weights", "builtin:arm", "--method", "atlas", "-o", r.studio.work / "atlas-cuts.glb")
    elbow = next(c for c in found["cuts"] if c["joint"] == "forearm")
    r.expect("curve at the elbow", 100 * elbow["perimeter"], "<", 40, " cm")
    r.expect("tilt of its plane from the bone's normal", math.degrees(elbow["tilt"]), "<", 45, "°")
    at = [c for c in found["cuts"] if c["place"] == "at the joint"]
    r.expect("joints that are cut where they are", len(at), ">=", len(found["cuts"]) // 2, than="half of them")
    r.table("Cuts", ["joint", "place", "curve, cm", "tilt, °"], [[c["joint"], c["place"], 100 * c["perimeter"], math.degrees(c["tilt"])] for c in found["cuts"]])
    r.picture("cuts", "An arm: bones, boundary curves, regions.", "render", atlas(r, "builtin:arm"), "--color", "part", "--skeleton", "--yaw", 0, "--size", "700x300")


@row(PAPER, "Figure 2", "Two people cut into regions",
     claim="Regions of two models, in the colours of their bones, with smooth boundary curves at the joints.")
def figure_2(r):
    human = atlas(r, "builtin:human", "--symmetric")
    positions, rows = weights_of(human)
    owner = [max(w, key=w.get) for w in rows]
    r.expect("bones that own a region", len(set(owner)), ">=", 45)
    r.picture("human", "The built-in human.", "render", human, "--color", "part", "--skeleton", "--yaw", 20, "--size", "520x620")
    r.picture("back", "From behind.", "render", human, "--color", "part", "--yaw", 200, "--size", "420x520")
    body = r.studio.shared(BODY)
    if body:
        r.picture("makehuman", "A realistic body.", "render", atlas(r, body, "--symmetric"), "--color", "part", "--skeleton", "--yaw", 20, "--size", "520x620")
        r.picture("artist", "The same body as its artist weighted it.", "render", body, "--color", "part", "--skeleton", "--yaw", 20, "--size", "520x620")


@row(PAPER, "Figure 3", "Regions of a hand and where they overlap", quick=True, claim="Each phalanx is a region; the overlaps are bands around the joints.")
def figure_3(r):
    hand = atlas(r, "builtin:hand")
    _, rows = weights_of(hand)
    counts = related(rows)
    share = 100 * sum(counts[2:]) / len(rows)
    r.expect("vertices in an overlap", share, ">", 20, "%")
    r.expect("vertices in one region alone", 100 - share, ">", 10, "%")
    r.picture("parts", "Regions.", "render", hand, "--color", "part", "--skeleton", "--yaw", 0, "--size", "420x460")
    r.picture("overlap", "Overlaps: one bone grey, two green, three blue, four violet.", "render", hand, "--color", "influences", "--yaw", 0, "--size", "420x460")


@row(PAPER, "Figure 4", "How many regions a vertex is related to", quick=True,
     claim="Most vertices have one region or two; where limbs meet they have three.")
def figure_4(r):
    human = atlas(r, "builtin:human", "--symmetric")
    _, rows = weights_of(human)
    counts = related(rows)
    r.table("Vertices by the number of their regions", ["", "1", "2", "3", "4", "more"], [["the built-in human", *counts[1:]]])
    r.expect("vertices with one or two regions", 100 * (counts[1] + counts[2]) / len(rows), ">", 50, "%")
    r.expect("vertices with three", counts[3], ">", 100)
    r.expect("vertices with none", counts[0], "=", 0)
    r.picture("hips", "One bone grey, two green, three blue, four violet.", "render", human, "--color", "influences", "--zoom", "hips", "--yaw", 20, "--size", "460x460")
    r.picture("regions", "The regions there.", "render", human, "--color", "part", "--zoom", "hips", "--yaw", 20, "--size", "460x460")


@row(PAPER, "Figure 5", "A vertex between two regions", quick=True,
     claim="Across a boundary weights go over smoothly with the distance along the surface, and sum to one.")
def figure_5(r):
    positions, rows = weights_of(atlas(r, "builtin:cylinder"))
    curve = sorted((p[1], w.get(1, 0.0)) for p, w in zip(positions, rows) if p[0] > 0.099)
    r.expect("sums of weights off by at most", max(abs(sum(w.values()) - 1) for w in rows), "<", 1e-5)
    drops = max(a[1] - b[1] for a, b in zip(curve, curve[1:]))
    r.expect("weight of the upper bone falls along the cylinder by at most", drops, "<", 0.01)
    step = max(abs(a[1] - b[1]) for a, b in zip(curve, curve[1:]))
    r.expect("largest step from one ring to the next", step, "<", 0.25)
    r.svg("Weights along one side of the built-in cylinder, whose joint is at 0.4 m.",
          plot({"upper": curve, "lower": [(y, 1 - w) for y, w in curve]}, "metres along the cylinder", "weight"))


@row(PAPER, "Figures 6 and 7", "Deformed without touching up", quick=True, claim="Bodies and hands move well with these weights and linear blending.")
def figure_6(r):
    human, hand = atlas(r, "builtin:human", "--symmetric"), atlas(r, "builtin:hand")
    own, ours = (r.measure(f, "--clip", "walk", "--frames", 7, methods="lbs") for f in ("builtin:human", human))
    r.table("Walk, linear blending, worst frame", ["weights", "pairs", "folds", "longest edge"],
            [[n, m.worst("lbs", "intersecting_pairs"), m.worst("lbs", "folds"), m.worst("lbs", "stretch_max")] for n, m in (("own", own), ("atlas", ours))])
    r.expect("longest edge with the atlas", ours.worst("lbs", "stretch_max"), "<", own.worst("lbs", "stretch_max"), than="with its own weights")
    r.picture("walk", "The human walks.", "render", human, "--clip", "walk", "--at", "0,0.3,0.6,0.9", "--methods", "lbs", "--yaw", 50, "--size", "280x360")
    r.picture("fist", "The hand closes.", "render", hand, "--clip", "fist", "--at", "0,0.35,0.65,1", "--methods", "lbs", "--yaw", 0, "--size", "300x320")


@row(PAPER, "Figure 8", "What linear blending loses", quick=True, claim="At a strong bend the joint collapses with linear blending, whatever the weights.")
def figure_8(r):
    arm = atlas(r, "builtin:arm")
    m = r.measure(arm, "--clip", "elbow", "--frames", 7, methods="lbs,dqs")
    r.expect("volume lost by linear blending", -100 * m.worst("lbs", "volume_change"), ">", -100 * m.worst("dqs", "volume_change"), "%", than="dual quaternions")
    r.picture("elbow", "An elbow: linear blending, dual quaternions.", "render", arm, "--clip", "elbow", "--at", "0.4,0.7,1", "--methods", "lbs,dqs", "--yaw", 0, "--size", "320x260")


@row(PAPER, "Timings", "Time", claim="Boundaries in real time; four minutes for the overlaps and weights of a human of 14k faces with 24 curves.")
def timings(r):
    rows = []
    for name in ["builtin:hand", "builtin:human"] + ([r.studio.shared(BODY)] if r.studio.shared(BODY) else []):
        found = r.answer("weights", name, "--method", "atlas", "-o", r.studio.work / "atlas-time.glb")
        curves = sum(c["place"] != "missing" for c in found["cuts"])
        rows.append([name.split("/")[-1], found["triangles"], curves, found["seconds"]])
    r.table("Ours, one core", ["", "faces", "curves", "seconds"], rows)
    r.table("The paper's, 2008", ["", "faces", "curves", "seconds"], [["human", 14000, 24, 240]])
    r.say("What differs: distances on the surface are found for all vertices at once instead of vertex by vertex, on a machine eighteen years younger.")
    r.expect("the built-in human", rows[1][3], "<", 24, " s", than="a tenth of the paper's")
