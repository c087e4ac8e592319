#!/bin/sh
# validate_gltf.sh WORK PATH...: the Khronos glTF validator over files and folders.
# The validator is installed once into WORK, by npm, in the version that package-lock.json names. Exits with 77 (skipped)
# when node or npm is missing or the package cannot be fetched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$1
shift
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "skipped: the Khronos glTF validator needs node and npm"
  exit 77
fi
mkdir -p "$work"
(
  flock 9  # tests that run at the same time install it once
  if ! cmp -s "$here/package-lock.json" "$work/installed-lock.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$work/"
    if ! (cd "$work" && npm ci --silent --no-audit --no-fund >npm.log 2>&1); then
      cat "$work/npm.log"
      echo "skipped: npm could not install the Khronos glTF validator"
      exit 77
    fi
    cp "$here/package-lock.json" "$work/installed-lock.json"
  fi
) 9>"$work/lock" || exit $?
exec node "$here/validate_gltf.mjs" "$work/node_modules" "$@"
