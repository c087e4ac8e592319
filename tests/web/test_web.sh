#!/usr/bin/env bash
# test_web.sh PROGRAM SOURCE [--all] SUITE...: runs web/tests/SUITE.test.mjs. Exit 77: what they need is not there.
set -euo pipefail
program=$1 source=$2
shift 2
if [ "$1" = --all ]; then
  export CUTIS_ALL=1
  shift
fi

skip() { echo "skipped: $1"; exit 77; }
command -v node >/dev/null || skip "there is no node; make wasm installs it"
[ -f "$source/web/cutis/dist/cutis.wasm" ] && [ -d "$source/web/node_modules" ] || skip "make wasm has not built the package"
case " $* " in *" viewer "* | *" data "*)
  [ -f "$source/web/viewer/dist/index.html" ] || skip "make wasm has not built the viewer"
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
    skip "there is no Chromium; scripts/install-deps web installs it" ;;
esac
cd "$source/web/tests"
CUTIS=$program exec node --test "${@/%/.test.mjs}"
