#!/usr/bin/env bash
# test_blender.sh LIBRARY CUTIS SOURCE SCRATCH CASE [ARGUMENTS]: the add-on as `make blender-addon` packs it, installed into a Blender
# without a window. Skipped, with a sentence, where there is none.
set -euo pipefail
library=$1 cutis=$2 source=$3 scratch=$4 case=$5; shift 5
command -v blender >/dev/null || { echo "skipped: there is no blender; scripts/install-deps blender brings it" >&2; exit 77; }
if ldd "$library" | grep -qE 'lib(a|t)san'; then echo "skipped: a library with sanitizers is not packed" >&2; exit 77; fi
if [ "$case" = data ]; then
  data=${CUTIS_SHARED_DATA:-$source/../shared/data}
  [ -d "$data" ] || { echo "skipped: there is no data folder" >&2; exit 77; }
fi
rm -rf "$scratch" && mkdir -p "$scratch/scripts/addons" "$scratch/config"
archive=$(python3 "$source/integrations/blender/make_addon.py" "$library" "$scratch" 0)
export BLENDER_USER_SCRIPTS=$scratch/scripts BLENDER_USER_CONFIG=$scratch/config PYTHONDONTWRITEBYTECODE=1
unset CUTIS_LIBRARY PYTHONPATH

run() {
  local log=$scratch/blender.log
  if ! timeout 900 blender -b --factory-startup --python-exit-code 1 -P "$source/tests/blender/test_blender.py" -- "$1" "$archive" \
      "$cutis" "$scratch" "${@:2}" >"$log" 2>&1 || ! grep -q '^PASSED$' "$log"; then
    tail -40 "$log" >&2; echo "test_blender: $* failed" >&2; exit 1
  fi
  grep '^RESULT' "$log" || true
}

if [ "$case" = data ]; then
  run bake "$data/makehuman_male/makehuman_male.glb" fist_l 12
  run bake "$data/makehuman_male/makehuman_male.glb" elbow_l_0_150 12
  run bake "$data/cesium_man/cesium_man.glb" "" 12
  run bake "$data/fox/fox.glb" Walk 12
  run bake "$data/hand_webxr/hand_left_poses.glb" fist 12
  run file "$data/makehuman_male/makehuman_male.glb" fist_l elbow_l_0_150
  run file "$data/avatars/spider.glb" 0 1
  run file "$data/cesium_man/cesium_man.glb" 0
  run file "$data/fox/fox.glb" Walk Survey
  run file "$data/hand_webxr/hand_left_poses.glb" fist pinch
  run live "$data/makehuman_male/makehuman_male.glb" fist_l
else
  run "$case" "$@"
fi
rm -rf "$scratch"
