#!/bin/sh
# animate_every_format.sh CUTIS SOURCE_DIR WORK: `cutis animate` on every glTF file of the shared data, with both methods,
# into every format; no non-finite number anywhere, and the Khronos validator content. Exits with 77 (skipped) without
# the shared data, or when everything passed but the validator could not run.
set -eu
cutis=$1 source=$2 work=$3
data=${CUTIS_SHARED_DATA:-$source/../shared/data}
if [ ! -d "$data" ]; then
  echo "skipped: the shared data (../shared/data, or CUTIS_SHARED_DATA) is not beside the project"
  exit 77
fi
rm -rf "$work/out"
mkdir -p "$work/out"
list=$work/inputs.txt
find "$data" -name '*.glb' -o -name '*.gltf' | sort >"$list"
[ -s "$list" ] || { echo "no glTF file in $data"; exit 1; }

while IFS= read -r input; do
  name=$(basename "${input%.*}")
  for method in lbs dqs; do
    for extension in glb gltf pc2 mdd usda obj ply; do
      output=$work/out/${name}_$method.$extension
      "$cutis" animate "$input" --method "$method" --frames 12 --json -o "$output" >"$work/report.json"
      grep -Eq '"nonfinite": ?0[,}]?$|"nonfinite":0[,}]' "$work/report.json" ||
        { cat "$work/report.json"; echo "FAILED: non-finite positions in $output"; exit 1; }
      case $extension in
        obj | ply) set -- "${output%.*}"_00*."$extension" ;;
        *) set -- "$output" ;;
      esac
      case $extension in obj | ply) expected=12 ;; *) expected=1 ;; esac
      [ $# -eq $expected ] && [ -s "$1" ] || { echo "FAILED: $# files for $output, expected $expected"; exit 1; }
      case $extension in
        obj | usda) if grep -Eiwq -e '-?(nan|inf)' "$@"; then echo "FAILED: nan or inf in $output"; exit 1; fi ;;
      esac
      [ "$extension" = glb ] || [ "$extension" = gltf ] || rm -f "$@"
    done
  done
done <"$list"
if ls "$work/out" | grep -q '\.tmp'; then echo "FAILED: temporary files are left"; exit 1; fi
exec "$source/tests/io/validator/validate_gltf.sh" "$work/../gltf-validator" "$work/out"
