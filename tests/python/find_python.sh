# Sourced: sets $python to an interpreter with numpy, or ends the test as skipped, with a sentence.
python=
for candidate in "${CUTIS_PYTHON:-}" python3 /usr/bin/python3; do
  if [ -n "$candidate" ] && "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || { echo "skipped: there is no python3 with numpy; scripts/install-deps python brings it" >&2; exit 77; }
