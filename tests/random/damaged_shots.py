#!/usr/bin/env python3
"""usage: damaged_shots.py PROGRAM COUNT [SEED]: damaged files of shots through 'cutis batch --list'

A plan (status 0) or one sentence (status 1) are good answers; anything else ends with 1 and keeps the file's text on stderr.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

GOOD = {"folder": "out", "defaults": {"method": "tracking", "frames": 4, "measure": 2},
        "shots": [{"name": "{character}-{clip}", "character": ["builtin:cylinder", "builtin:arm"], "clip": "b*", "outputs": ["{name}.pc2", "a/{name}.glb"]},
                  {"character": "*.obj", "outputs": "{name}.pc2", "set": ["tracking.step=0.1"], "history": "canonical", "split": 2},
                  {"name": "x", "character": "builtin:cylinder", "bvh": "none.bvh", "outputs": "x.usda", "contact-pass": True}]}
ODD = [None, True, -1, 0, 1e308, 2**63, "", "*", "{", "{name", "}", "..", "/", "\x1b[2J", "\udc80", "a" * 5000, [], {}, [[]], "[!", "builtin:", "--help", "-o"]


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, path + (key,))


def damaged(rng):
    value = json.loads(json.dumps(GOOD))
    for _ in range(rng.randrange(1, 4)):
        path = rng.choice([p for p in places(value) if p] or [()])
        if not path:
            break
        owner = value
        for key in path[:-1]:
            owner = owner[key]
        kind = rng.randrange(4)
        if kind == 0:
            del owner[path[-1]]
        elif kind == 1 and isinstance(owner, dict):
            owner[rng.choice(["name", "split", "outputs", "dance", "set", "fps", "threads", "options", "preset", "output"])] = rng.choice(ODD)
        else:
            owner[path[-1]] = rng.choice(ODD)
    text = json.dumps(value).encode("utf-8", "surrogatepass")
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        text = text[:at] + bytes([rng.randrange(256)]) + text[at + rng.randrange(2):]
    return text


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    answers = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        for i in range(count):
            text = damaged(rng) if i else json.dumps(GOOD).encode()
            (folder / "s.json").write_bytes(text)
            done = subprocess.run([program, "batch", "--list", str(folder / "s.json")], capture_output=True, cwd=folder, timeout=60)
            answers[done.returncode] = answers.get(done.returncode, 0) + 1
            said = [line for line in done.stderr.splitlines() if not line.startswith(b"cutis: warning: ")]
            lines = len(said)
            printable = all(b >= 32 or b == 10 for b in done.stderr)
            if done.returncode not in (0, 1) or (done.returncode == 1 and (lines != 1 or not printable)):
                print(f"damaged_shots: status {done.returncode}: {done.stderr!r}\n{text!r}", file=sys.stderr)
                return 1
    print(f"{count} files: {answers.get(0, 0)} planned, {answers.get(1, 0)} refused in a sentence")
    return 0


if __name__ == "__main__":
    sys.exit(main())
