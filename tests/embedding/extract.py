#!/usr/bin/env python3
"""extract.py PAGE LANGUAGE OUT: writes the page's code blocks of a language as OUT_1, OUT_2, … with the language's extension; prints
their names, with semicolons."""
import pathlib
import re
import sys

page, language, out = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
blocks = re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
if not blocks:
    sys.exit(f"extract.py: {page} has no code in {language}")
names = []
for i, block in enumerate(blocks, 1):
    path = pathlib.Path(f"{out}_{i}.{ {'python': 'py', 'blender': 'py'}.get(language, language) }")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != block:
        path.write_text(block, encoding="utf-8")
    names.append(str(path))
print(";".join(names), end="")
