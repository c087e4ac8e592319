"""What a person chooses, kept with the object."""
import bpy

from . import bridge


def _live_changed(self, context):
    from . import live
    obj = self.id_data
    try:
        if self.live:
            bridge.check(obj)
            bridge.live_key(obj)
            bridge.show(obj, "live")
            if context is not None:
                live.update_all(context.scene, context.evaluated_depsgraph_get())
        else:
            bridge.show(obj, "armature")
    except Exception as why:
        live.errors[obj.name_full] = str(why)
        if self.live:
            self.live = False


class CutisSettings(bpy.types.PropertyGroup):
    preset: bpy.props.StringProperty(
        name="Preset", subtype="FILE_PATH", description="Settings of joints, fields and muscles (JSON); read by Bind", default="")
    live: bpy.props.BoolProperty(
        name="Live", description="The skin follows the timeline and the pose; the armature modifier is muted meanwhile",
        default=False, update=_live_changed)
    method: bpy.props.EnumProperty(
        name="Method", items=[("tracking", "Tracking", "The skin follows the moving fields, from frame to frame"),
                              ("implicit", "Implicit", "Smooth skinning, corrected on the implicit skin: each frame by itself"),
                              ("dqs", "Dual quaternions", "Smooth skinning"), ("lbs", "Linear", "Smooth skinning")],
        default="tracking")
    contact: bpy.props.BoolProperty(
        name="Contact", description="Folds and limbs touch instead of passing through each other", default=True)
    bake_to: bpy.props.EnumProperty(
        name="Bake to", items=[("cache", "Mesh cache", "A PC2 file, read by a Mesh Cache modifier"),
                               ("keys", "Shape keys", "A shape key a frame, keyed")], default="cache")
    bake_file: bpy.props.StringProperty(
        name="File", subtype="FILE_PATH", description="PC2 file of the bake; empty: beside the .blend file", default="")
    bake_from: bpy.props.EnumProperty(
        name="Bake from", items=[("scene", "Scene", "The poses of the scene's frames"),
                                 ("file", "File", "A clip of the file that the mesh was imported from, with the bits that the program "
                                                  "writes; what was changed in the scene since is not seen")], default="scene")
    source: bpy.props.StringProperty(
        name="Source", subtype="FILE_PATH", description="The file that the mesh was imported from", default="")
    source_clip: bpy.props.StringProperty(
        name="Clip", description="Of the file; empty: that of the armature's action", default="")
    weights: bpy.props.EnumProperty(
        name="Weights", items=[("heat", "Heat", "Bone heat"), ("atlas", "Atlas", "Regions cut at the joints")], default="heat")
    measure: bpy.props.EnumProperty(
        name="Measure", items=[("intersects", "Intersections", "Where triangles pass through each other"),
                               ("stretch", "Stretch", "Edges longer or shorter than at rest"),
                               ("roughness", "Roughness", "Angles between faces that changed")], default="intersects")


def register():
    bpy.utils.register_class(CutisSettings)
    bpy.types.Object.cutis = bpy.props.PointerProperty(type=CutisSettings)


def unregister():
    del bpy.types.Object.cutis
    bpy.utils.unregister_class(CutisSettings)
