"""The file that a mesh was imported from: its own clips on its own numbers.

Blender keeps rest matrices and poses in floats, and importers turn bones, so that a pose read from the scene is the file's only
to rounding. A bake from the file has the frames that `cutis animate` writes, to the bit: vertices are matched at rest, and axes
are swapped."""
import bpy
import mathutils
import numpy as np

from . import bridge

SAME_PLACE = 1e-4  # of the character's size


class Source:
    def __init__(self, obj, of_object, context):
        from .package import cutis
        self.file = bpy.path.abspath(obj.cutis.source)
        if not self.file:
            raise bridge.Problem("choose the file that the mesh was imported from, or bake from the scene")
        self.character = cutis.Character.load(self.file, context=context)
        self.object_from_world = np.linalg.inv(np.array(obj.matrix_world, float))
        self.match = self._match(obj, of_object)

    def _match(self, obj, of_object):
        """For each vertex of the mesh, the file's at the same place."""
        vertices = self.character.vertices
        tree = mathutils.kdtree.KDTree(len(vertices))
        for i, p in enumerate(bridge.to_blender(vertices)):
            tree.insert(p, i)
        tree.balance()
        matrix = np.array(obj.matrix_world, float)
        points = of_object.rest_points(obj).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
        found = [tree.find(p) for p in points]
        far = max(d for _, _, d in found)
        if far > SAME_PLACE * np.ptp(vertices, axis=0).max():
            elsewhere = sum(d > SAME_PLACE * np.ptp(vertices, axis=0).max() for _, _, d in found)
            raise bridge.Problem(f"{obj.name} is not the mesh of {self.file}: {elsewhere} of its {len(points)} vertices lie elsewhere "
                                 f"at rest, {far:.4g} at most; import the file anew, or bake from the scene")
        return np.array([i for _, i, _ in found])

    def clip(self, obj):
        """The name that was chosen, or that of the armature's action."""
        names = [c.name for c in self.character.clips]
        wanted = obj.cutis.source_clip
        if wanted:
            if wanted not in names:
                raise bridge.Problem(f"{self.file} has no clip '{wanted}'; it has {', '.join(names) or 'none'}")
            return wanted
        data = bridge.armature_modifier(obj).object.animation_data
        action = data.action.name if data is not None and data.action is not None else ""
        fitting = [n for n in names if n and action.startswith(n)]  # importers add the armature's name
        if fitting:
            return max(fitting, key=len)
        if len(names) == 1:
            return names[0]
        raise bridge.Problem(f"choose a clip of {self.file}: {', '.join(names) or 'it has none'}")

    def to_object(self, points):
        """A frame of the file's character as the object's points."""
        return bridge.transformed(bridge.to_blender(points[self.match]), self.object_from_world)
