"""The package `cutis`: the one in the add-on's folder, else an installed one."""
import pathlib
import sys

_here = pathlib.Path(__file__).parent
if (_here / "cutis").is_dir() and "cutis" not in sys.modules:
    sys.path.insert(0, str(_here))
    try:
        import cutis
    finally:
        sys.path.remove(str(_here))
else:
    import cutis  # noqa: F401
