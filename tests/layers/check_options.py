#!/usr/bin/env python3
"""Every options struct of the public headers has a table, is listed by `cutis options` and is tested."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
structs = {"JointPreset", "Preset"}
headers = "".join(path.read_text() for path in sorted((root / "include/cutis").glob("*.h")))
structs |= set(re.findall(r"^struct (\w+Options) \{", headers, re.M))
places = {
    "include/cutis": r"OptionRow<(\w+)>> option_rows\(\);",
    "apps/cli/commands/options.cpp": r"table_of<(\w+)>\(",
    "tests/base/test_options.cpp": r"\b(\w+Options|JointPreset|Preset)\b(?=[,>])",
}
faults = []
for place, pattern in places.items():
    text = headers if place == "include/cutis" else (root / place).read_text()
    if place.startswith("tests"):
        text = re.search(r"testing::Types<.*?>;", text, re.S).group()
    found = set(re.findall(pattern, text))
    faults += [f"{place}: {name} is missing" for name in sorted(structs - found)]
print("\n".join(faults) or f"{len(structs)} options structs")
sys.exit(bool(faults))
