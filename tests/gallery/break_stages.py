#!/usr/bin/env python3
"""Every claim of the gallery can fail: a program whose stage is broken must not pass its row.

usage: break_stages.py CUTIS FOLDER
The program is replaced by a script that calls it with other arguments: relaxation, contact, smoothing, atlas, joint limits, the
blend, the fit to spheres and surface deformation are turned off one at a time, and a verb is made to answer nothing.
"""
import pathlib
import stat
import subprocess
import sys

# Row, what is broken, how: Python that changes the list `a`, and a claim that must then fail.
BREAKS = [
    ("tracking-figure-2", "contact between parts", "a += ['--no-contact-pass', '--contact', 'operator'] if a[0] in ('measure', 'animate') else []", "pairs of tracking"),
    ("tracking-figure-7", "relaxation", "a += ['--set', 'tracking.relaxations=0', '--turn', 'rigid', '--no-contact-pass'] if a[0] == 'measure' else []", "twisted tube"),
    ("epfl-figure-14", "smoothing around contact", "a[:] = ['implicit.smoothing=0' if x.startswith('implicit.smoothing') else x for x in a]", "without smoothing"),
    ("epfl-figures-11-12-and-25", "the blend", "a[:] = ['union' if x == 'blend' else x for x in a]", "the blend lifts the inner side"),
    ("epfl-figure-1", "dual quaternions", "a[:] = ['lbs' if x == 'dqs' else x for x in a]", "least radius, dqs"),
    ("markers-figure-3", "the surface alone", "a[:] = ['volume' if x == 'surface' else x for x in a]", "by the surface alone"),
    ("epfl-figures-4-and-17", "the fit to spheres", "a[:] = [x for x in a if x != '--fit']", "could not be made"),
    ("atlas-figure-1", "atlas", "a[:] = ['heat' if x == 'atlas' else x for x in a]", "could not be made"),
    ("markers-figures-4-and-5", "joint limits", "a[:] = [x for i, x in enumerate(a) if x != '--limits' and (i == 0 or a[i - 1] != '--limits')] + (['--no-limits'] if a[0] == 'markers' and '--no-limits' not in a else [])", "markers missed with limits"),
]


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    figures = pathlib.Path(__file__).resolve().parents[2] / "scripts/make-figures"
    folder.mkdir(parents=True, exist_ok=True)
    faults = []
    for row, what, change, claim in BREAKS:
        broken = folder / f"broken-{row}"
        broken.write_text(f"#!{sys.executable}\nimport os, sys\na = sys.argv[1:]\n{change}\nos.execv({str(program)!r}, [{str(program)!r}, *a])\n")
        broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
        done = subprocess.run([sys.executable, figures, broken, folder / row, "--numbers", "--builtin", "--jobs", "1", "--only", row], capture_output=True, text=True)
        if done.returncode == 0 or claim not in done.stdout:
            faults.append(f"{row} passes without {what}, or fails elsewhere:\n{done.stdout}{done.stderr}")
        else:
            print(f"{row} fails without {what}: " + next(line.strip() for line in done.stdout.splitlines() if claim in line))
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
