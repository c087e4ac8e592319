#!/usr/bin/env python3
"""Writes the add-on as Blender installs it: make_addon.py LIBRARY OUT_FOLDER [LEVEL]. The zip holds the add-on, the package `cutis` and
libcutis_c.so with the libraries that it needs."""
import importlib.util
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
spec = importlib.util.spec_from_file_location("make_wheel", here.parent.parent / "bindings" / "python" / "make_wheel.py")
make_wheel = importlib.util.module_from_spec(spec)
spec.loader.exec_module(make_wheel)

library, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
root = here.parent.parent
entries = {f"cutis_blender/{p.name}": p.read_bytes() for p in sorted((here / "cutis_blender").glob("*.py"))}
entries["cutis_blender/LICENSE"] = (root / "LICENSE").read_bytes()
for name, data in make_wheel.files(library, root / "bindings" / "python" / "cutis").items():
    entries[f"cutis_blender/{name}"] = data
out.mkdir(parents=True, exist_ok=True)
archive = out / f"cutis_blender-{make_wheel.version_of(root)}-linux-x86_64.zip"
partial = archive.with_suffix(".part")
make_wheel.write_zip(partial, entries, *map(int, sys.argv[3:4]))
partial.rename(archive)
print(archive)
