"""Import spanrs under a free-threaded interpreter: the GIL is enabled with one warning, and scoring works.

Run as ``python -W default .ci/try_free_threaded.py`` where the package is installed.
"""

from __future__ import annotations

import sys
import warnings


def main() -> int:
    """Import and score; return the exit status."""
    if not hasattr(sys, "_is_gil_enabled") or sys._is_gil_enabled():
        print("this is not a free-threaded interpreter, or PYTHON_GIL=1 is set", file=sys.stderr)
        return 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        import spanrs

        result = spanrs.score([["B-PER", "O"]], [["B-PER", "O"]])
    messages = [str(warning.message) for warning in caught if warning.category is RuntimeWarning]
    expected = "The global interpreter lock (GIL) has been enabled to load module 'spanrs._spanrs'"
    if not any(message.startswith(expected) for message in messages):
        print(f"expected the warning {expected!r}, got {messages}", file=sys.stderr)
        return 1
    if not sys._is_gil_enabled():
        print(
            "the module was loaded without the GIL; docs/stability.md says that it is enabled",
            file=sys.stderr,
        )
        return 1
    if result.micro.f1 != 1.0:
        print(f"wrong result: {result.micro}", file=sys.stderr)
        return 1
    print(f"the GIL is enabled, as documented: {messages[0]}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
