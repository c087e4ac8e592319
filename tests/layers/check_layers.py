#!/usr/bin/env python3
"""Checks the arrows of docs/architecture.md: which room may include which, which public headers, which third parties.

usage: check_layers.py SOURCE_FOLDER
Every #include of src/ and include/, in quotes or angles, must be allowed by the tables below; apps, examples and bindings
see include/cutis only. The tables are then tried on damaged copies of the tree: each kind of fault must be found.
"""
import pathlib
import re
import sys

# A room may always use itself. What it may use it may use through the other room's own headers and its public ones. Rooms
# are added here when they get their first file.
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
    "register": {"base", "numerics", "geometry", "character", "volume"},
    "metrics": {"base", "geometry", "character"},
    "render": {"base", "geometry", "character"},
}
# Arrows for the public headers alone: skeletons, poses and clips for what works on a rig; controllers' curves for solve;
# solvers for what measures by playing twice.
ALLOWED_PUBLIC = {
    "rig": {"character"},
    "contact": {"character"},
    "relief": {"character"},
    "skin_field": {"character"},
    "solve": {"character", "compose"},
    "metrics": {"solve"},
}
# solve sees of the back ends only their front.
ONLY = {
    ("solve", "backends"): {"backends/engine.h", "backends/posed_field.h", "backends/ride.h", "backends/track.h"},
    ("relief", "backends"): {"backends/engine.h"},
    ("backends", "geometry"): {"geometry/normals.h", "geometry/triangle_bvh.h", "geometry/visit_box.h"},
    ("bind", "backends"): {"backends/posed_field.h"},
}
# The room that each public header belongs to: what it declares is defined there or below.
OWNER = {
    "assemble.h": "character",
    "bind.h": "bind",
    "builtin.h": "character",
    "character.h": "character",
    "compose.h": "compose",
    "context.h": "base",
    "device.h": "backends",
    "elasticity.h": "bind",
    "error.h": "base",
    "explain.h": "skin_field",
    "files.h": "base",
    "frame.h": "rig",
    "hands.h": "hands",
    "io.h": "io",
    "look.h": "character",
    "marker_editor.h": "volume",
    "marker_solver.h": "volume",
    "method.h": "rig",
    "metrics.h": "metrics",
    "operator_kind.h": "kernels",
    "option_rows.h": "base",
    "play.h": "solve",
    "pose_writer.h": "io",
    "preset.h": "bind",
    "register.h": "register",
    "render.h": "render",
    "rig_file.h": "rig",
    "roles.h": "character",
    "scan.h": "character",
    "second_runs.h": "metrics",
    "skin_contact.h": "base",
    "skin_field.h": "skin_field",
    "shape_contact.h": "solve",
    "solve.h": "solve",
    "sphere_model.h": "field",
    "surface_markers.h": "volume",
    "take.h": "character",
    "take_stream.h": "io",
    "target_stream.h": "volume",
    "text.h": "base",
    "types.h": "base",
    "version.h": "base",
    "weights.h": "weights",
}
# Public headers that only include others, for users: they declare nothing, and no room and no other header may use them.
GATHERING = {"cutis.h", "markers.h", "options.h", "rig.h"}
# Public headers of bindings/, in C: of no room, for other languages.
BINDINGS = {"cutis_c.h"}
# By the beginning of their names: which rooms may include which headers that are neither ours nor the language's.
THIRD_PARTIES = {
    "fmt/": None,  # all
    "Eigen/": {"numerics"},
    "nlohmann/": {"base", "bind", "compose", "field", "hands", "io", "register", "volume"},
    "hwy/": {"backends", "field"},
    "embree3/": {"weights", "render"},
    "assimp/": {"io"},
    "draco/": {"io"},
    "meshoptimizer.h": {"io"},
    "stb/": {"render"},
    "zlib.h": {"render"},
    "cuda_runtime.h": {"backends"},
    "cuda_runtime_api.h": {"backends"},
    "cooperative_groups.h": {"backends"},
    # Of the system and the processor.
    "fcntl.h": {"base", "io"},
    "sched.h": {"base"},
    "sys/": {"base", "io"},
    "unistd.h": {"base", "io"},
    "xmmintrin.h": {"base"},
}

SUFFIXES = {".h", ".hpp", ".inl", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES) if folder.exists() else []


def includes(path):
    return [name for _, name in INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace"))]


def public_fault(room, header):
    """Why `room` may not include the public header; None when it may."""
    if header in GATHERING:
        return "may not include \"cutis/{}\": it gathers headers of several rooms, for users".format(header)
    if header not in OWNER:
        return f"includes \"cutis/{header}\", whose room is not in the table of tests/layers"
    owner = OWNER[header]
    if owner != room and owner not in ALLOWED.get(room, set()) | ALLOWED_PUBLIC.get(room, set()):
        return f"may not include \"cutis/{header}\", which belongs to '{owner}'"
    return None


def third_party_fault(room, target):
    for prefix, rooms in THIRD_PARTIES.items():
        if target.startswith(prefix):
            return None if rooms is None or room in rooms else f"may not include <{target}>"
    return f"includes <{target}>, which is not in the table of tests/layers"


def is_standard(target):
    return re.fullmatch(r"[a-z_0-9]+", target) is not None


def fault(root, room, target):
    """Why a file of `room` may not include `target`; None when it may."""
    if room not in ALLOWED:
        return "is not in the table of tests/layers"
    first = target.split("/")[0]
    if is_standard(target):
        return None
    if first == "cutis":
        return public_fault(room, target[len("cutis/"):])
    if (root / "src" / first).is_dir() or first in ALLOWED:
        if first == room:
            return None
        if first not in ALLOWED[room]:
            return f"may not include \"{target}\""
        if (room, first) in ONLY and target not in ONLY[(room, first)]:
            return f"may not include \"{target}\", of '{first}' only {sorted(ONLY[(room, first)])}"
        return None
    return third_party_fault(room, target)


def violations(root):
    found = []
    for path in sources(root / "src"):
        room = path.relative_to(root / "src").parts[0]
        for target in includes(path):
            if why := fault(root, room, target):
                found.append(f"{path.relative_to(root)}: room '{room}' {why}")
    for folder in ("apps", "examples", "bindings"):
        for path in sources(root / folder):
            for target in includes(path):
                if target.startswith("bench/") and target != "bench/bench.h":
                    found.append(f"{path.relative_to(root)}: of the benchmarks {folder} may include only bench/bench.h")
                if (root / "src" / target).exists():
                    found.append(f"{path.relative_to(root)}: {folder} may include only include/cutis, not \"{target}\"")
    public = sources(root / "include")
    for path in public:
        if path.name in BINDINGS:
            found += [f"{path.relative_to(root)}: is C, and may include only its headers, not \"{target}\""
                      for target in includes(path) if not re.fullmatch(r"std\w+\.h", target)]
            continue
        for target in includes(path):
            name = path.relative_to(root)
            if target.startswith("cutis/"):
                header = target[len("cutis/"):]
                if path.name in OWNER and (why := public_fault(OWNER[path.name], header)):
                    found.append(f"{name}: of room '{OWNER[path.name]}', {why}")
            elif not is_standard(target):
                found.append(f"{name}: a public header may include only cutis/... and the language's, not \"{target}\"")
        if path.name in GATHERING:
            text = path.read_text(encoding="utf-8")
            if rest := [line for line in text.splitlines() if line and not line.startswith(("//", "#"))]:
                found.append(f"{path.relative_to(root)}: gathers other headers and may not declare anything: {rest[0]}")
        elif path.name not in OWNER:
            found.append(f"{path.relative_to(root)}: its room is not in the table of tests/layers")
    missing = (set(OWNER) | GATHERING | BINDINGS) - {path.name for path in public}
    return found + [f"tests/layers knows cutis/{name}, which does not exist" for name in sorted(missing)]


def libraries(root):
    """Room -> its library, library -> those it may use, as src/CMakeLists.txt says. kernels has no sources: core's."""
    library_of, uses = {"kernels": "core"}, {}
    text = re.sub(r"#.*", "", (root / "src" / "CMakeLists.txt").read_text(encoding="utf-8"))
    for body in re.findall(r"cutis_library\(([^()]*)\)", text):
        words, key, lists = body.split(), "NAME", {}
        for word in words:
            if word in ("ROOMS", "NOT_IN_BROWSERS", "USES", "PARTS", "LINKS", "HEADERS"):
                key = word
            else:
                lists.setdefault(key, []).append(word)
        library_of.update({room: lists["NAME"][0] for room in lists["ROOMS"]})
        uses[lists["NAME"][0]] = set(lists.get("USES", []))
    return library_of, uses


def library_faults(root):
    """Arrows between rooms that no library allows, and rooms in no library."""
    library_of, uses = libraries(root)
    found = [f"src/CMakeLists.txt: room '{room}' is in no library" for room in sorted(ALLOWED) if room not in library_of]
    if found:
        return found
    for room, others in ALLOWED.items():
        for other in sorted(others | ALLOWED_PUBLIC.get(room, set())):
            mine, theirs = library_of[room], library_of[other]
            if mine != theirs and theirs not in uses[mine]:
                found.append(f"src/CMakeLists.txt: '{room}' may use '{other}', but library '{mine}' does not use '{theirs}'")
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


# A file and a line in it that must be found.
DAMAGE = {
    "an arrow that is not there": ("src/base/bad.h", '#include "solve/bone_motion.h"'),
    "an arrow in angles": ("src/base/bad.h", "#include <solve/bone_motion.h>"),
    "an arrow of device code": ("src/kernels/bad.cu", '#include "rig/rig.h"'),
    "an arrow of a device header": ("src/kernels/cuda/bad.cuh", '#  include "rig/rig.h"'),
    "more of the back ends than their front": ("src/solve/bad.cpp", '#include "backends/track_places.h"'),
    "a public header from above": ("src/backends/bad.h", '#include "cutis/solve.h"'),
    "a public header from above, in angles": ("src/backends/bad.h", "#include <cutis/solve.h>"),
    "bind's public header in solve": ("src/solve/bad.cpp", '#include "cutis/bind.h"'),
    "solve's public header in bind": ("src/bind/bad.cpp", '#include "cutis/solve.h"'),
    "a room's own header where the public one is allowed": ("src/solve/bad.cpp", '#include "compose/profile.h"'),
    "a header that gathers": ("src/solve/bad.cpp", '#include "cutis/rig.h"'),
    "a public header of no room": ("include/cutis/bad.h", "#pragma once"),
    "a public header that includes one from above": ("include/cutis/solve.h", '#include "cutis/bind.h"'),
    "a public header that includes a room": ("include/cutis/types.h", "#include <base/math.h>"),
    "a public header that shows a third party": ("include/cutis/types.h", "#include <Eigen/Core>"),
    "a gathering header that declares": ("include/cutis/rig.h", "struct Bad;"),
    "a third party in a room that may not": ("src/geometry/bad.cpp", "#include <Eigen/Core>"),
    "a third party in quotes": ("src/solve/bad.cpp", '#include "embree3/rtcore.h"'),
    "a third party that nobody knows": ("src/io/bad.cpp", "#include <boost/config.hpp>"),
    "a header of the system": ("src/solve/bad.cpp", "#include <unistd.h>"),
    "a room that nobody knows": ("src/attic/bad.cpp", "#include <vector>"),
    "a header for C that is not C": ("include/cutis/cutis_c.h", "#include <string>"),
    "an example that looks inside": ("examples/bad.cpp", '#include "rig/rig.h"'),
    "an example that looks inside, in angles": ("examples/bad.cpp", "#include <rig/rig.h>"),
}
# These may stay.
HARMLESS = {
    "a public header of a room below": ("src/solve/good.cpp", '#include "cutis/character.h"'),
    "a third party that is the room's": ("src/numerics/good.cpp", "#include <Eigen/Core>"),
    "the language": ("src/base/good.cpp", "#include <vector>"),
}


def self_test(root):
    """The check itself must be able to fail: every kind of damage to a copy of the tree is found, and nothing else."""
    import shutil
    import tempfile

    found = []
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("src", "include"):
            shutil.copytree(root / part, copy / part)
        before = set(violations(copy))

        def is_found(name, line):
            path = copy / name
            old = path.read_text(encoding="utf-8") if path.exists() else None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text((old or "") + line + "\n", encoding="utf-8")
            new = [text for text in violations(copy) if text not in before]
            path.unlink() if old is None else path.write_text(old, encoding="utf-8")
            return any(text.startswith(name) for text in new), len(new)

        for what, (name, line) in DAMAGE.items():
            if is_found(name, line) != (True, 1):
                found.append(f"self-test: not found, or more than it: {what}")
        for what, (name, line) in HARMLESS.items():
            if is_found(name, line)[1] != 0:
                found.append(f"self-test: taken for a fault: {what}")
        lists = copy / "src" / "CMakeLists.txt"
        text = lists.read_text(encoding="utf-8")
        lists.write_text(text.replace("ROOMS hands volume register\n  USES core", "ROOMS hands volume register"), encoding="utf-8")
        if not any("'mocap' does not use 'core'" in fault for fault in library_faults(copy)):
            found.append("self-test: an arrow between libraries that do not use each other went unnoticed")
        lists.write_text(text.replace("ROOMS hands volume register", "ROOMS hands register"), encoding="utf-8")
        if not any("'volume' is in no library" in fault for fault in library_faults(copy)):
            found.append("self-test: a room in no library went unnoticed")
        (copy / "include" / "cutis" / "take.h").rename(copy / "take.h")
        if not any("cutis/take.h, which does not exist" in text for text in violations(copy)):
            found.append("self-test: a public header that is gone went unnoticed")

        (copy / "src" / "base" / "twin.h").write_text("namespace cutis {\nstruct Twin {\n};\n}  // namespace cutis\n")
        (copy / "src" / "geometry" / "twin.h").write_text("namespace cutis {\nstruct Twin {\n};\n}  // namespace cutis\n")
        if not any("Twin" in text for text in duplicate_types(copy)):
            found.append("self-test: two types of one name went unnoticed")
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    found = violations(root) + library_faults(root) + duplicate_types(root) + self_test(root)
    print("\n".join(found) if found else "all includes follow the arrows, all types have one definition")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
