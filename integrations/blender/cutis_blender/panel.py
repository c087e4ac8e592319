"""The panel in the sidebar of the 3D view."""
import bpy

from . import bridge, live, sessions


class CUTIS_PT_panel(bpy.types.Panel):
    bl_idname = "CUTIS_PT_panel"
    bl_label = "Cutis"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Cutis"

    def draw(self, context):
        layout = self.layout
        obj = context.object
        if bridge.armature_modifier(obj) is None:
            layout.label(text="Select a mesh with an armature", icon="INFO")
            return
        settings = obj.cutis
        session = sessions.of(obj, make=False)
        layout.prop(settings, "preset")
        column = layout.column(align=True)
        column.operator("cutis.bind", icon="LINKED", text="Bind" if session is None else "Bind Again")
        column.label(text="not bound yet" if session is None else f"bound: {session.bridge.vertices} vertices")
        layout.prop(settings, "method", text="")
        layout.prop(settings, "contact")
        layout.prop(settings, "live", toggle=True, icon="PLAY")
        if obj.name_full in live.errors:
            layout.label(text=live.errors[obj.name_full], icon="ERROR")
        box = layout.box()
        box.prop(settings, "bake_to", text="")
        if settings.bake_to == "cache":
            box.prop(settings, "bake_file", text="")
        box.prop(settings, "bake_from", text="From")
        if settings.bake_from == "file":
            box.prop(settings, "source", text="")
            box.prop(settings, "source_clip")
        box.operator("cutis.bake", icon="FILE_CACHE")
        box = layout.box()
        box.prop(settings, "weights", text="")
        box.operator("cutis.weights", icon="GROUP_VERTEX")
        box = layout.box()
        box.prop(settings, "measure", text="")
        box.operator("cutis.measure", icon="DRIVER_DISTANCE")
        if "cutis_measured" in obj:
            for line in obj["cutis_measured"].split(", "):
                box.label(text=line)
        box = layout.box()
        box.label(text="Painted regions")
        for name in (bridge.STIFF_GROUP, bridge.SLIDE_GROUP, bridge.NO_CONTACT_GROUP):
            box.label(text=name, icon="CHECKMARK" if name in obj.vertex_groups else "DOT")
        layout.operator("cutis.clear", icon="X")


def register():
    bpy.utils.register_class(CUTIS_PT_panel)


def unregister():
    bpy.utils.unregister_class(CUTIS_PT_panel)
