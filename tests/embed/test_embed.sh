#!/usr/bin/env bash
# What cutis::core does without. Every search is first tried where it must find something.
#   test_embed.sh pose EMBED CUTIS SCRATCH       a rig that the program made is posed by a program that links core alone
#   test_embed.sh needs CUTIS EMBED...           shared libraries: the program has them, the embedders have none
#   test_embed.sh symbols CORE BIND IO RENDER
set -euo pipefail
export LC_ALL=C
fail() { echo "test_embed: $*" >&2; exit 1; }

pose() {
  local embed=$1 cutis=$2 scratch=$3
  rm -rf "$scratch" && mkdir -p "$scratch"
  "$cutis" bind builtin:cylinder -q -o "$scratch/cylinder.rig" >/dev/null
  "$embed" "$scratch/cylinder.rig" cylinder bend
}

needs() {
  local cutis=$1 library program; shift
  for library in assimp embree draco meshoptimizer stb 'z\.so' tbb; do
    for program in "$cutis" "$@"; do
      count=$(ldd "$program" | grep -c "lib$library" || true)
      [ "$program" = "$cutis" ] || [ "$count" -eq 0 ] || fail "$program needs $library: $(ldd "$program" | grep "lib$library")"
    done
  done
  for library in assimp embree draco; do
    ldd "$cutis" | grep "lib$library" >/dev/null || fail "the program itself does not need $library: the search finds nothing"
  done
  for program in "$@"; do
    echo "$(basename "$program") needs: $(ldd "$program" | awk '{print $1}' | sed 's|.*/||' | tr '\n' ' ')"
  done
}

# has LIBRARY PATTERN: whether it is in the name of a symbol, defined or wanted, as a word's beginning.
has() { nm -C "$1" 2>/dev/null | grep -E "\b($2)" >"$listed"; }
symbols() {
  local core=$1 bind=$2 io=$3 render=$4
  listed=$(mktemp) && trap 'rm -f "$listed"' EXIT
  local assimp='(Assimp::|ai[A-Z])' draco='draco::' embree='rtc[A-Z]' meshopt='meshopt_' picture='(stbi_|deflate|compress)'
  has "$io" "$assimp" || fail "io has no symbol of assimp: the search finds nothing"
  has "$io" "$draco" || fail "io has no symbol of Draco: the search finds nothing"
  has "$io" "$meshopt" || fail "io has no symbol of meshoptimizer: the search finds nothing"
  has "$bind" "$embree" || fail "bind has no symbol of Embree: the search finds nothing"
  has "$render" "$picture" || fail "render has no symbol of zlib or stb: the search finds nothing"
  for pattern in "$assimp" "$draco" "$embree" "$meshopt" "$picture"; do
    ! has "$core" "$pattern" || fail "core has $(sort -u "$listed" | head -3)"
  done
  echo "$(basename "$core"): $(nm "$core" 2>/dev/null | grep -c ' [TtWVBDR] ') symbols, none of assimp, Draco, Embree, meshoptimizer, zlib, stb"
}

case=$1; shift
"$case" "$@"
