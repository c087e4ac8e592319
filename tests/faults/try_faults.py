#!/usr/bin/env python3
"""usage: try_faults.py PROGRAM FAULTS_LIBRARY [--only NAME] [--times N] [--seed S]: the system fails under the program

Each fault is tried on every format. The rule: afterwards the old output is whole, or the new one is; a fault is answered with
one sentence and status 1; no temporary file stays but that of a killed process, which the next run removes. Exits with 1 and
the command on the first break of a rule, with 77 when nothing could be tried.
"""
import argparse
import errno
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FORMATS = ["pc2", "mdd", "usda", "glb", "gltf", "obj", "ply", "frames"]
OLD = ["--clip", "twist", "--frames", "4"]
NEW = ["--clip", "bend", "--frames", "4"]


class Broken(Exception):
    pass


class Trial:
    """One output format in a folder of its own, with the old output in place."""

    def __init__(self, options, extension, folder):
        self.options, self.extension, self.folder = options, extension, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.new = self.made(NEW, "new")
        self.old = self.made(OLD, "old")

    def command(self, arguments, name="out"):
        return [self.options.program, "animate", "builtin:cylinder", *arguments, "--method", self.options.method, "--threads", "1", "-o",
                str(self.folder / f"{name}.{self.extension}")]

    def contents(self, name="out"):
        return {p.name.replace(name, "out", 1): p.read_bytes().replace(f"{name}.bin".encode(), b"out.bin")
                for p in sorted(self.folder.iterdir()) if p.name.startswith(name)}

    def made(self, arguments, name):
        done = subprocess.run(self.command(arguments, name), capture_output=True, text=True)
        if done.returncode != 0:
            raise Broken(f"without a fault: {done.stderr}")
        found = self.contents(name)
        for p in self.folder.iterdir():
            p.unlink()
        return found

    def put_old(self):
        for p in self.folder.iterdir():
            p.unlink()
        for name, data in self.old.items():
            (self.folder / name).write_bytes(data)

    def run(self, fault="", limit=None, arguments=NEW, timeout=120):
        env = dict(os.environ)
        if fault:
            env.update(LD_PRELOAD=self.options.library, CUTIS_FAULT=fault)
        before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit is not None else None
        # What it says goes to pipes: a limit on files does not touch them.
        return subprocess.run(self.command(arguments), capture_output=True, text=True, env=env, preexec_fn=before,
                              timeout=timeout)

    def check(self, done, what, may_succeed=False, killed=False):
        where = f"{what} ({self.extension})"
        now = self.contents()
        left = [n for n in now if ".tmp" in n]
        now = {n: d for n, d in now.items() if n not in left}
        if left and not killed:
            raise Broken(f"{where}: {left} stays")
        if done.returncode == 0:
            if not may_succeed:
                raise Broken(f"{where}: said to be done")
            if now != self.new:
                raise Broken(f"{where}: done, but the output is not the new one")
            return "new"
        if not killed:
            if done.returncode != 1:
                raise Broken(f"{where}: status {done.returncode}: {done.stderr[-300:]}")
            if not done.stderr.startswith("cutis: ") or done.stderr.count("\n") != 1:
                raise Broken(f"{where}: not one sentence: {done.stderr!r}")
        if now == self.old:
            return "old"
        if now == self.new:
            return "new"
        if killed and len(self.new) > 1 and all(d in (self.old.get(n), self.new.get(n)) for n, d in now.items()):
            return "mixed"  # several files: each is whole, and they are put in place one after the other
        raise Broken(f"{where}: the output is neither the old one nor the new one")


def bytes_(trial, options, rng):
    """the n-th byte cannot be written"""
    size = max(len(d) for d in trial.new.values())
    for n in [0, 1, 4096, size // 2, size - 1] + [rng.randrange(size) for _ in range(options.times)]:
        trial.put_old()
        trial.check(trial.run(limit=n), f"byte {n} of {size}")
        trial.put_old()
        trial.check(trial.run(fault=f"fwrite:{n}:{errno.EIO}"), f"byte {n}: EIO", may_succeed=True)
    trial.put_old()
    # Parked frames of glTF take more than the file itself.
    if trial.check(trial.run(limit=4 * size + 65536), "room enough", may_succeed=True) != "new":
        raise Broken(f"{trial.extension}: fails with room enough")


def full_disk(trial, options, rng):
    """no space is left on the disk"""
    if os.geteuid() != 0:
        return "only root can make a small disk"
    total = sum(len(d) for d in trial.old.values())
    disk = trial.folder / "disk"
    disk.mkdir()
    size = (2 * total + 65536) // 4096 * 4096  # the old one, and not quite the new one beside it
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True).returncode != 0:
        return "no small disk could be mounted here"
    try:
        inside = Trial.__new__(Trial)
        inside.__dict__.update(trial.__dict__, folder=disk)
        for filled in [0.3, 0.6, 0.9] + [rng.random() for _ in range(options.times)]:
            inside.put_old()
            stat = os.statvfs(disk)
            (disk / "other").write_bytes(b"x" * int(filled * stat.f_bavail * stat.f_frsize))
            inside.check(inside.run(), f"disk {filled:.2f} full", may_succeed=True)
        inside.put_old()
        stat = os.statvfs(disk)
        (disk / "other").write_bytes(b"x" * max(0, stat.f_bavail * stat.f_frsize - 4096))
        if inside.check(inside.run(), "disk full") != "old":
            raise Broken(f"{trial.extension}: wrote to a full disk")
    finally:
        subprocess.run(["umount", str(disk)], check=False)


def read_only(trial, options, rng):
    """no file can be made"""
    for code in (errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EMFILE):
        trial.put_old()
        if trial.check(trial.run(fault=f"create:{code}"), os.strerror(code)) != "old":
            raise Broken(f"{trial.extension}: {os.strerror(code)}: the old output is gone")


def rename_fails(trial, options, rng):
    """the output cannot be put in place"""
    for n in range(1, len(trial.new) + 1):
        for code in (errno.EXDEV, errno.EACCES):
            trial.put_old()
            if trial.check(trial.run(fault=f"rename:{n}:{code}"), f"rename {n}: {os.strerror(code)}") != "old":
                raise Broken(f"{trial.extension}: rename {n} failed, and the old output is gone")


def links_fail(trial, options, rng):
    """the output cannot be put in place on a disk without links: older files are kept aside as copies"""
    for n in range(1, len(trial.new) + 1):
        trial.put_old()
        if trial.check(trial.run(fault=f"nolink:{n}:{errno.EXDEV}"), f"rename {n}, no links") != "old":
            raise Broken(f"{trial.extension}: rename {n} failed without links, and the old output is gone")
    trial.put_old()
    if trial.check(trial.run(fault=f"nolink:{1000}:{errno.EXDEV}"), "no links", may_succeed=True) != "new":
        raise Broken(f"{trial.extension}: nothing is written on a disk without links")


def killed(trial, options, rng):
    """kill -9, after every rename and at random times; the next run removes what it left"""
    seen = {}
    for n in range(1, len(trial.new) + 1):
        trial.put_old()
        state = trial.check(trial.run(fault=f"die:{n}"), f"gone after rename {n}", killed=True)
        seen[state] = seen.get(state, 0) + 1
    start = time.monotonic()
    trial.put_old()
    trial.run()
    usual = time.monotonic() - start
    for _ in range(3 + options.times):
        trial.put_old()
        child = subprocess.Popen(trial.command(NEW), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * usual * 1.2)
        child.kill()
        done = subprocess.CompletedProcess([], child.wait(), "", "")
        state = trial.check(done, "kill -9", may_succeed=True, killed=True)
        seen[state] = seen.get(state, 0) + 1
    if trial.check(trial.run(), "the run after", may_succeed=True) != "new":
        raise Broken(f"{trial.extension}: the run after a killed one fails")
    return seen


def out_of_memory(trial, options, rng):
    """the n-th allocation fails"""
    low, high = 1, 1 << 24
    while low < high:  # how many there are
        middle = (low + high) // 2
        trial.put_old()
        if trial.run(fault=f"malloc:{middle}").returncode == 0:
            high = middle
        else:
            low = middle + 1
    answered = 0
    tried = [rng.randrange(200, max(low, 201)) for _ in range(4 + 4 * options.times)]
    # At the end files are put in place one after the other, and the JSON library allocates in its destructors.
    if len(trial.new) > 1:
        tried += range(max(low - 60, 200), low)
    for n in tried:
        trial.put_old()
        done = trial.run(fault=f"malloc:{n}")
        trial.check(done, f"allocation {n} of about {low}", may_succeed=True)
        answered += done.returncode == 1
    return {"allocations": low, "failed": answered}


def clock(trial, options, rng):
    """the wall clock jumps"""
    trial.put_old()
    if trial.check(trial.run(fault="clock"), "clock", may_succeed=True) != "new":
        raise Broken("the clock matters")


FAULTS = {"bytes": bytes_, "full_disk": full_disk, "read_only": read_only, "rename_fails": rename_fails, "links_fail": links_fail, "killed": killed,
          "out_of_memory": out_of_memory, "clock": clock}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("--only", choices=FAULTS)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--method", default="lbs")
    parser.add_argument("--times", type=int, default=2, help="random trials of each fault and format")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.program, options.library = os.path.abspath(options.program), os.path.abspath(options.library)
    rng = random.Random(options.seed)
    skipped = tried = 0
    scratch = pathlib.Path(tempfile.mkdtemp())
    try:
        for name, fault in FAULTS.items():
            if options.only not in (None, name):
                continue
            for extension in options.formats.split(","):
                trial = Trial(options, extension, scratch / f"{name}_{extension}")
                said = fault(trial, options, rng)
                if isinstance(said, str):
                    print(f"{name}: skipped: {said}", file=sys.stderr)
                    skipped += 1
                    break
                tried += 1
                print(f"{name:14} {extension:7} holds {said or ''}", flush=True)
    except Broken as broken:
        print(f"try_faults: {broken}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 77 if skipped and not tried else 0


if __name__ == "__main__":
    sys.exit(main())
