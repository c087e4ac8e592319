#!/usr/bin/env python3
"""Checks that what browsers run uses only algorithms that the C++ library of Debian's emscripten has (libc++ 14).

usage: check_browser.py SOURCE_FOLDER
`make wasm` would find it too, in minutes and where emscripten is installed.
"""
import pathlib
import re
import sys

# Of std::ranges, what these rooms use and `make wasm` compiles. Missing there, among others: max, min, minmax,
# stable_partition, contains, views.
KNOWN = set("""adjacent_find all_of any_of binary_search copy count count_if equal equal_range fill find find_if greater greater_equal
    is_sorted less lower_bound max_element min_element none_of set_intersection sort stable_sort transform
    upper_bound""".split())
# Rooms that are for the program alone: src/CMakeLists.txt leaves them out of what browsers get.
NOT_THERE = {"hands", "register", "render"}
USE = re.compile(r"std::(?:ranges::(\w+)|(views::\w+))")


def faults(name, text):
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for algorithm, view in USE.findall(line.split("//")[0]):
            if view or algorithm not in KNOWN:
                found.append(f"{name}:{number}: std::{view or 'ranges::' + algorithm} is not in emscripten's C++ library; "
                             "write it without, or add it to KNOWN in check_browser.py if `make wasm` compiles it")
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    rooms = [p for p in (root / "src").iterdir() if p.is_dir() and p.name not in NOT_THERE]
    files = [f for folder in [*rooms, root / "bindings/c", root / "include"] for f in folder.rglob("*")
             if f.suffix in {".h", ".cpp"}]
    if len(files) < 100:
        sys.exit(f"only {len(files)} files under {root}: the check looks in the wrong place")
    found = [fault for f in sorted(files) for fault in faults(f.relative_to(root), f.read_text())]
    for text in ("return std::ranges::max(worst_of_);", "std::ranges::stable_partition(nodes, is_skinned);",
                 "for (int i : std::views::iota(0, 3))"):
        if not faults("damaged", text):
            found.append(f"the check does not see '{text}'")
    print("\n".join(found) if found else f"{len(files)} files: nothing that emscripten's C++ library lacks")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
