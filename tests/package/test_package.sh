#!/usr/bin/env bash
# test_package.sh BUILD SCRATCH CONSUMER: makes both packages; the .tar.gz must run in a root that holds the C library and
# nothing else, the .deb in one that holds the libraries it depends on; an outside project builds against either.
set -euo pipefail
build=$1 scratch=$2 consumer=$3
fail() { echo "test_package: $*" >&2; exit 1; }

[ "$(id -u)" -eq 0 ] || { echo "test_package: skipped: only root can change its root folder" >&2; exit 77; }
if nm -D "$build/cutis" 2>/dev/null | grep -qE '__(a|t)san_init'; then
  echo "test_package: skipped: a program with sanitizers is not packed" >&2; exit 77
fi
rm -rf "$scratch" && mkdir -p "$scratch"
(cd "$build" && cpack -B "$scratch/packages" >"$scratch/cpack.log") || { cat "$scratch/cpack.log"; fail "cpack failed"; }
deb=$(echo "$scratch"/packages/*.deb) archive=$(echo "$scratch"/packages/*.tar.gz)

# The C library and its loader, as every Linux has them.
c_library() {
  local root=$1
  for file in $(ldd /bin/true | grep -oE '/[^ )]+') $(ldconfig -p | grep -oE '/[^ ]*/lib(m|dl|rt|pthread|c)\.so\.[0-9]+$'); do
    mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"
  done
  mkdir -p "$root/tmp"
}
# use ROOT PROGRAM: the main job, there.
# Without /proc the loader cannot see where the program is, which its RPATH begins with; it takes LD_ORIGIN_PATH then.
use() {
  local root=$1 program=$2
  local -x LD_ORIGIN_PATH=${program%/*}
  chroot "$root" "$program" --version >/dev/null || fail "$program does not start in $root"
  chroot "$root" "$program" animate builtin:cylinder --clip bend --frames 3 -o /tmp/bend.glb >/dev/null ||
    fail "$program does not animate in $root"
  [ -s "$root/tmp/bend.glb" ] || fail "$program wrote nothing in $root"
}
# files PREFIX: all that a package promises.
files() {
  for file in bin/cutis include/cutis/cutis.h share/man/man1/cutis.1 share/bash-completion/completions/cutis \
              share/zsh/vendor-completions/_cutis share/fish/vendor_completions.d/cutis.fish \
              share/doc/cutis/cutis.spdx.json share/doc/cutis/SECURITY.md share/doc/cutis/licences/libeigen3-dev.txt; do
    [ -s "$1/$file" ] || fail "$1 has no $file"
  done
  [ -n "$(find "$1" -name 'libcutis-core.a' -size +100k)" ] || fail "$1 has no library"
  [ -n "$(find "$1" -name 'libcutis_c.so.1*' -size +100k)" ] || fail "$1 has no C library"
  [ -n "$(find "$1" -name cutis-config.cmake)" ] || fail "$1 has no CMake package"
}

# bill PREFIX: the bill of materials is SPDX, names the program that is there, and every package in it has its licence.
bill() {
  python3 - "$1" <<'PYTHON' || fail "the bill of materials of $1 is wrong"
import hashlib, json, pathlib, sys
prefix = pathlib.Path(sys.argv[1])
bill = json.loads((prefix / "share/doc/cutis/cutis.spdx.json").read_text())
assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
own, *others = bill["packages"]
digest = hashlib.sha256((prefix / "bin/cutis").read_bytes()).hexdigest()
assert own["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}], "of another program"
names = {p["name"] for p in others}
missing = {"libeigen3-dev", "libfmt9", "nlohmann-json3-dev", "libcli11-dev", "libc6"} - names
assert not missing, f"not named: {missing}"
ids = [p["SPDXID"] for p in bill["packages"]]
assert len(set(ids)) == len(ids)
for r in bill["relationships"]:
    assert {r["spdxElementId"], r["relatedSpdxElement"]} <= {*ids, "SPDXRef-DOCUMENT"}, r
for p in others:
    assert p["versionInfo"] and (prefix / "share/doc/cutis/licences" / (p["name"] + ".txt")).stat().st_size > 100, p["name"]
    assert not p["licenseDeclared"].startswith(("GPL", "AGPL")) or " WITH " in p["licenseDeclared"], p
PYTHON
}

mkdir "$scratch/archive" && tar -xzf "$archive" -C "$scratch/archive"
prefix=$(echo "$scratch"/archive/*)
files "$prefix" && bill "$prefix"
bare=$scratch/bare && c_library "$bare" && cp -r "$prefix" "$bare/cutis"
use "$bare" /cutis/bin/cutis

dpkg-deb -x "$deb" "$scratch/deb"
files "$scratch/deb/usr" && bill "$scratch/deb/usr"
depends=$(dpkg-deb -f "$deb" Depends)
grep -q 'libc6' <<<"$depends" || fail "the .deb does not say what it depends on: '$depends'"
installed=$scratch/installed && c_library "$installed" && cp -r "$scratch/deb/." "$installed"
while read -r library; do
  owner=$(dpkg -S "$(readlink -f "$library")" "$library" 2>/dev/null | head -1 | cut -d: -f1) || true
  [ -n "$owner" ] || owner=$(dpkg -S "*/$(basename "$(readlink -f "$library")")" | head -1 | cut -d: -f1)
  # What the program needs itself the .deb names; the rest comes with that.
  mkdir -p "$installed$(dirname "$library")" && cp -L "$library" "$installed$library"
  if objdump -p "$scratch/deb/usr/bin/cutis" | grep -q "NEEDED *$(basename "$library")\$"; then
    grep -qw -- "$owner" <<<"$depends" || fail "the .deb does not depend on $owner, which has $library"
  fi
done < <(ldd "$scratch/deb/usr/bin/cutis" | grep -oE '=> /[^ ]+' | cut -c4-)
use "$installed" /usr/bin/cutis

cmake -G Ninja -S "$consumer" -B "$scratch/consumer" -DCMAKE_PREFIX_PATH="$prefix" >"$scratch/consumer.log" 2>&1 &&
  cmake --build "$scratch/consumer" >>"$scratch/consumer.log" 2>&1 ||
  { tail -20 "$scratch/consumer.log"; fail "an outside project does not build against the package"; }
"$scratch/consumer/consumer" >/dev/null || fail "the outside project does not run"

bash -n "$prefix/share/bash-completion/completions/cutis"
if command -v man >/dev/null; then
  warnings=$(MANWIDTH=80 man --warnings -l "$prefix/share/man/man1/cutis.1" 2>&1 >/dev/null)
  [ -z "$warnings" ] || fail "the manual page: $warnings"
fi
ls -l "$scratch"/packages/*.deb "$scratch"/packages/*.tar.gz
rm -rf "$scratch"
