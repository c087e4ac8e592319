#!/usr/bin/env bash
# test_python.sh suite LIBRARY CUTIS SOURCE SUITE      tests of test_python.py against the library, from the source folder
# test_python.sh wheel LIBRARY CUTIS SOURCE SCRATCH    the wheel, in a clean virtual environment
# test_python.sh example LIBRARY CUTIS SOURCE FILE
# test_python.sh examples LIBRARY CUTIS SOURCE SCRATCH
set -euo pipefail
case=$1 library=$2 cutis=$3 source=$4; shift 4
. "$source/tests/python/find_python.sh"
fail() { echo "test_python: $*" >&2; exit 1; }
export CUTIS_PROGRAM=$cutis PYTHONDONTWRITEBYTECODE=1
# A library with sanitizers needs their run-time first: GCC's, which it is linked with, or clang's, which it is not.
for name in asan tsan; do
  if ldd "$library" | grep "lib$name" >/dev/null; then  # not -q: it would end before ldd has
    runtime=$(ldd "$library" | awk -v r="lib$name" '$1 ~ r {print $3}')
  elif nm -D --undefined-only "$library" | grep "__${name}_init" >/dev/null; then
    version=$(readelf -p .comment "$library" | sed -n 's/.*clang version \([0-9]*\).*/\1/p' | head -1)
    runtime=$("clang++-$version" -print-file-name="libclang_rt.$name-$(uname -m).so")
    [ -f "$runtime" ] || fail "clang $version has no run-time of $name, which $library needs"
  else
    continue
  fi
  # With the C++ library: the sanitizer looks for its functions when it starts, before Python has loaded anything.
  LD_PRELOAD=$runtime:$(ldd "$library" | awk '$1 ~ /libstdc\+\+/ {print $3}')
  export LD_PRELOAD ASAN_OPTIONS=detect_leaks=0
done

suite() {
  CUTIS_LIBRARY=$library PYTHONPATH=$source/bindings/python "$python" "$source/tests/python/test_python.py" "$1"
}

wheel() {
  local scratch=$1
  [ -z "${LD_PRELOAD:-}" ] || { echo "skipped: a library with sanitizers is not packed" >&2; exit 77; }
  rm -rf "$scratch" && mkdir -p "$scratch"
  "$python" "$source/bindings/python/make_wheel.py" "$library" "$scratch" 0 >/dev/null
  # numpy is the system's; cutis must not be.
  "$python" -m venv --system-site-packages "$scratch/venv" >/dev/null 2>&1 ||
    { echo "skipped: python3 cannot make virtual environments; scripts/install-deps python brings it" >&2; exit 77; }
  "$scratch/venv/bin/python" -m pip install -q --no-index --no-deps --disable-pip-version-check "$scratch"/*.whl
  cd "$scratch"
  unset CUTIS_LIBRARY PYTHONPATH LD_LIBRARY_PATH
  CUTIS_EXPECT_IN=$scratch/venv venv/bin/python "$source/tests/python/test_python.py" Wheel
  "$scratch/venv/bin/python" -m pip uninstall -q -y --disable-pip-version-check cutis
  ! venv/bin/python -c 'import cutis' 2>/dev/null || fail "the package is still there"
  rm -rf "$scratch"
}

examples() {
  local scratch=$1 example
  rm -rf "$scratch" && mkdir -p "$scratch"
  for example in "$source"/bindings/python/examples/*.py; do
    echo "$(basename "$example")"
    CUTIS_LIBRARY=$library PYTHONPATH=$source/bindings/python "$python" "$example" "$scratch"
  done
  if "$python" -c 'import matplotlib' 2>/dev/null; then
    [ "$(find "$scratch" -name '*.png' -size +8k | wc -l)" -ge 5 ] || fail "the examples drew $(ls "$scratch")"
  else
    echo "no pictures: matplotlib is not there; scripts/install-deps python brings it"
  fi
}

example() { CUTIS_LIBRARY=$library PYTHONPATH=$source/bindings/python "$python" "$1"; }

"$case" "$@"
