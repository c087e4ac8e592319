#!/usr/bin/env python3
"""Checks the arrows of docs/architecture.md: which room may include which.

usage: check_layers.py SOURCE_FOLDER [--self-test]
Every #include "room/..." in src/ must be allowed by ALLOWED; apps, examples and bindings see include/cutis only.
"""
import pathlib
import re
import sys

# A room may always use itself and include/cutis. Rooms are added here when they get their first file.
ALLOWED = {
    "base": set(),
    "geometry": {"base"},
    "character": {"base", "geometry"},
    "io": {"base", "geometry", "character"},
    "numerics": {"base"},
    "weights": {"base", "numerics", "geometry", "character"},
    "field": {"base", "numerics", "geometry", "character", "kernels"},
    "compose": {"base", "numerics", "kernels"},
    "contact": {"base", "geometry", "kernels", "rig"},
    "relief": {"base", "kernels", "rig", "backends"},
    "rig": {"base", "kernels"},
    "kernels": {"base"},
    "backends": {"base", "geometry", "kernels", "rig"},
    "bind": {"base", "numerics", "geometry", "character", "field", "compose", "rig", "kernels", "backends"},
    "solve": {"base", "geometry", "rig", "kernels", "backends", "contact", "relief"},
    "skin_field": {"base", "geometry", "kernels", "rig", "backends"},
    "hands": {"base", "numerics", "geometry", "character"},
    "volume": {"base", "numerics", "geometry", "character"},
    "metrics": {"base", "geometry", "character"},
    "render": {"base", "geometry", "character"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# solve sees of the back ends only their front.
ONLY = {
    ("solve", "backends"): {"backends/engine.h", "backends/posed_field.h", "backends/track.h"},
    ("relief", "backends"): {"backends/engine.h"},
    ("backends", "geometry"): {"geometry/normals.h"},
    ("bind", "backends"): {"backends/posed_field.h"},
}


def violations(root):
    found = []
    for path in sorted(list((root / "src").rglob("*.h")) + list((root / "src").rglob("*.cpp"))):
        room = path.relative_to(root / "src").parts[0]
        for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            other = target.split("/")[0]
            if other in ("cutis", room):
                continue
            if room not in ALLOWED:
                found.append(f"{path.relative_to(root)}: room '{room}' is not in the table of tests/layers")
            elif other not in ALLOWED[room]:
                found.append(f"{path.relative_to(root)}: '{room}' may not include \"{target}\"")
            elif (room, other) in ONLY and target not in ONLY[(room, other)]:
                found.append(f"{path.relative_to(root)}: '{room}' may include of '{other}' only {ONLY[(room, other)]}")
    for folder in ("apps", "examples", "bindings"):
        for path in sorted((root / folder).rglob("*.[hc]*")) if (root / folder).exists() else []:
            for target in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace")):
                if target.startswith("bench/") and target != "bench/bench.h":
                    found.append(f"{path.relative_to(root)}: of the benchmarks {folder} may include only bench/bench.h")
                if (root / "src" / target).exists():
                    found.append(f"{path.relative_to(root)}: {folder} may include only include/cutis, not \"{target}\"")
    for path in sorted((root / "include").rglob("*.h")):
        for target in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if not target.startswith("cutis/"):
                found.append(f"{path.relative_to(root)}: a public header may include only cutis/..., not \"{target}\"")
    return found


def duplicate_types(root):
    """Two types of one qualified name in two files are one type to the linker, whatever their contents."""
    places = {}
    sources = [p for folder in ("src", "include") for p in sorted((root / folder).rglob("*.[hc]*"))]
    for path in sources:
        spaces = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if opened := re.match(r"(?:inline )?namespace\s*([\w:]*)\s*\{", line):
                spaces.append(opened.group(1) or "anonymous")
            elif re.match(r"\}\s*// namespace", line) and spaces:
                spaces.pop()
            elif (found := re.match(r"(?:struct|class)\s+(?:alignas\(\w+\)\s+)?(\w+)\b(?!::)[^;()]*\{", line)) and "anonymous" not in spaces:
                places.setdefault("::".join(spaces + [found.group(1)]), set()).add(str(path.relative_to(root)))
    return [f"type {name} is defined in {' and in '.join(sorted(files))}" for name, files in places.items() if len(files) > 1]


def self_test(root):
    """The check itself must be able to fail: a forbidden arrow in a copy of the tree is found."""
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("src", "include"):
            shutil.copytree(root / part, copy / part)
        before = len(violations(copy))
        (copy / "src" / "base" / "bad.h").write_text('#include "solve/bone_motion.h"\n')
        if len(violations(copy)) != before + 1:
            return ["self-test: a forbidden include went unnoticed"]
        (copy / "src" / "base" / "twin.h").write_text("namespace cutis {\nstruct Twin {\n};\n}  // namespace cutis\n")
        (copy / "src" / "geometry" / "twin.h").write_text("namespace cutis {\nstruct Twin {\n};\n}  // namespace cutis\n")
        if not any("Twin" in text for text in duplicate_types(copy)):
            return ["self-test: two types of one name went unnoticed"]
    return []


def main():
    root = pathlib.Path(sys.argv[1])
    found = violations(root) + duplicate_types(root) + self_test(root)
    print("\n".join(found) if found else "all includes follow the arrows, all types have one definition")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
