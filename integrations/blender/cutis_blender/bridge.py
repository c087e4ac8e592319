"""Between Blender's objects and the arrays of Cutis.

Cutis works in the armature's space, turned to +Y up as glTF has it: axes are swapped, no number is rounded by it. A bone is a
joint; bones that do not deform only carry transforms. Vertices in no bone's group stay where they are in Blender: they hang on
a joint of their own that never moves."""
import json

import bpy
import numpy as np

STILL = "cutis: no bone"
SHAPE_KEY, CACHE = "Cutis", "Cutis Cache"
STIFF_GROUP, SLIDE_GROUP, NO_CONTACT_GROUP = "cutis_stiff", "cutis_slide", "cutis_no_contact"
# Blender's x, y, z are x, -z, y of glTF.
FROM_BLENDER = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], float)


class Problem(Exception):
    """A sentence for the person at the screen."""


def armature_modifier(obj):
    """The first one that has an armature; None."""
    if obj is None or obj.type != "MESH":
        return None
    return next((m for m in obj.modifiers if m.type == "ARMATURE" and m.object is not None), None)


def check(obj):
    modifier = armature_modifier(obj)
    if modifier is None:
        raise Problem("select a mesh that an armature modifier deforms")
    for other in obj.modifiers:
        if other == modifier:
            break
        if other.type in {"ARRAY", "BEVEL", "BOOLEAN", "BUILD", "DECIMATE", "EDGE_SPLIT", "MASK", "MIRROR", "MULTIRES", "NODES",
                          "REMESH", "SCREW", "SKIN", "SOLIDIFY", "SUBSURF", "TRIANGULATE", "VOLUME_TO_MESH", "WELD",
                          "WIREFRAME"} and other.show_viewport:
            raise Problem(f"the modifier '{other.name}' changes the mesh before the armature does; apply it, or move it below")
    if len(obj.data.vertices) == 0 or len(obj.data.polygons) == 0:
        raise Problem(f"{obj.name} has no faces")
    return modifier


def to_cutis(points):
    """(n,3) of Blender's axes as glTF's."""
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def to_blender(points):
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)


def transformed(points, matrix):
    if np.array_equal(matrix, np.eye(4)):
        return points
    return (points @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)


class Bridge:
    """What was read of an object when it was bound; fits() says whether that still holds."""

    def __init__(self, obj):
        modifier = check(obj)
        self.armature_name = modifier.object.name_full
        armature = modifier.object
        self.vertices = len(obj.data.vertices)
        self.bones = [b.name for b in armature.data.bones]  # parents first
        if not self.bones:
            raise Problem(f"the armature {armature.name} has no bones")
        index = {name: i for i, name in enumerate(self.bones)}
        of = armature.data.bones
        self.parents = [-1 if of[n].parent is None else index[of[n].parent.name] for n in self.bones]
        self.is_bone = [of[n].use_deform for n in self.bones]
        if not any(self.is_bone):
            raise Problem(f"no bone of {armature.name} deforms; switch Deform on for those that should")
        self.rest = [FROM_BLENDER @ np.array(of[n].matrix_local, float) for n in self.bones]
        self.group_bone = {g.index: index[g.name] for g in obj.vertex_groups if g.name in index and self.is_bone[index[g.name]]}
        self.armature_from_object = np.array(armature.matrix_world.inverted() @ obj.matrix_world, float)
        joints, weights, bare = self._weights(obj)
        self.still = bool(bare.any())
        if self.still:  # in no bone's group
            joints[bare, 0], weights[bare, 0] = len(self.bones), 1
            self.parents.append(-1)
            self.is_bone.append(True)
            self.rest.append(FROM_BLENDER.copy())
        self.joints, self.weights = joints, weights
        self.rest = np.array(self.rest)
        self.mesh_name = obj.data.name_full

    def _weights(self, obj):
        rows = []
        for v in obj.data.vertices:
            rows.append([(self.group_bone[g.group], g.weight) for g in v.groups if g.group in self.group_bone and g.weight > 0])
        most = max(max((len(r) for r in rows), default=1), 1)
        joints = np.zeros((len(rows), most), np.uint32)
        weights = np.zeros((len(rows), most), np.float32)
        for i, row in enumerate(rows):
            for k, (joint, weight) in enumerate(row):
                joints[i, k], weights[i, k] = joint, weight
        return joints, weights, weights.sum(axis=1) == 0

    def fits(self, obj):
        modifier = armature_modifier(obj)
        return (modifier is not None and modifier.object.name_full == self.armature_name
                and len(obj.data.vertices) == self.vertices and obj.data.name_full == self.mesh_name
                and all(n in modifier.object.data.bones for n in self.bones))

    def character(self, obj, context, with_weights=True):
        from .package import cutis
        mesh = obj.data
        vertices = self.from_object(self.rest_points(obj))
        mesh.calc_loop_triangles()
        faces = np.empty(3 * len(mesh.loop_triangles), np.int32)
        mesh.loop_triangles.foreach_get("vertices", faces)
        names = self.bones + ([STILL] if self.still else [])
        return cutis.Character.from_arrays(
            vertices, faces.reshape(-1, 3), names, self.parents, self.rest, self.weights if with_weights else None,
            self.joints if with_weights else None, is_bone=self.is_bone, name=obj.name, context=context)

    def rest_points(self, obj):
        """(n,3) in the object's space, without shape keys."""
        positions = np.empty(3 * self.vertices, np.float32)
        keys = obj.data.shape_keys
        (keys.reference_key.data if keys is not None else obj.data.vertices).foreach_get("co", positions)
        return positions.reshape(-1, 3)

    def from_object(self, points):
        """The object's points as Cutis has them."""
        return to_cutis(transformed(points, self.armature_from_object))

    def to_object(self, points):
        """And back."""
        return transformed(to_blender(points), np.linalg.inv(self.armature_from_object))

    def pose(self, armature):
        """(J,4,4) of an evaluated armature: the bones' frames."""
        bones = armature.pose.bones
        frames = np.empty((len(self.parents), 4, 4))
        for i, name in enumerate(self.bones):
            frames[i] = bones[name].matrix
        if self.still:
            frames[-1] = np.eye(4)
        return FROM_BLENDER @ frames

    def preset(self, obj, number=int):
        """The object's preset file, with the regions that are painted as vertex groups. number: of a vertex in Cutis."""
        preset = {}
        if obj.cutis.preset:
            file = bpy.path.abspath(obj.cutis.preset)
            try:
                with open(file, encoding="utf-8") as text:
                    preset = json.load(text)
                if not isinstance(preset, dict):
                    raise ValueError("it is no JSON object")
            except (OSError, ValueError) as why:
                raise Problem(f"the preset {file} cannot be read: {why}") from why
        regions = list(preset.get("regions", []))
        stiff, slide, free = (obj.vertex_groups.get(n) for n in (STIFF_GROUP, SLIDE_GROUP, NO_CONTACT_GROUP))
        if stiff is None and slide is None and free is None:
            return preset or None
        steps, sliding, out = {}, [], []
        for v in obj.data.vertices:
            for g in v.groups:
                if stiff is not None and g.group == stiff.index and g.weight > 0.05:
                    steps.setdefault(max(round(g.weight * 4), 1) / 4, []).append(number(v.index))
                if slide is not None and g.group == slide.index and g.weight > 0.5:
                    sliding.append(number(v.index))
                if free is not None and g.group == free.index and g.weight > 0.5:
                    out.append(number(v.index))
        for amount, vertices in sorted(steps.items()):
            regions.append({"name": f"{STIFF_GROUP} {amount}", "vertices": vertices, "stiffness": amount})
        if sliding:  # also where the preset or the other group has it stiff: what comes later holds
            regions.append({"name": SLIDE_GROUP, "vertices": sliding, "stiffness": 0})
        if out:
            regions.append({"name": NO_CONTACT_GROUP, "vertices": out, "stiffness": 0, "contact": False})
        return {**preset, "regions": regions} if regions else preset or None


# ---- what is shown: the armature's skin, a shape key (live), or a cache (baked) ----

def show(obj, what):
    """"armature", "live" or "baked": one of them deforms the mesh, never two."""
    modifier = armature_modifier(obj)
    if modifier is None:
        raise Problem("the armature modifier is gone")
    if what == "armature":
        was = obj.get("cutis_armature_was")
        if was is not None:
            modifier.show_viewport, modifier.show_render = bool(was[0]), bool(was[1])
            del obj["cutis_armature_was"]
    else:
        if "cutis_armature_was" not in obj:
            obj["cutis_armature_was"] = [int(modifier.show_viewport), int(modifier.show_render)]
        modifier.show_viewport = modifier.show_render = False
    cache = obj.modifiers.get(CACHE)
    if cache is not None:
        cache.show_viewport = cache.show_render = what == "baked"
    keys = obj.data.shape_keys
    if keys is not None and SHAPE_KEY in keys.key_blocks:
        key = keys.key_blocks[SHAPE_KEY]
        key.mute, key.value = what != "live", 1.0


def live_key(obj):
    keys = obj.data.shape_keys
    if keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
        keys = obj.data.shape_keys
    if SHAPE_KEY not in keys.key_blocks:
        obj.shape_key_add(name=SHAPE_KEY, from_mix=False)
    return keys.key_blocks[SHAPE_KEY]


def write_key(obj, points):
    live_key(obj).data.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    obj.data.update()
