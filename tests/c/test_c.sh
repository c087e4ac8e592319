#!/usr/bin/env bash
# The C interface beside the program, and what its library shows.
#   test_c.sh play TEST_C CUTIS SCRATCH "CHARACTER CLIP FRAMES"...   the bits that `cutis animate` writes; clip -: the first
#   test_c.sh data TEST_C CUTIS SCRATCH DATA                         the same on the data folder, where it is
#   test_c.sh symbols LIBRARY LIST HEADER
#   test_c.sh core LIBRARY OBJECT...
set -euo pipefail
export LC_ALL=C
fail() { echo "test_c: $*" >&2; exit 1; }

play() {
  local test_c=$1 cutis=$2 scratch=$3 character clip frames method; shift 3
  for job in "$@"; do
    read -r character clip frames <<<"$job"
    [ "$clip" = - ] && clip=0
    for method in tracking dqs; do
      "$cutis" animate "$character" --clip "$clip" --frames "$frames" --method $method -q -o "$scratch/program.pc2"
      "$test_c" play "$character" "$clip" "$frames" "{\"method\": \"$method\"}" "$scratch/program.pc2" ||
        fail "$character $clip: $method differs"
    done
    echo "$character $clip: $frames frames, the same"
  done
}

data() {
  local test_c=$1 cutis=$2 scratch=$3 data=$4
  [ -d "$data" ] || { echo "there is no data folder at $data; skipped"; exit 77; }
  play "$test_c" "$cutis" "$scratch" "$data/makehuman_male/makehuman_male.glb fist_l 4" \
    "$data/makehuman_male/makehuman_male.glb elbow_l_0_150 4" "$data/fox/fox.glb 0 4" "$data/fox/fox.glb 1 4" \
    "$data/cesium_man/cesium_man.glb 0 4" "$data/cesium_man/cesium_man.glb random:1 4" \
    "$data/hand_webxr/hand_left_poses.glb 0 4" "$data/hand_webxr/hand_left_poses.glb 1 4"
}

symbols() {
  local library=$1 list=$2 header=$3 shown declared
  shown=$(nm -D --defined-only "$library" | grep -v ' A ' | awk '{print $3}' | sed 's/@.*//' | sort)
  declared=$(grep '^CUTIS_API' "$header" | grep -oE 'cutis_[a-z_]+\(' | tr -d '(' | sort)
  diff <(sort "$list") <(echo "$declared") || fail "the header declares (>) what the list does not have (<), or the other way round"
  diff <(sort "$list") <(echo "$shown") || fail "the library shows (>) what the list does not have (<), or the other way round"
  readelf -d "$library" | grep -q 'SONAME.*libcutis_c\.so\.1\]' || fail "the library has no soname"
  echo "$(wc -l <"$list") functions"
}

# What of the library's own functions the core may not ask for: each is asked for by the rest.
core() {
  local library=$1 wanted all pattern; shift
  all=$(nm -C --undefined-only "$@" 2>/dev/null)
  for pattern in load_character make_weights load_motion load_take make_animation_writer write_character MarkerSolver; do
    ! grep "cutis::$pattern" <<<"$all" || fail "the core asks for $pattern"
  done
  grep 'cutis::load_gltf' <<<"$all" >/dev/null || fail "the core does not ask for load_gltf: the search finds nothing"
}

case=$1; shift
"$case" "$@"
