"""Le Naour, Courty, Gibet 2018: mesh animation from low-dimensional markers."""
import json
import math
import pathlib

from files import mirrored, motion, weighted
from gallery import row

PAPER = "Markers"
HUMAN = "builtin:human"
TARGETS = pathlib.Path(__file__).parent / "targets"
BODY = "makehuman_male/makehuman_male.glb"
TAKE, STILL = "markers_c3d/Movement_trial.c3d", "markers_c3d/Static_trial.c3d"


def solved(r, *arguments, sheet=None):
    """The report of a run; something must be written for it to run. `sheet`: name, caption and looks of a picture of it."""
    run = ["markers", *arguments, "-o", r.studio.work / f"{r.recipe.name}.pc2"]
    if not sheet:
        return r.answer(*run)
    name, caption, *look = sheet
    return r.drawn(name, caption, "--sheet", run, look)


def missed(report):
    return 100 * report["summary"]["marker_rms"], 100 * report["summary"]["marker_worst"]


@row(PAPER, "Figures 1 and 2", "From markers to a skin", claim="A few trajectories drive a volumetric control mesh with a skeleton in it, which carries the full mesh.")
def figure_1(r):
    reach = TARGETS / "reach.json"
    m = solved(r, HUMAN, "--take", reach, "--no-fit", "--fps", 6, sheet=("pipeline", "Markers (red), control mesh, the body that follows.", "--sheet-frames", 3, "--control", "--yaw", 30))
    c = m["control_mesh"]
    r.say(f"Control mesh of the built-in human: {c['vertices']} vertices, {c['tetrahedra']} tetrahedra, {c['skeleton_samples']} samples of the skeleton.")
    r.expect("vertices of the mesh that the control mesh does not hold", c["uncovered_vertices"], "=", 0)


@row(PAPER, "Figure 3", "A large deformation",
     claim="Surface as-rigid-as-possible deformation loses volume and shape where a volumetric one keeps them, and with a skeleton the limbs stay straight.")
def figure_3(r):
    frames = 7
    reach = ["--take", TARGETS / "reach.json", "--no-fit", "--frames", frames]
    # Nothing but the deformation: no contact, no volume brought back.
    raw = ["--no-keep-volume", "--no-contact-pass"]
    ways = {"surface": ["--skin", "surface"], "cells": ["--no-skeleton", *raw], "bones": raw}
    names = {"surface": "the surface alone", "cells": "cells", "bones": "cells and a skeleton"}
    captions = {"surface": "Left: the surface alone, as rigid as possible. Limbs bend where they have no joint and are flat where they bend.",
                "cells": "Middle: the same targets, cells alone.", "bones": "Right: bones in the control mesh."}
    found, files = {}, []
    for name, flags in ways.items():
        out = r.studio.work / f"{r.recipe.name}-{name}.pc2"
        found[name] = r.drawn(name, captions[name], "--sheet", ["markers", HUMAN, *reach, *flags, "-o", out], ["--sheet-frames", 4, "--yaw", 30])["summary"]
        files += ["--external", f"{name}={out}"]
    m = r.measure(HUMAN, "--clip", "walk", "--frames", frames, *files, methods="lbs")  # a clip with as many frames
    parts = {name: {k.partition(".")[2]: -100 * v["worst"] for k, v in m.report["methods"][name]["summary"].items() if k.startswith("volume_change.")} for name in ways}
    worst = {name: max(p, key=p.get) for name, p in parts.items()}
    lost = {name: parts[name][worst[name]] for name in ways}
    r.table("The same six targets, nothing restored", ["", "part that loses most", "of its volume, %", "whole mesh, mean, %", "RRMS_E", "markers missed, mean, mm"],
            [[names[n], worst[n], lost[n], 100 * s["mesh_volume_error"], s["rrms"], 1000 * s["marker_rms"]] for n, s in found.items()])
    r.expect("volume that the worst part loses by the surface alone", lost["surface"], ">", 2 * lost["bones"], "%", than="twice as much as by cells and a skeleton")
    r.expect("and by cells", lost["cells"], "<", lost["surface"] / 2, "%", than="half as much as by the surface alone")
    r.expect("change of the bones' lengths, with a skeleton", 100 * found["bones"]["bone_length_error"], "<", 3, "%")


@row(PAPER, "Figures 4 and 5", "Joint limits", quick=True,
     claim="Markers that ask an elbow to bend the wrong way: without limits it does, with limits it stays straight and the markers are left behind.")
def figure_4(r):
    wrong = ["--take", TARGETS / "backward-elbow.json", "--no-fit", "--fps", 5]
    stiff = ["--limits", TARGETS / "stiff-arm.json"]  # with the usual ranges the arm rolls, and bends the right way
    held = solved(r, HUMAN, *wrong, *stiff, sheet=("limits", "With limits, on an arm that hardly rolls.", "--sheet-frames", 3, "--yaw", 75))
    free = solved(r, HUMAN, *wrong, "--no-limits", sheet=("free", "Without.", "--sheet-frames", 3, "--yaw", 75))
    r.expect("markers missed with limits, worst", missed(held)[1], ">", 2 * missed(free)[1], " cm", than="twice as far as without")
    r.expect("markers missed without limits, mean", missed(free)[0], "<", 3, " cm")


@row(PAPER, "Figure 6", "A mesh edited by a few targets", claim="A user moves a few points, and the body follows them.")
def figure_6(r):
    reach = ["--take", TARGETS / "reach.json", "--no-fit", "--fps", 6]
    free = solved(r, HUMAN, *reach, "--no-limits", sheet=("edit", "Targets (red) and the body, without limits.", "--sheet-frames", 4, "--yaw", 30))
    held = solved(r, HUMAN, *reach, sheet=("held", "With limits.", "--sheet-frames", 4, "--yaw", 30))
    r.say(f"Targets missed: {missed(held)[0]:.1f} cm on average and {missed(held)[1]:.1f} at worst with joint limits, {missed(free)[0]:.1f} and {missed(free)[1]:.1f} without.")
    r.expect("targets missed without limits, mean", missed(free)[0], "<", 3, " cm")
    r.expect("targets missed with limits, worst", missed(held)[1], "<", 1, " cm")


@row(PAPER, "Figures 7 and 8", "A take drives a body",
     claim="39 optical markers of a person drive another body; the alternating descent converges, energies fall over its iterations.")
def figure_7(r):
    take, still = r.studio.shared(TAKE), r.studio.shared(STILL)
    if not take:
        walk, places = r.studio.work / "walk.json", r.studio.work / "walk-map.json"
        for path, value in zip((walk, places), walk_targets(r)):
            path.write_text(json.dumps(value))
        walked = ["--take", walk, "--map", places, "--no-fit", "--fps", 15]
        body, run, partly = HUMAN, walked, "the take of a person is in the shared data; here 39 points of the built-in human's own walk drive it"
        caption = "Points of a walk (red), and the body that follows."
    else:
        body, run, partly = r.studio.shared(BODY) or HUMAN, ["--take", take, "--static", still, "--fps", 15], None
        caption = "A person going down stairs; markers red."
    plots = f"{r.recipe.name}-plots.png"
    m = solved(r, body, *run, *(["--plots", r.studio.out / plots] if r.studio.pictures else []), sheet=("body", caption, "--sheet-frames", 8, "--follow"))
    r.expect("markers missed, mean", missed(m)[0], "<", 3, " cm")
    if take:
        r.expect("frames that did not converge", m["summary"]["unconverged_frames"], "=", 0)
    if r.studio.pictures:
        r.parts.append(("picture", "Errors and work over the take, and convergence over ten frames.", plots, "the same command"))
    if partly:
        r.partly(partly)


def walk_targets(r):
    """39 vertices, far from each other, of the built-in walk by dual quaternions, as a take and a map."""
    frames = r.frames(HUMAN, "--clip", "walk", "--fps", 15, method="dqs")
    first = frames[0]
    chosen, nearest = [max(range(len(first)), key=lambda v: first[v][1])], [math.inf] * len(first)
    while len(chosen) < 39:
        at = first[chosen[-1]]
        nearest = [min(d, math.dist(p, at)) for d, p in zip(nearest, first)]
        chosen.append(max(range(len(first)), key=nearest.__getitem__))
    take = {"rate": 15, "frames": [{f"m{v}": list(frame[v]) for v in chosen} for frame in (frames[i] for i in range(frames.count))]}
    return take, {"markers": {f"m{v}": {"vertex": v} for v in chosen}}


@row(PAPER, "Joints", "Joint centres as targets", claim="Not a figure of the paper: where a skeleton was captured, its joints can drive the body as markers do.")
def joints(r):
    walk = r.studio.shared("motion_bvh_cmu/02_01_walk.bvh") or motion(r.studio, "torso-twist")
    look = ["--sheet-frames", 4, "--follow"]
    held = solved(r, HUMAN, "--take", walk, "--frames", 16, sheet=("walk", "With limits; targets red.", *look))
    free = solved(r, HUMAN, "--take", walk, "--frames", 16, "--no-limits", sheet=("free", "Without.", *look))
    for name, m in (("with joint limits", held), ("without", free)):
        r.say(f"Joints missed {name}: {missed(m)[0]:.1f} cm on average, {missed(m)[1]:.1f} at worst.")
    if missed(held)[1] > 2 * missed(free)[1] and missed(held)[1] > 5:
        r.partly(f"with joint limits a joint is missed by up to {missed(held)[1]:.1f} cm, without by {missed(free)[1]:.1f}: the solver is caught at a limit")
    r.expect("joints missed without limits, mean", missed(free)[0], "<", 5, " cm")


@row(PAPER, "Figure 9", "Signs of two hands",
     claim="Few markers on each hand carry the signs of a sign language, through large deformations.")
def figure_9(r):
    left = json.loads((TARGETS / "hand-signs.json").read_text())
    count = len(left["frames"])
    # The other hand is a mirror image that makes the same signs half a take later.
    right = {**left, "frames": [{m: [-p[0], *p[1:]] for m, p in left["frames"][(k + count // 2) % count].items()} for k in range(count)]}
    take, other = r.studio.work / f"{r.recipe.name}-right.json", r.studio.work / "hand-right.glb"
    take.write_text(json.dumps(right))
    hand = weighted(r.studio, "hand-heat", "builtin:hand")
    r.studio.once(other, lambda: mirrored(hand, other))
    for side, character, signs in (("left", hand, TARGETS / "hand-signs.json"), ("right", other, take)):
        arguments = [character, "--take", signs, "--map", TARGETS / "hand-map.json", "--no-fit", "--fps", 15]
        m = solved(r, *arguments, sheet=(side, f"Eight excerpts, {side} hand; markers red.", "--sheet-frames", 8, "--follow", "--yaw", 0))
        r.expect(f"markers missed by the {side} hand, mean", 10 * missed(m)[0], "<", 5, " mm")
        r.expect(f"change of the bones' lengths of the {side} hand, mean", 100 * m["summary"]["bone_length_error"], "<", 5, "%")
        r.expect(f"tetrahedra of the {side} hand that turned over", m["summary"]["flipped_tetrahedra"], "=", 0)


PAPERS_TABLE = [["triangles", 345944, 345944, 15198, 10042], ["control vertices", 423, 27350, 1946, 368], ["factor, s", 0.101, 264.432, 1.836, 0.102], ["update, ms", 12, 986, 68, 12], ["embed, ms", 63, 236, 14, 2], ["RRMS_E", 0.04, 0.027, 0.101, 0.087],
                ["RE_V", 0.042, 0.029, 0.012, 0.061], ["ED_E", 0.19, 0.011, 0.019, 0.016]]


@row(PAPER, "Table I", "Times and errors", claim="Building the system takes a tenth of a second to minutes, an update 12 ms to a second; volumes and bones change by some per cent.")
def table_i(r):
    cases = [("hand", "builtin:hand", ["--take", TARGETS / "hand-signs.json", "--map", TARGETS / "hand-map.json", "--no-fit", "--fps", 15]),
             ("human, edited", HUMAN, ["--take", TARGETS / "reach.json", "--no-fit", "--fps", 6])]
    take, body = r.studio.shared(TAKE), r.studio.shared(BODY)
    if take and body:
        cases.append(("MakeHuman, a take", body, ["--take", take, "--static", r.studio.shared(STILL), "--fps", 15]))
    columns = []
    for name, character, arguments in cases:
        # As the paper does: no volume brought back, no contact.
        m = solved(r, character, *arguments, "--embed", "green", "--no-keep-volume", "--no-contact-pass")
        s, c = m["summary"], m["control_mesh"]
        columns.append([name, c["vertices"], c["tetrahedra"], c["factor_ms"] / 1000, s["solve_ms"], s["embed_ms"], s["rrms"], s["mesh_volume_error"],
                        s["bone_length_error"]])
        r.expect(f"RE_V of {name}, of its own mesh", s["mesh_volume_error"], "<", 0.061, than="the paper's largest")
        r.expect(f"ED_E of {name}", s["bone_length_error"], "<", 0.19, than="the paper's largest")
    labels = ["", "control vertices", "tetrahedra", "factor, s", "update, ms", "embed (Green), ms", "RRMS_E", "RE_V", "ED_E"]
    r.table("Ours, one core", [str(c[0]) or "" for c in [[""]] + columns], [[labels[k], *[c[k] for c in columns]] for k in range(1, len(labels))])
    r.table("The paper's, four meshes", ["", "1", "2", "3", "4"], PAPERS_TABLE)
    r.say("What differs: RE_V is of the original mesh in both, over all frames of ours (by default the program also thickens parts that bending squeezes); an update is "
          "a whole frame of ours, up to 60 iterations, 50 of theirs; machines are ten years apart.")
