#!/usr/bin/env python3
"""usage: compile_kernels.py SOURCE_DIR COMPILER: every kernel by itself, and calls of them all; 77: no such compiler

COMPILER: a name or a path of g++, clang++, nvcc or em++. nvcc makes code for a device.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
# No device function may call what the standard library has as constexpr for hosts; nvcc has a switch for that.
FLAGS = {
    "nvcc": ["-arch=sm_90", "--expt-relaxed-constexpr", "-Werror", "all-warnings"],
    "other": ["-Wall", "-Wextra", "-Werror", "-ffp-contract=off"],
}


def source(headers, device):
    text = "".join(f'#include "kernels/{h}"\n' for h in headers)
    text += '#include "use_kernels.h"\n'
    if device:
        text += "__global__ void use(const cutis::use_kernels::Input* in, float* out) {\n"
    else:
        text += "void use(const cutis::use_kernels::Input* in, float* out);\n"
        text += "void use(const cutis::use_kernels::Input* in, float* out) {\n"
    return text + "  *out = cutis::use_kernels::everything(*in);\n}\n"


def main():
    root, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    path = shutil.which(compiler)
    if path is None:
        print(f"skipped: {compiler} is not installed")
        return SKIPPED
    device = os.path.basename(compiler) == "nvcc"
    flags = ["-std=c++20", "-O1", "-c", f"-I{root}/src", f"-I{root}/include", f"-I{root}/tests/kernels"]
    flags += FLAGS["nvcc" if device else "other"]
    headers = sorted(h.name for h in (root / "src/kernels").glob("*.h") if not h.name.endswith("-inl.h"))
    if len(headers) < 10:
        print(f"{root}/src/kernels has {len(headers)} kernels: looked in the wrong place?")
        return 1
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / ("kernels.cu" if device else "kernels.cpp")
        texts = {} if device else {h: f'#include "kernels/{h}"\n' for h in headers}  # nvcc takes seconds for each
        texts["all kernels"] = source(headers, device)
        for name, text in texts.items():
            file.write_text(text)
            done = subprocess.run([path, *flags, "-o", f"{folder}/kernels.o", file], capture_output=True, text=True)
            if done.returncode != 0:
                failed.append(name)
                print(f"{compiler}: {name}\n{done.stdout}{done.stderr}")
    print(f"{compiler}: {len(headers)} kernels, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
