"""Entry of `quarterdeck` and of `python -m quarterdeck`: hands the command line to the terminal's program.

The window is imported only when it is asked for; the terminal never loads Qt.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # as in `typing`, whose import would be a good part of what `runs` costs
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NO_WINDOW = 2
"""Exit code where the window cannot be opened on this machine."""


def main() -> int:
    """One call of the program, to its exit code."""
    from quarterdeck.cli.window_call import window_path

    open_window: Callable[[Path | None], int] = _open_window
    if (path := window_path(sys.argv[1:])) is not None:
        try:
            return _open_plainly(path)
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - told below, as any other call's
            open_window = _failing(error)
    gc.set_threshold(50_000)  # thousands of run lines are made at once, and none of them is garbage
    from quarterdeck.cli.run_list import printed

    if (done := printed(sys.argv[1:])) is not None:
        gc.freeze()
        return done
    from quarterdeck.cli.program import run_program

    code = run_program(sys.argv[1:], open_window=open_window)
    gc.freeze()  # the interpreter would look through everything that was loaded once more before it ends: a seventh of `runs`
    return code


def _open_window(path: Path | None) -> int:
    if _lacks_display():
        return _no_window("there is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)")
    try:
        from quarterdeck.bootstrap import run_window
    except ImportError as error:
        return _no_window(str(error))
    return run_window(path)


def _open_plainly(path: str) -> int:
    from pathlib import Path

    return _open_window(Path(path) if path else None)


def _failing(error: BaseException) -> Callable[[Path | None], int]:
    def fail(_path: Path | None) -> int:
        raise error

    return fail


def _lacks_display() -> bool:
    """Qt would abort the process without a word of ours."""
    if not sys.platform.startswith("linux") or os.environ.get("QT_QPA_PLATFORM"):
        return False
    return not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _no_window(why: str) -> int:
    print(
        f"The window cannot open: {why}. `sh packaging/start` installs what it needs; "
        "`quarterdeck run FILE` works without a display.",
        file=sys.stderr,
    )
    return NO_WINDOW


if __name__ == "__main__":
    sys.exit(main())
