#!/usr/bin/env python3
"""The walk of one frame in docs/pipeline.md is what the code does.

Lines "- `Caller` in `file`" and, below them, "  - `callee`". Each caller must be defined in its file, the callees must be
called in that order in its text, and of the functions that the file defines for the same class, or that are stages of
a back end (track_*), it must call no other.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
# Called on ways that the walk leaves out.
LEFT_OUT = {
    "Solver::solve": {"reset", "skin_whole", "report_relief"},  # from rest; without contact
    "Solver::Impl::touch": {"let_go", "skin"},
    "ContactPass::advance": {"stop"},
    "HostTracking::substep": {"set_pose"},  # of the composed field
    "Tracker::solve": {"reset", "aim_at_targets", "substep", "stop_here"},
}


def plain(text):
    """Without comments and strings, of the same length."""
    blank = lambda m: re.sub(r"[^\n]", " ", m.group())
    return re.sub(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", blank, text, flags=re.S)


def body_of(text, name):
    """What is between the braces of the function of that (qualified) name; None: there is none."""
    for found in re.finditer(rf"^\w[\w:<>*&\s]*?[\s&*]{re.escape(name)}\(", text, re.M):
        at, depth = found.end(), 1
        while depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        if not re.match(r"\s*(const)?\s*\{", text[at:]):
            continue
        begin = at = text.index("{", at) + 1
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
        return text[begin:at]
    return None


def walk(page):
    """[(caller, file, [callees])]"""
    part = re.search(r"<!-- walk -->\n(.*?)<!-- /walk -->", page, re.S).group(1)
    callers = []
    for line in part.splitlines():
        if caller := re.match(r"- `([\w:]+)` in `([^`]+)`", line):
            callers.append((caller[1], caller[2], []))
        elif callee := re.match(r"  - `([\w:]+)`", line):
            callers[-1][2].append(callee[1].split("::")[-1])
        else:
            raise SystemExit(f"docs/pipeline.md: not a line of the walk: {line}")
    return callers


def faults_of(caller, file, callees):
    path = root / file
    if not path.exists():
        return [f"{file} is not there"]
    text = plain(path.read_text())
    body = body_of(text, caller)
    if body is None:
        return [f"{file} does not define {caller}"]
    faults, at = [], 0
    for callee in callees:
        found = re.compile(rf"\b{callee}\(").search(body, at)
        if not found:
            faults.append(f"{caller} does not call {callee} there ({file})")
            continue
        at = found.end()
    owner = caller.rsplit("::", 1)[0]
    stages = set(re.findall(rf"^\w[\w:<>*&\s]*?[\s&*]{re.escape(owner)}(?:::Impl)?::(\w+)\(", text, re.M))
    called = {name for name in re.findall(r"\b(\w+)\(", body) if name in stages or name.startswith("track_")}
    for name in sorted(called - set(callees) - LEFT_OUT.get(caller, set()) - {owner.split("::")[-1]}):
        faults.append(f"{caller} calls {name}, which the walk does not have")
    return faults


steps = walk((root / "docs/pipeline.md").read_text())
faults = [fault for step in steps for fault in faults_of(*step)]
print("\n".join(faults) or f"{len(steps)} functions walk as docs/pipeline.md says")
sys.exit(bool(faults))
