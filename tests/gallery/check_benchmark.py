#!/usr/bin/env python3
"""scripts/benchmark writes its page, and a method that is brought as files stands on it with its own numbers.

usage: check_benchmark.py CUTIS FOLDER
"""
import pathlib
import subprocess
import sys


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    benchmark = pathlib.Path(__file__).resolve().parents[2] / "scripts/benchmark"
    theirs = folder / "theirs"
    theirs.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, benchmark, program, "--builtin", "--only", "cylinder", "--jobs", "1"]
    listed = subprocess.run([*command, "--list"], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(listed) == 2, listed
    for line in listed:  # their method is our dqs
        file, _, shown = line.partition(": cutis ")
        arguments = shown.replace("'", "").replace("--method tracking", "--method dqs").split()[:-1]
        subprocess.run([program, *arguments, theirs / file, "--quiet"], check=True)
    subprocess.run([*command, "--external", f"theirs={theirs}", "--out", folder], check=True)
    page = (folder / "benchmark.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| cylinder, ")]
    assert len(rows) == 2, page
    for row in rows:  # name, lbs, dqs, ddm, implicit, tracking, theirs
        assert row[2] == row[6].rstrip(" |") and row[2] != row[5], row
    assert (folder / "images/benchmark-pairs.svg").exists()
    assert "--external mine=" in page and "| theirs | " in page, "the protocol, and a row in the summary"


if __name__ == "__main__":
    main()
