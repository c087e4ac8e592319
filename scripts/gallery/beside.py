"""What the papers leave open, and the beauty sheet: every character, large, at the moment where methods differ most."""
import html

from gallery import farthest, row, spent

PAPER = "Beside the papers"
HAND, HUMAN = "builtin:hand", "builtin:human"
BODY = "makehuman_male/makehuman_male.glb"
QUALITY = ["intersecting_pairs", "folds", "scars", "stretch_max", "volume_change"]


@row(PAPER, "Fist", "Fingers on the palm", quick=True, claim="Fingers on the palm, the thumb on the fingers: nothing passes through.")
def fist(r):
    m = r.measure(HAND, "--clip", "fist", "--frames", 9, methods="dqs,ddm,tracking")
    r.expect("pairs of dual quaternions", m.worst("dqs", "intersecting_pairs"), ">", 100)
    r.expect("pairs of tracking", m.worst("tracking", "intersecting_pairs"), "=", 0)
    r.compare("Fist", m, QUALITY)
    for yaw in (0, 90):
        r.picture(f"{yaw}", f"From {yaw} degrees: dual quaternions, delta mush, tracking; red triangles intersect.", "render", HAND, "--clip", "fist", "--methods",
                  "dqs,ddm,tracking", "--at", "1.0", "--color", "intersections", "--yaw", yaw, "--size", "330x330")


@row(PAPER, "Arms crossed", "One arm around the other", claim="The motion takes the hands through each other; relief looks ahead and leads one arm around the other.")
def arms(r):
    m = r.measure(HUMAN, "--clip", "arms_crossed", "--frames", 7, methods="dqs,tracking")
    r.expect("pairs of dual quaternions", m.worst("dqs", "intersecting_pairs"), ">", 50)
    r.expect("pairs of tracking", m.worst("tracking", "intersecting_pairs"), "=", 0)
    r.compare("Arms crossed", m, QUALITY)
    r.picture("sheet", "Dual quaternions above, tracking below; red triangles intersect.", "render", HUMAN, "--clip", "arms_crossed", "--methods", "dqs,tracking", "--at", "0.5,0.75,1,1.5",
              "--color", "intersections", "--zoom", "chest", "--zoom-size", 0.36, "--yaw", 15, "--size", "330x330")
    body = r.studio.shared(BODY)
    if body:
        r.picture("makehuman", "A realistic body.", "render", body, "--clip", "arms_crossed", "--methods", "dqs,tracking", "--at", 1.5, "--zoom", "spine_03", "--zoom-size", 0.36, "--yaw", 30,
                  "--size", "460x460")


@row(PAPER, "Painting", "Targets on the skin", claim="A key-framed target draws the skin along its surface, then lets it go; a stiff sleeve leaves the stretch to the skin beside it.")
def painting(r):
    presets = r.studio.root / "examples/presets"
    at = ["--clip", "bend", "--frames", 13]
    soft, stiff = (r.measure("builtin:cylinder", *at, *p, methods="tracking") for p in ([], ["-p", presets / "cylinder_stiff.json"]))
    r.expect("longest edge beside a stiff sleeve", stiff.worst("tracking", "stretch_max"), ">", soft.worst("tracking", "stretch_max"), than="without it")
    drawn, free = (r.frames("builtin:cylinder", "--clip", "twist", "--frames", 21, *p) for p in (["-p", presets / "cylinder_target.json"], []))
    away = [1000 * farthest(drawn[k], free[k]) for k in (6, 20)]  # the target's weight is 1 at 0.6 s, 0 from 1.2 s on
    r.expect("farthest that the target draws the skin, at 0.6 s", away[0], ">", 20, " mm")
    r.expect("what is left of it when it has let go, at 2 s", away[1], "<", away[0] / 10, " mm", than="a tenth of that")
    r.picture("stiff", "A rigid sleeve on the upper half; colour is stretch.", "render", "builtin:cylinder", "--clip", "bend", "--methods", "tracking", "--at", "0.3,0.6,1.0", "--color",
              "stretch", "--yaw", 0, "-p", presets / "cylinder_stiff.json", "--size", "300x300")
    r.picture("target", "A target draws the skin to the right and up, then lets it go.", "render", "builtin:cylinder", "--clip", "twist", "--methods", "tracking", "--at",
              "0,0.3,0.6,1.2", "--wireframe", "--color", "stretch", "--zoom", "upper", "--zoom-size", 0.6, "--yaw", 20, "-p", presets / "cylinder_target.json", "--size", "300x300")


def look_at(name, clip):
    """Further arguments: arms on the belly are seen from the front, backs that bend from the side, hands of whole bodies from near."""
    if name in ("cylinder", "arm"):
        return ["--yaw", 0]
    if "across" in clip or "crossed" in clip:
        return ["--yaw", 15]
    if clip.startswith("spine_bend"):
        return ["--yaw", 70]
    return ["--zoom-size", 0.08] if name in ("human", "makehuman") and clip.startswith(("fist", "index", "wrist")) else []


def beauty_sheets(studio):
    """Name, file, clip, further arguments; of the characters that are here."""
    sheets = [(f"{name}-{clip}", f"builtin:{name}", clip, look_at(name, clip))
              for name, clips in (("cylinder", ("bend", "twist")), ("arm", ("elbow", "forearm_twist")), ("hand", ("fist",)),
                                  ("human", ("walk", "squat", "arms_crossed", "arm_across_belly", "fist", "wave"))) for clip in clips]
    shared = [("makehuman", BODY, ("elbow_l_0_150 knee_l_0_150 fist_l index_l_curl arm_l_across_belly arms_crossed arm_l_down_at_side arm_l_raise_overhead "
                                   "wrist_l_twist_0_180 forearm_l_twist_pm90 spine_neck_twist_pm105 spine_bend_forward_85 deep_squat cmu_02_01_walk").split()),
              ("makehuman-hires", "makehuman_male/makehuman_male_hires.glb", ["elbow_l_0_150"]),
              ("webxr", "hand_webxr/hand_left_poses.glb", "fist index_curl pinch hook_grip spread finger_wave".split()),
              ("cesium_man", "cesium_man/cesium_man.glb", [""]), ("fox", "fox/fox.glb", ["Survey", "Walk", "Run"]),
              ("rigged_figure", "rigged_figure/rigged_figure.glb", [""]), ("rigged_simple", "rigged_simple/rigged_simple.glb", [""]),
              ("rocketbox", "avatars/rocketbox_male.glb", ["crouch_in", "stretch_arms"]), ("astronaut", "avatars/astronaut_draco.glb", ["Duck"]),
              ("lumberjack", "avatars/lumberjack.glb", ["Walk"]), ("platformer", "avatars/platformer_character.glb", ["CharacterArmature|Duck"]),
              ("robot", "avatars/robot_expressive.glb", ["Dance"]), ("spider", "avatars/spider.glb", ["SpiderArmature|Spider_Walk"]),
              ("rabbit-vrm", "avatars/rabbit.vrm", ["random:1"]), ("rabbit-fbx", "avatars/rabbit.fbx", ["random:1"])]
    for name, file, clips in shared:  # not wasp_nan_weights.glb: its weights are not numbers, and it is refused
        path = studio.shared(file)
        for clip in clips if path else []:
            sheets.append((f"{name}-{clip}".replace("|", "-").replace(":", "-").rstrip("-"), path, clip, look_at(name, clip)))
    if studio.shared(BODY):  # the simplest picture of all: an arm that is straightened past its rest bend
        sheets.append(("makehuman-straight-elbow", studio.shared(BODY), "elbow_l_0_150", ["--at", 0, "--zoom", "lowerarm_l"]))
    return sheets


def beauty(studio, pool, tell):
    """The page beauty.html."""
    def draw(sheet):
        name, file, clip, more = sheet
        arguments = ["render", file, "--methods", "lbs,dqs,ddm,implicit,tracking", "--frames", 9, "--pick", 1, "--numbers", "--size", "460x460", *(["--clip", clip] if clip else []),
                     *([] if "--zoom" in more else ["--zoom", "differ"]), *more, "-o", studio.out / f"beauty-{name}.png"]
        before = getattr(spent, "seconds", 0)
        studio.run([*arguments, "--quiet", "--threads", 1])
        tell(f"beauty-{name} ({spent.seconds - before:.1f} s of processor time)")
        return f'<figure><img src="beauty-{name}.png" alt="{html.escape(name)}" loading="lazy"><figcaption><code>{html.escape(studio.shown(arguments))}</code></figcaption></figure>'
    figures = list(pool.map(draw, beauty_sheets(studio)))
    page = ['<!doctype html>', '<html lang="en"><head><meta charset="utf-8"><title>Cutis: beauty sheet</title><style>',
            "body{font:16px/1.5 system-ui,sans-serif;max-width:2100px;margin:2rem auto;padding:0 1rem;color:#222;background:#fbfaf8}",
            "figure{margin:1.2rem 0}img{max-width:100%;border-radius:6px}figcaption{color:#555;font-size:.92rem}code{background:#f0ece6;padding:.1rem .3rem}</style></head><body>",
            "<h1>Beauty sheet</h1><p>Linear blending, dual quaternions, direct delta mush, implicit skinning and tracking with contact, at the frame of each clip (of nine) in which they "
            "differ most, around the place where they do. Under each picture: intersecting pairs, folds, roughness in degrees, scars, longest edge over its rest length, change of volume "
            "(docs/algorithms/metrics.md).</p>", *figures, "</body></html>"]
    (studio.out / "beauty.html").write_text("\n".join(page) + "\n", encoding="utf-8")
