"""Bind, bake, weights, measure, clear."""
import os
import pathlib
import struct
import time

import bpy
import numpy as np

from . import bridge, live, sessions, source


def _failed(operator, why):
    operator.report({"ERROR"}, str(why))
    return {"CANCELLED"}


class _OfSkinned(bpy.types.Operator):
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.mode == "OBJECT" and bridge.armature_modifier(context.object) is not None


class CUTIS_OT_bind(_OfSkinned):
    bl_idname = "cutis.bind"
    bl_label = "Bind"
    bl_description = "Fit the implicit skin to the mesh at rest, with its weights, painted regions and armature"

    def execute(self, context):
        try:
            began = time.time()
            session = sessions.bind(context.object)
            report = session.rig.report
        except Exception as why:
            return _failed(self, why)
        parts = sum(p["shape"] != "none" for p in report["parts"])
        self.report({"INFO"}, f"{parts} parts, {report['vertices']} vertices, {time.time() - began:.1f} s")
        return {"FINISHED"}


class CUTIS_OT_weights(_OfSkinned):
    bl_idname = "cutis.weights"
    bl_label = "Make Weights"
    bl_description = "New weights for all bones that deform, in place of their vertex groups"

    def execute(self, context):
        obj = context.object
        try:
            from .package import cutis
            b = bridge.Bridge(obj)
            if b.still:  # weights are for all vertices now
                b.parents, b.is_bone, b.rest, b.still = b.parents[:-1], b.is_bone[:-1], b.rest[:-1], False
            character = b.character(obj, cutis.Context(log=sessions.messages.append), with_weights=False)
            report = character.make_weights(obj.cutis.weights, keep_helpers=False)
            joints, weights = character.weights
        except Exception as why:
            return _failed(self, why)
        for name, deforms in zip(b.bones, b.is_bone):
            group = obj.vertex_groups.get(name)
            if group is not None:
                obj.vertex_groups.remove(group)
            if deforms:
                obj.vertex_groups.new(name=name)
        for bone in np.unique(joints[weights > 0]):
            group = obj.vertex_groups[b.bones[bone]]
            for v, k in zip(*np.nonzero((joints == bone) & (weights > 0))):
                group.add([int(v)], float(weights[v, k]), "REPLACE")
        sessions.forget(obj)
        notes = "".join(f"; {f['what']} ({f['count']})" for f in report["fallbacks"])
        self.report({"INFO"}, f"{report['weighted_bones']} of {report['bones']} bones have vertices{notes}")
        return {"FINISHED"}


class CUTIS_OT_measure(_OfSkinned):
    bl_idname = "cutis.measure"
    bl_label = "Measure"
    bl_description = "Measure the shape as it is now, and colour it (colour attribute cutis_…)"

    def execute(self, context):
        obj = context.object
        try:
            from .package import cutis
            session = sessions.of(obj)
            mesh = obj.evaluated_get(context.evaluated_depsgraph_get()).to_mesh()
            if len(mesh.vertices) != session.bridge.vertices:
                raise bridge.Problem("modifiers change the number of vertices; mute them for measuring")
            points = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.vertices.foreach_get("co", points)
            metrics = cutis.Metrics(session.character, per_vertex=True, context=session.context)
            report = metrics.measure(session.bridge.from_object(points.reshape(-1, 3)))
            kind = obj.cutis.measure
            values = metrics.vertices(kind)
        except Exception as why:
            return _failed(self, why)
        finally:
            obj.evaluated_get(context.evaluated_depsgraph_get()).to_mesh_clear()
        # How much of red: stretch from 1 to 2 (as a factor, either way), roughness to 40 degrees.
        amount = {"intersects": values, "roughness": values / 40, "stretch": np.abs(np.log2(np.maximum(values, 1e-3)))}[kind]
        amount = np.clip(amount, 0, 1)[:, None]
        colors = np.ones((len(values), 4), np.float32)
        colors[:, :3] = (1 - amount) * np.array([0.8, 0.8, 0.8]) + amount * np.array([0.9, 0.02, 0.02])
        name = f"cutis_{kind}"
        layers = obj.data.color_attributes
        if name in layers:
            layers.remove(layers[name])
        layer = layers.new(name=name, type="FLOAT_COLOR", domain="POINT")
        layer.data.foreach_set("color", colors.ravel())
        layers.active_color = layers[name]
        obj["cutis_measured"] = (f"{report['intersecting_pairs']:.0f} intersecting pairs, {report['folds']:.0f} folds, "
                                 f"stretch {report['stretch_max']:.2f}")
        self.report({"INFO"}, obj["cutis_measured"])
        return {"FINISHED"}


class _Bake:
    """Poses of all frames first, then the frames, a little at a time."""

    def __init__(self, context):
        self.scene, self.obj = context.scene, context.object
        self.name = self.obj.name_full
        self.settings = self.obj.cutis
        self.session = sessions.of(self.obj)
        self.first, self.last = self.scene.frame_start, self.scene.frame_end
        self.count = self.last - self.first + 1
        self.frame_before = self.scene.frame_current
        self.fps = self.scene.render.fps / self.scene.render.fps_base
        self.poses, self.source = [], None
        if self.settings.bake_from == "file":
            self.source = source.Source(self.obj, self.session.bridge, self.session.context)
            self.clip = self.source.clip(self.obj)
            self.times = self.source.character.times(self.clip, fps=self.fps)
            self.first, self.count = float(self.times[0] * self.fps), len(self.times)
        self.file = self.partial = None
        if self.settings.bake_to == "cache":
            given = bpy.path.abspath(self.settings.bake_file)
            if not given:
                if not bpy.data.filepath:
                    raise bridge.Problem("save the .blend file first, or choose a file for the bake")
                given = bpy.path.abspath(f"//{bpy.path.clean_name(self.obj.name)}_cutis.pc2")
            self.file = pathlib.Path(given)
            self.partial = self.file.with_name(self.file.name + ".part")
        self.shapes = []
        self.done = 0

    def steps(self):
        """Does a piece of the work between any two yields, which say how much is done."""
        armature = bpy.data.objects[self.session.bridge.armature_name]
        with live.paused():
            for frame in range(self.first, self.last + 1) if self.source is None else ():
                self.scene.frame_set(frame)
                evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
                self.poses.append(self.session.bridge.pose(evaluated))
                yield 0.1 * len(self.poses) / self.count
        out = None
        if self.partial is not None:
            self.partial.parent.mkdir(parents=True, exist_ok=True)
            out = open(self.partial, "wb")
            out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, self.session.bridge.vertices, self.first, 1.0, self.count))
        try:
            from .package import cutis
            options = {"contact_pass": bool(self.settings.contact)}
            if self.source is None:
                rig, played, to_object = self.session.rig, {"clip": np.array(self.poses), "fps": self.fps}, self.session.bridge.to_object
            else:
                rig = self.source.character.bind(self.session.bridge.preset(self.obj, lambda v: int(self.source.match[v])))
                played, to_object = {"clip": self.clip, "times": self.times}, self.source.to_object
            solver = cutis.Solver(rig, self.settings.method, **options)
            for frame in solver.play(**played):
                points = np.ascontiguousarray(to_object(frame.positions), np.float32)
                if out is not None:
                    out.write(points.tobytes())
                else:
                    self.shapes.append(points)
                self.done += 1
                yield 0.1 + 0.9 * self.done / self.count
        finally:
            if out is not None:
                out.close()

    def finish(self):
        obj = bpy.data.objects[self.name]
        with live.paused():
            if obj.cutis.live:
                obj.cutis.live = False
        clear_bake(obj)
        if self.partial is not None:
            os.replace(self.partial, self.file)
            cache = obj.modifiers.new(bridge.CACHE, "MESH_CACHE")
            cache.cache_format, cache.filepath = "PC2", str(self.file)
            cache.frame_start, cache.deform_mode, cache.play_mode = self.first, "OVERWRITE", "SCENE"
            # Where the armature is, so that what comes after it still does.
            at = list(obj.modifiers).index(bridge.armature_modifier(obj))
            override = {"object": obj, "active_object": obj}
            if hasattr(bpy.context, "temp_override"):
                with bpy.context.temp_override(**override):
                    bpy.ops.object.modifier_move_to_index(modifier=bridge.CACHE, index=at)
            bridge.show(obj, "baked")
        else:
            bridge.live_key(obj)
            bridge.show(obj, "baked")  # the keys below deform, the armature does not
            for i, points in enumerate(self.shapes):
                key = obj.shape_key_add(name=f"{bridge.SHAPE_KEY} {round(self.first) + i:04d}", from_mix=False)
                key.data.foreach_set("co", points.ravel())
                for offset, value in ((-1, 0.0), (0, 1.0), (1, 0.0)):
                    key.value = value
                    key.keyframe_insert("value", frame=self.first + i + offset)
            action = obj.data.shape_keys.animation_data.action
            for curve in action.fcurves:
                for point in curve.keyframe_points:
                    point.interpolation = "LINEAR"
        self.scene.frame_set(self.frame_before)

    def abandon(self):
        if self.partial is not None and self.partial.exists():
            self.partial.unlink()
        self.scene.frame_set(self.frame_before)


def clear_bake(obj):
    cache = obj.modifiers.get(bridge.CACHE)
    if cache is not None:
        obj.modifiers.remove(cache)
    keys = obj.data.shape_keys
    if keys is not None:
        for key in [k for k in keys.key_blocks if k.name.startswith(bridge.SHAPE_KEY + " ")]:
            key.driver_remove("value")
            if keys.animation_data is not None and keys.animation_data.action is not None:
                for curve in [c for c in keys.animation_data.action.fcurves if f'"{key.name}"' in c.data_path]:
                    keys.animation_data.action.fcurves.remove(curve)
            obj.shape_key_remove(key)


class CUTIS_OT_bake(_OfSkinned):
    bl_idname = "cutis.bake"
    bl_label = "Bake"
    bl_description = "Solve the frames of the scene and keep them; the armature modifier is kept, and muted"

    def execute(self, context):
        """Without a window, or from a script: in one go."""
        bake = None
        try:
            bake = _Bake(context)
            manager = context.window_manager
            manager.progress_begin(0, 1)
            for done in bake.steps():
                manager.progress_update(done)
            manager.progress_end()
            bake.finish()
        except Exception as why:
            if bake is not None:
                bake.abandon()
            return _failed(self, why)
        self.report({"INFO"}, f"{bake.count} frames{f' in {bake.file}' if bake.file else ''}")
        return {"FINISHED"}

    def invoke(self, context, event):
        if bpy.app.background:
            return self.execute(context)
        try:
            self.bake = _Bake(context)
            self.steps = self.bake.steps()
        except Exception as why:
            return _failed(self, why)
        manager = context.window_manager
        self.timer = manager.event_timer_add(0.01, window=context.window)
        manager.progress_begin(0, 1)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _end(self, context):
        manager = context.window_manager
        manager.event_timer_remove(self.timer)
        manager.progress_end()
        context.workspace.status_text_set(None)

    def modal(self, context, event):
        if event.type == "ESC":
            self.steps.close()
            self.bake.abandon()
            self._end(context)
            self.report({"INFO"}, "the bake was stopped; nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            end = time.time() + 0.05
            while time.time() < end:
                done = next(self.steps, None)
                if done is None:
                    self.bake.finish()
                    self._end(context)
                    self.report({"INFO"}, f"{self.bake.count} frames")
                    return {"FINISHED"}
            context.window_manager.progress_update(done)
            context.workspace.status_text_set(f"Cutis: {done:.0%} of {self.bake.count} frames    Esc: stop")
        except Exception as why:
            self.bake.abandon()
            self._end(context)
            return _failed(self, why)
        return {"RUNNING_MODAL"}


class CUTIS_OT_clear(_OfSkinned):
    bl_idname = "cutis.clear"
    bl_label = "Clear"
    bl_description = "Remove the live skin and the bake; the armature deforms the mesh again"

    def execute(self, context):
        obj = context.object
        try:
            obj.cutis.live = False
            clear_bake(obj)
            keys = obj.data.shape_keys
            if keys is not None and bridge.SHAPE_KEY in keys.key_blocks:
                obj.shape_key_remove(keys.key_blocks[bridge.SHAPE_KEY])
                keys = obj.data.shape_keys
                if keys is not None and len(keys.key_blocks) == 1:
                    obj.shape_key_remove(keys.reference_key)
            bridge.show(obj, "armature")
            sessions.forget(obj)
        except Exception as why:
            return _failed(self, why)
        return {"FINISHED"}


CLASSES = (CUTIS_OT_bind, CUTIS_OT_weights, CUTIS_OT_measure, CUTIS_OT_bake, CUTIS_OT_clear)


def register():
    for c in CLASSES:
        bpy.utils.register_class(c)


def unregister():
    for c in reversed(CLASSES):
        bpy.utils.unregister_class(c)
