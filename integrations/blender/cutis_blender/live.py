"""Live: the skin follows the timeline and the pose. Frames that follow each other are tracked; after a jump the skin is found
from the pose alone, and tracked from there on."""
import bpy
import numpy as np
from bpy.app.handlers import persistent

from . import bridge, sessions

_busy = False
errors = {}


def update(obj, depsgraph, frame):
    """Solves the object's pose and shows it. Returns the solver's milliseconds."""
    session = sessions.of(obj)
    settings = obj.cutis
    armature = bpy.data.objects.get(session.bridge.armature_name)
    pose = session.bridge.pose(armature.evaluated_get(depsgraph))
    time = frame / (depsgraph.scene.render.fps / depsgraph.scene.render.fps_base)
    if session.is_undoing:  # the shape came back with the pose: it is tracked on from there
        session.is_undoing, session.stale, session.last_frame = False, True, frame
        session.undone = pose
        return 0.0
    if session.undone is not None and frame == session.last_frame and np.array_equal(pose, session.undone):
        return 0.0
    session.undone = None
    last = session.last_frame
    follows = last is not None and 0 <= frame - last <= 2
    solver = session.solver(settings)
    if follows and session.stale:
        solved = solver.seek(pose, time=time)
    elif follows or settings.method != "tracking":
        solved = solver.solve(pose, time=time)
    else:
        solved = session.solver(settings, "stateless").solve(pose, time=time)
    session.stale = not follows and settings.method == "tracking"
    session.last_frame = frame
    bridge.write_key(obj, session.bridge.to_object(solved.positions))
    return solved.milliseconds


def update_all(scene, depsgraph, only=None):
    global _busy
    if _busy:
        return
    _busy = True
    try:
        for obj in scene.objects:
            if obj.type != "MESH" or not obj.cutis.live:
                continue
            modifier = bridge.armature_modifier(obj)
            if modifier is None or (only is not None and modifier.object.name_full not in only):
                continue
            try:
                update(obj, depsgraph, scene.frame_current_final)
                errors.pop(obj.name_full, None)
            except Exception as why:  # a handler that raises is removed by Blender: the panel tells instead
                errors[obj.name_full] = str(why)
    finally:
        _busy = False


class paused:
    """Handlers do nothing meanwhile."""

    def __enter__(self):
        global _busy
        self.before, _busy = _busy, True

    def __exit__(self, *_):
        global _busy
        _busy = self.before


@persistent
def on_frame(scene, depsgraph=None):
    update_all(scene, depsgraph or bpy.context.evaluated_depsgraph_get())


@persistent
def on_update(scene, depsgraph=None):
    """The pose was changed by hand."""
    if _busy or depsgraph is None:
        return
    moved = {u.id.original.name_full for u in depsgraph.updates
             if isinstance(u.id, bpy.types.Object) and u.id.type == "ARMATURE"}
    if moved:
        update_all(scene, depsgraph, moved)


@persistent
def on_undo(scene, *_):
    """Undo, and redo."""
    for obj in scene.objects:
        session = sessions.of(obj, make=False) if obj.type == "MESH" and obj.cutis.live else None
        if session is not None:
            session.is_undoing = True
    update_all(scene, bpy.context.evaluated_depsgraph_get())


@persistent
def on_load(*_):
    sessions.forget()
    errors.clear()


HANDLERS = (("frame_change_post", on_frame), ("depsgraph_update_post", on_update), ("undo_post", on_undo), ("redo_post", on_undo),
            ("load_post", on_load))


def register():
    for name, handler in HANDLERS:
        getattr(bpy.app.handlers, name).append(handler)


def unregister():
    for name, handler in HANDLERS:
        handlers = getattr(bpy.app.handlers, name)
        if handler in handlers:
            handlers.remove(handler)
    sessions.forget()
