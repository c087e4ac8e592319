"""Cutis in Blender: tracked skin, with folds that touch, for meshes that an armature deforms.

Written for Blender 3.4 to 5.x. The package `cutis` and its library lie beside this file (`make blender-addon` puts them
there); where they do not, an installed `cutis` is taken."""

bl_info = {
    "name": "Cutis",
    "author": "the Cutis authors",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Cutis",
    "description": "Skin that follows an armature with folds that touch instead of passing through each other",
    "category": "Animation",
}


def register():
    from . import live, operators, panel, settings
    settings.register()
    operators.register()
    panel.register()
    live.register()


def unregister():
    from . import live, operators, panel, settings
    live.unregister()
    panel.unregister()
    operators.unregister()
    settings.unregister()
