#!/usr/bin/env python3
"""Files that the pages name are there, and links between pages lead somewhere."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
pages = [*root.glob("*.md"), *root.glob("docs/*.md"), *root.glob("docs/algorithms/*.md")]
rooms = "src|include|apps|bindings|integrations|tests|docs|scripts|bench|examples|cmake"
faults = []
for page in sorted(pages):
    text = page.read_text()
    name = page.relative_to(root)
    for path in re.findall(rf"`((?:{rooms})/[\w./*-]+)`", text):
        path = path.rstrip("/.")
        if "NAME" not in path and not any(root.glob(path)) and not any(root.glob(path + ".*")):
            faults.append(f"{name}: {path} is not there")
    for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text):
        if not (page.parent / link).exists():
            faults.append(f"{name}: the link to {link} leads nowhere")
print("\n".join(faults) or f"{len(pages)} pages")
sys.exit(bool(faults))
