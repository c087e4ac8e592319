#!/usr/bin/env python3
"""Writes the wheel of the package: make_wheel.py LIBRARY OUT_FOLDER [LEVEL].

LIBRARY is libcutis_c.so.1; LEVEL says how hard to compress, 0 to 9. The wheel brings it and the shared libraries that it needs, all but those that every Linux has, and
their licences; it is for any Python 3.8 or later with numpy. A wheel is a zip file of a known layout (PEP 427): nothing has to
be installed to write one.
"""
import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

# Of the system: the C library, the compiler's.
OF_THE_SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|lib(c|m|dl|rt|pthread|resolv|util|gcc_s|stdc\+\+))\.so")
TAG = "py3-none-linux_x86_64"


def needed(library):
    """The shared libraries that go with it: {soname: file}."""
    found = {}
    for line in subprocess.run(["ldd", library], check=True, capture_output=True, text=True).stdout.splitlines():
        parts = line.split()
        if OF_THE_SYSTEM.match(pathlib.Path(parts[0]).name):
            continue
        if "not found" in line:
            raise SystemExit(f"make_wheel: {parts[0]}, which {library} needs, is not there")
        found[parts[0]] = pathlib.Path(parts[2]).resolve()
    return found


def licence(file):
    """The text that the system's package of a library has, and the package's name."""
    owner = subprocess.run(["dpkg", "-S", f"*/{file.name}"], capture_output=True, text=True).stdout.split(":")[0]
    text = pathlib.Path("/usr/share/doc") / owner / "copyright"
    if not owner or not text.exists():
        raise SystemExit(f"make_wheel: the licence of {file} is not found; a wheel has to bring it")
    return owner, text.read_bytes()


def files(library, package):
    """{path in the package: bytes}: the modules, and in lib/ the library with what it needs."""
    result = {}
    for module in sorted([*package.glob("*.py"), package / "py.typed"]):
        result[f"cutis/{module.name}"] = module.read_bytes()
    result["cutis/lib/libcutis_c.so.1"] = stripped(library)
    for soname, file in sorted(needed(library).items()):
        result[f"cutis/lib/{soname}"] = file.read_bytes()
        owner, text = licence(file)
        result[f"cutis/lib/licences/{owner}.txt"] = text
    return result


def stripped(library):
    """Without the symbols of a debugger."""
    import tempfile
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(["strip", "--strip-unneeded", "-o", out.name, library], check=True)
        return pathlib.Path(out.name).read_bytes()


def write_zip(path, entries, level=6):
    """Times are left out: the same entries make the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data in entries.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if ".so" in name else 0o100644) << 16
            archive.writestr(info, data)


def version_of(root):
    return re.search(r"project\(cutis VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text()).group(1)


def main():
    library, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    here = pathlib.Path(__file__).resolve().parent
    root = here.parent.parent
    version = version_of(root)
    entries = files(library, here / "cutis")
    info = f"cutis-{version}.dist-info"
    entries[f"{info}/LICENSE"] = (root / "LICENSE").read_bytes()
    entries[f"{info}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: cutis\nVersion: {version}\n"
        "Summary: gives a character its skin over time\nLicense: Apache-2.0\nRequires-Python: >=3.8\nRequires-Dist: numpy\n"
        "Description-Content-Type: text/plain\n\n"
        "A mesh, a skeleton and a motion in; the deformed mesh out, frame by frame, with folds that touch instead of\n"
        "passing through each other.\n").encode()
    entries[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()
    record = ""
    for name, data in entries.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    entries[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"cutis-{version}-{TAG}.whl"
    partial = wheel.with_suffix(".part")
    write_zip(partial, entries, *map(int, sys.argv[3:4]))
    partial.rename(wheel)
    print(wheel)


if __name__ == "__main__":
    main()
