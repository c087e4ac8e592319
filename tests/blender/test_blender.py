"""Runs inside Blender, which has no window: the add-on, installed from its zip.

blender -b --factory-startup --python-exit-code 1 -P test_blender.py -- CASE ZIP PROGRAM SCRATCH [CHARACTER CLIP FRAMES]
"""
import pathlib
import subprocess
import sys
import time

import bpy
import numpy as np

# Debian's importer of 3.4 is older than its numpy.
for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
    if name not in np.__dict__:
        setattr(np, name, kind)

case, archive, program, scratch, *rest = sys.argv[sys.argv.index("--") + 1:]
scratch = pathlib.Path(scratch)
bpy.ops.preferences.addon_install(filepath=archive, overwrite=True)
bpy.ops.preferences.addon_enable(module="cutis_blender")
import cutis_blender.bridge as bridge  # noqa: E402
import cutis_blender.live as live  # noqa: E402
import cutis_blender.sessions as sessions  # noqa: E402
from cutis_blender.package import cutis  # noqa: E402

assert "cutis_blender" in cutis.__file__, cutis.__file__


def check(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


def imported(character):
    """The skinned mesh of a file, through Blender's importer; a built-in one, through the program."""
    if character.startswith("builtin:"):
        file = scratch / "character.glb"
        cutis.Character.load(character).save(file)
    else:
        file = character
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=str(file))
    obj = next(o for o in bpy.data.objects if bridge.armature_modifier(o) is not None)
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    return obj, str(file)


def use_clip(obj, clip):
    """The importer makes an action a clip."""
    armature = bridge.armature_modifier(obj).object
    data = armature.animation_data
    for track in list(data.nla_tracks):
        data.nla_tracks.remove(track)
    action = next((a for a in bpy.data.actions if a.name.startswith(clip)), None)
    if action is None and len(bpy.data.actions) == 1:  # clips without names
        action = bpy.data.actions[0]
    check(action is not None, f"there is no action {clip}: {[a.name for a in bpy.data.actions]}")
    data.action = action
    for bone in armature.pose.bones:  # not as another action left it
        bone.matrix_basis.identity()
    first, last = (int(round(x)) for x in action.frame_range)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = first, last
    return first, last


def shown(obj):
    """Positions as the scene shows them, in the world."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    world = np.array(obj.matrix_world)
    return points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def program_frames(file, clip, method):
    out = scratch / "program.pc2"
    subprocess.run([program, "animate", file, "--clip", clip, "--method", method, "-q", "-o", str(out)], check=True)
    data = out.read_bytes()
    points, samples = (int.from_bytes(data[k:k + 4], "little") for k in (16, 28))
    return np.frombuffer(data, np.float32, offset=32).reshape(samples, points, 3)


def nearest(vertices, to):
    """For each of `to`, the vertex at the same place at rest: importers reorder and merge."""
    order = {}
    for i, p in enumerate(np.round(vertices, 5)):
        order.setdefault(tuple(p + 0.0), i)
    found = np.array([order.get(tuple(p + 0.0), -1) for p in np.round(to, 5)])
    for i in np.flatnonzero(found < 0):
        found[i] = np.argmin(((vertices - to[i]) ** 2).sum(axis=1))
    return found


def bake():
    """The bake has the bits of the package, is what the scene shows, and is the program's to rounding. CHARACTER CLIP FRAMES."""
    character, clip, most = rest[0], rest[1], int(rest[2])
    obj, file = imported(character)
    other = cutis.Character.load(file)
    clip = clip or other.clips[0].name
    first, last = use_clip(obj, clip)
    scene = bpy.context.scene
    scene.frame_end = last = min(last, first + most - 1)
    obj.cutis.bake_file = str(scratch / "bake.pc2")
    check(bpy.ops.cutis.bind() == {"FINISHED"}, "bind failed")
    check(bpy.ops.cutis.bake() == {"FINISHED"}, "bake failed")
    modifier = bridge.armature_modifier(obj)
    check(not modifier.show_viewport and not modifier.show_render, "the armature is not muted")
    baked = np.frombuffer((scratch / "bake.pc2").read_bytes(), np.float32, offset=32).reshape(last - first + 1, -1, 3)

    # What is shown is the bake.
    scene.frame_set(last)
    local = np.linalg.inv(np.array(obj.matrix_world))
    now = shown(obj) @ local[:3, :3].T + local[:3, 3]
    check(np.abs(now - baked[-1]).max() < 1e-6, "the scene does not show the bake")

    # The package makes the same bits of the same arrays and poses.
    session = sessions.of(obj)
    poses = []
    armature = modifier.object
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        poses.append(session.bridge.pose(armature.evaluated_get(bpy.context.evaluated_depsgraph_get())))
    again = session.bridge.character(obj, cutis.Context(threads=1))
    frames = cutis.Solver(again.bind()).play_all(np.array(poses), fps=30)
    for i, points in enumerate(frames):
        check(np.array_equal(session.bridge.to_object(points), baked[i]), f"frame {i} is not the package's")

    # The program, on the file that Blender imported: vertices are matched at rest.
    # At the times of the program, whole: contact looks ahead.
    size = np.ptp(other.vertices, axis=0).max()
    world = np.array(armature.matrix_world)

    def in_scene(points):
        return bridge.to_cutis(bridge.to_blender(points) @ world[:3, :3].T + world[:3, 3])

    match = nearest(other.vertices, in_scene(again.vertices))
    check(np.abs(other.vertices[match] - in_scene(again.vertices)).max() < 1e-4 * size, "the importer moved vertices")
    text = f"RESULT {character} {clip}: {len(frames)} frames, {len(again.vertices)} vertices; from the program, % of the size:"
    times, poses = other.times(clip), []
    for moment in times:
        scene.frame_set(int(moment * 30), subframe=moment * 30 - int(moment * 30))
        poses.append(session.bridge.pose(armature.evaluated_get(bpy.context.evaluated_depsgraph_get())))
    for method in ("dqs", "tracking"):
        solved = cutis.Solver(session.rig, method).play_all(np.array(poses), times=times)
        wanted = program_frames(file, clip, method)
        off = np.abs(np.stack([in_scene(f) for f in solved]) - wanted[:, match]).max(axis=2) / size
        text += f" {method} {100 * off.mean():.5f} mean, {100 * off.max():.4f} worst;"
        if method == "dqs":
            check(off.max() < 1e-3, f"{text}: poses or weights are not the file's")
            check(np.abs(wanted - other.vertices).max() > 0.01 * size, "nothing moves")
        else:  # folds settle a little differently after rounding
            check(off.mean() < 5e-4, text)
    print(text)

    # Cleared, the armature deforms again.
    check(bpy.ops.cutis.clear() == {"FINISHED"}, "clear failed")
    check(modifier.show_viewport and modifier.show_render and bridge.CACHE not in obj.modifiers, "not as it was")


def file_case():
    """A bake from the file that was imported has the program's bits. CHARACTER CLIP..."""
    character, *clips = rest
    obj, file = imported(character)
    other = cutis.Character.load(file)
    names = [c.name for c in other.clips]
    local = np.linalg.inv(np.array(obj.matrix_world, float))
    still = np.array_equal(local, np.eye(4))
    at_rest = bridge.Bridge(obj).rest_points(obj).astype(float)
    world = np.array(obj.matrix_world, float)
    match = nearest(bridge.to_blender(other.vertices), at_rest @ world[:3, :3].T + world[:3, 3])
    obj.cutis.bake_file = str(scratch / "bake.pc2")
    obj.cutis.bake_from, obj.cutis.source = "file", file
    for clip in clips:
        name = names[int(clip)] if clip.isdigit() else clip
        if clip == clips[0]:
            use_clip(obj, name)  # its action says which
        else:
            obj.cutis.source_clip = name
        for method in ("tracking", "dqs"):
            obj.cutis.method, obj.cutis.contact = method, method == "tracking"  # as the program has them
            check(bpy.ops.cutis.bake() == {"FINISHED"}, "bake failed")
            data = (scratch / "bake.pc2").read_bytes()
            baked = np.frombuffer(data, np.float32, offset=32).reshape(-1, len(obj.data.vertices), 3)
            wanted = program_frames(file, name, method)
            check(len(baked) == len(wanted), f"{len(baked)} frames, not {len(wanted)}")
            for i, frame in enumerate(wanted):
                points = bridge.to_blender(frame[match])
                if not still:
                    points = (points @ local[:3, :3].T + local[:3, 3]).astype(np.float32)
                check(np.array_equal(points, baked[i]), f"{name}, {method}: frame {i} is not the program's")
            check(np.abs(wanted - other.vertices).max() > 0.01 * np.ptp(other.vertices, axis=0).max(), "nothing moves")
            first = obj.modifiers[bridge.CACHE].frame_start
            at = len(wanted) // 2
            bpy.context.scene.frame_set(int(first) + at)
            if first == int(first):
                check(np.abs(shown(obj) - (baked[at] @ world[:3, :3].T + world[:3, 3])).max() < 1e-5, "the scene shows another frame")
        print(f"RESULT {character} {name}: {len(wanted)} frames, the program's bits")

    def refused(words):
        try:
            bpy.ops.cutis.bake()
        except RuntimeError as why:
            check(words in str(why), f"'{words}' is not in: {why}")
            return
        raise AssertionError(f"{words}: not refused")

    obj.cutis.source_clip = "no such clip"
    refused("no clip 'no such clip'")
    obj.cutis.source_clip = ""
    obj.data.vertices[0].co.x += 1
    refused("lie elsewhere")
    obj.cutis.source = ""
    refused("choose the file")


def live_case():
    """Scrubbing, posing, jumping, undo, switching off."""
    character, clip = rest[0], rest[1]
    obj, _ = imported(character)
    first, last = use_clip(obj, clip)
    scene = bpy.context.scene
    scene.frame_set(first)
    before = shown(obj)
    obj.cutis.live = True
    check(not live.errors, str(live.errors))
    modifier = bridge.armature_modifier(obj)
    check(not modifier.show_viewport, "the armature deforms too: twice")
    check(np.abs(shown(obj) - before).max() < 0.02 * np.ptp(before, axis=0).max(), "the first frame is elsewhere")
    times, own = [], []
    for frame in range(first, min(first + 20, last) + 1):
        begun = time.perf_counter()
        with live.paused():
            scene.frame_set(frame)
        armature_only = time.perf_counter() - begun
        begun = time.perf_counter()
        own.append(live.update(obj, bpy.context.evaluated_depsgraph_get(), frame))
        times.append(1000 * (time.perf_counter() - begun))
    over = np.median(np.array(times) - np.array(own))
    print(f"RESULT live {character}: {np.median(own):.2f} ms solve, {over:.2f} ms over it, {len(obj.data.vertices)} vertices")
    check(over < 5 or np.median(own) > 50, f"{over:.2f} ms over the solve")

    # Through the handler: the same as the package in that pose.
    scene.frame_set(last)
    scene.frame_set(first + 5)
    jumped = shown(obj)
    session = sessions.of(obj)
    pose = session.bridge.pose(modifier.object.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    alone = cutis.Solver(session.rig, "tracking", tracking={"history": "stateless"}).solve(pose).positions
    local = np.linalg.inv(np.array(obj.matrix_world))
    check(np.abs(jumped @ local[:3, :3].T + local[:3, 3] - session.bridge.to_object(alone)).max() < 1e-5, "a jump is not stateless")
    check(not live.errors, str(live.errors))

    # A pose by hand.
    bone = modifier.object.pose.bones[session.bridge.bones[1]]
    modifier.object.animation_data_clear()
    bone.rotation_mode = "XYZ"
    bone.rotation_euler[0] += 0.5
    bpy.context.view_layer.update()
    check(np.abs(shown(obj) - jumped).max() > 1e-3, "the skin does not follow a pose made by hand")

    obj.cutis.live = False
    check(modifier.show_viewport and obj.data.shape_keys.key_blocks[bridge.SHAPE_KEY].mute, "not switched off")
    check(bpy.ops.cutis.clear() == {"FINISHED"}, "clear failed")
    check(obj.data.shape_keys is None, "a shape key is left")


def undo_case():
    """Undo takes back a pose, a bake, live and an edited mesh; what is bound follows."""
    obj, _ = imported("builtin:cylinder")
    first, _ = use_clip(obj, "bend")
    name, armature = obj.name, bridge.armature_modifier(obj).object.name
    bpy.data.objects[armature].animation_data_clear()

    def mesh():
        return bpy.data.objects[name]

    def bend(angle):
        bone = bpy.data.objects[armature].pose.bones[1]
        bone.rotation_mode = "XYZ"
        bone.rotation_euler[0] = angle
        bpy.context.view_layer.update()

    def step(text, action):
        action()
        bpy.ops.ed.undo_push(message=text)
        return shown(mesh())

    def undone():
        check(bpy.ops.ed.undo() == {"FINISHED"}, "nothing to undo")
        bpy.context.view_layer.update()
        check(not live.errors, str(live.errors))
        return shown(mesh())

    def select():
        bpy.context.view_layer.objects.active = mesh()

    def live_on():
        mesh().cutis.live = True

    def armature_shows():
        return bridge.armature_modifier(mesh()).show_viewport

    start = step("start", lambda: None)
    live_first = step("live", live_on)
    a = step("a", lambda: bend(0.4))
    b = step("b", lambda: bend(0.9))
    check(np.abs(b - a).max() > 0.05, "the skin does not follow")
    check(np.abs(undone() - a).max() < 1e-6, "undo of a pose leaves the skin elsewhere")
    again = step("b again", lambda: bend(0.9))
    check(np.abs(again - b).max() < 0.02, "after undo the skin does not follow any more")
    undone()
    check(np.abs(undone() - live_first).max() < 1e-6, "undo of the first pose")
    check(np.abs(undone() - start).max() < 1e-6 and not mesh().cutis.live and armature_shows(), "undo of live")

    def bake():
        bpy.context.scene.frame_end = first + 2
        mesh().cutis.bake_file = str(scratch / "undo.pc2")
        select()
        check(bpy.ops.cutis.bake() == {"FINISHED"}, "bake failed")

    step("bake", bake)
    check(bridge.CACHE in mesh().modifiers and not armature_shows(), "not baked")
    check(np.abs(undone() - start).max() < 1e-6, "undo of a bake shows something else")
    check(bridge.CACHE not in mesh().modifiers and armature_shows(), "undo of a bake leaves it")

    def subdivide():
        select()
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide()
        bpy.ops.object.mode_set(mode="OBJECT")

    before = sessions.of(mesh())
    step("subdivided", subdivide)
    check(sessions.of(mesh()).bridge.vertices == len(mesh().data.vertices) > before.bridge.vertices, "a session of another mesh")
    undone()
    check(sessions.of(mesh()).bridge.vertices == len(mesh().data.vertices) == before.bridge.vertices, "a session of a mesh that is gone")
    print("RESULT undo: poses, live, bake and mesh")


def tools_case():
    """Weights, measures, painted regions, shape keys, messages."""
    obj, _ = imported("builtin:cylinder")
    first, last = use_clip(obj, "bend")
    scene = bpy.context.scene
    groups = len(obj.vertex_groups)
    obj.cutis.weights = "heat"
    check(bpy.ops.cutis.weights() == {"FINISHED"}, "weights failed")
    check(len(obj.vertex_groups) == groups, "groups were lost")
    check(all(abs(sum(g.weight for g in v.groups) - 1) < 1e-4 for v in obj.data.vertices), "weights do not sum to 1")
    scene.frame_set((first + last) // 2)
    obj.cutis.measure = "intersects"
    check(bpy.ops.cutis.measure() == {"FINISHED"}, "measure failed")
    colors = np.empty(4 * len(obj.data.vertices), np.float32)
    obj.data.color_attributes["cutis_intersects"].data.foreach_get("color", colors)
    check(np.unique(colors.reshape(-1, 4), axis=0).shape[0] == 2, "linear blend skinning intersects, and is not coloured")
    pairs = obj["cutis_measured"]
    obj.cutis.bake_to = "keys"
    scene.frame_start, scene.frame_end = first, first + 3
    group = obj.vertex_groups.new(name=bridge.STIFF_GROUP)
    group.add(list(range(50)), 1.0, "REPLACE")
    preset = bridge.Bridge(obj).preset(obj)
    check(preset["regions"][0]["stiffness"] == 1 and len(preset["regions"][0]["vertices"]) == 50, str(preset))
    obj.vertex_groups.new(name=bridge.SLIDE_GROUP).add(list(range(20)), 1.0, "REPLACE")
    regions = bridge.Bridge(obj).preset(obj)["regions"]
    check([(r["stiffness"], len(r["vertices"])) for r in regions] == [(1, 50), (0, 20)], str(regions))  # the later one holds
    obj.vertex_groups.remove(obj.vertex_groups[bridge.SLIDE_GROUP])
    (scratch / "preset.json").write_text('{"all_joints": {"operator": "bulge"}, "regions": [{"name": "x", "vertices": [1]}]}')
    obj.cutis.preset = str(scratch / "preset.json")
    preset = bridge.Bridge(obj).preset(obj)
    check(preset["all_joints"] == {"operator": "bulge"} and len(preset["regions"]) == 2, str(preset))
    check(bpy.ops.cutis.bind() == {"FINISHED"}, "bind with a region failed")
    check({p["operator"] for p in sessions.of(obj).rig.report["parts"]} >= {"bulge"}, "the preset is not heeded")
    check(bpy.ops.cutis.bake() == {"FINISHED"}, "bake to keys failed")
    check(sum(k.name.startswith("Cutis 0") for k in obj.data.shape_keys.key_blocks) == 4, "no shape key a frame")
    scene.frame_set(first + 2)
    baked = shown(obj)
    key = np.empty(3 * len(obj.data.vertices), np.float32)
    obj.data.shape_keys.key_blocks[f"Cutis {first + 2:04d}"].data.foreach_get("co", key)
    world = np.array(obj.matrix_world)
    check(np.abs(baked - (key.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])).max() < 1e-5, "the frame is not its key")
    check(bpy.ops.cutis.clear() == {"FINISHED"}, "clear failed")
    check(obj.data.shape_keys is None, "keys are left")

    # Messages instead of damage.
    def refused(operator, words):
        try:
            operator()
        except RuntimeError as why:
            check(words in str(why), f"'{words}' is not in: {why}")
            return
        raise AssertionError(f"{words}: not refused")

    (scratch / "preset.json").write_text("{")
    refused(bpy.ops.cutis.bind, "cannot be read")
    obj.cutis.preset = ""
    obj.cutis.bake_to = "cache"
    obj.cutis.bake_file = ""
    refused(bpy.ops.cutis.bake, "save the .blend file first")
    mirror = obj.modifiers.new("Mirror", "MIRROR")
    with bpy.context.temp_override(object=obj, active_object=obj):
        bpy.ops.object.modifier_move_to_index(modifier="Mirror", index=0)
    sessions.forget()
    refused(bpy.ops.cutis.bind, "Mirror")
    obj.modifiers.remove(mirror)
    armature = bridge.armature_modifier(obj).object
    for name in list(obj.vertex_groups.keys()):
        obj.vertex_groups.remove(obj.vertex_groups[name])
    for bone in armature.data.bones:
        bone.use_deform = False
    refused(bpy.ops.cutis.weights, "no bone")
    print(f"RESULT tools: {pairs}")


def example():
    """A script of the documentation. FILE..."""
    obj, _ = imported("builtin:cylinder")
    first, _ = use_clip(obj, "bend")
    bpy.context.scene.frame_end = first + 4
    for file in rest:
        exec(compile(pathlib.Path(file).read_text(encoding="utf-8"), file, "exec"), {})
    check(not live.errors, str(live.errors))


{"bake": bake, "file": file_case, "live": live_case, "tools": tools_case, "undo": undo_case, "example": example}[case]()
bpy.ops.preferences.addon_disable(module="cutis_blender")
print("PASSED")
