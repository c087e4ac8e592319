#!/bin/sh
# test_khronos_validator.sh WRITE_GLTF_SAMPLES WORK: writes sample animations and validates them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$2/samples"
mkdir -p "$2/samples"
"$1" "$2/samples"
exec "$here/validator/validate_gltf.sh" "$2" "$2/samples"
