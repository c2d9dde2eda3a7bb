"""How what went wrong is told: one sentence on stderr, with `--json` also `{"code", "message", …}` on stdout."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console, OutputLost
from quarterdeck.cli.errors import Refused, UsageProblem
from quarterdeck.cli.plain_text import escaped
from quarterdeck.domain.refusal import Code, Refusal

if TYPE_CHECKING:
    from quarterdeck.engine.planned import Problem


_LISTING = frozenset({Code.E_WORKFLOW, Code.E_INPUT, Code.E_NOT_BUILT})


def tell_usage(console: Console, message: str) -> int:
    """The command line cannot be followed."""
    return _tell(console, {"code": "E_USAGE", "message": message}, exits.USAGE)


def tell_refusal(console: Console, refusal: Refusal) -> int:
    """A guard said no; `detail` names ids and states. Faults of a file or of inputs are listed, each with its place."""
    document: dict[str, Any] = {"code": refusal.code.value, "message": refusal.message}
    if refusal.code in _LISTING:
        document["problems"] = [{"place": place, "message": message} for place, message in refusal.detail]
    else:
        document = {**dict(refusal.detail), **document}
    code = _tell(console, document, exits.of_refusal(refusal))
    if refusal.code in _LISTING and len(refusal.detail) > 1:
        for place, message in refusal.detail:
            console.say(f"  {escaped(place)}: {escaped(message)}")
    return code


def tell_problems(console: Console, path: Path, problems: Iterable[Problem], code: str, message: str) -> int:
    """A file that cannot be used: each fault with its place and line, exit 2."""
    listed = tuple(problems)
    console.say(message)
    say_problems(console, path, listed)
    if console.as_json:
        document: dict[str, Any] = {"code": code, "message": message, "file": str(path)}
        document["problems"] = [problem_document(problem) for problem in listed]
        console.print_document(document)
    return exits.USAGE


def say_problems(console: Console, path: Path, problems: Iterable[Problem]) -> None:
    """One line a fault: `file:line: place: what`."""
    for problem in problems:
        line = f":{problem.line}" if problem.line else ""
        kind = "warning: " if problem.warning else ""
        place = f"{escaped(problem.place)}: " if problem.place else ""
        console.say(f"  {escaped(str(path))}{line}: {kind}{place}{escaped(problem.message)}")


def problem_document(problem: Problem) -> dict[str, Any]:
    """One fault as it stands in JSON."""
    return {
        "place": problem.place,
        "line": problem.line,
        "message": problem.message,
        "warning": problem.warning,
    }


def tell(console: Console, error: BaseException) -> int:
    """Any error that came up to the top, as a sentence and an exit code."""
    error = _leaf(error)
    match error:
        case UsageProblem():
            return tell_usage(console, str(error))
        case Refused():
            return tell_refusal(console, error.refusal)
        case BrokenPipeError():  # who read stdout has seen enough
            return exits.DONE
        case OutputLost():
            return tell_lost(console, error, exits.DONE)
        case _ if _is_of_store(error):
            return _tell(console, {"code": "E_STORE", "message": str(error)}, exits.STORE)
        case _:
            return _tell_internal(console, error)


def tell_lost(console: Console, fault: OutputLost, code: int) -> int:
    """That the answer is lost or cut, on stderr; the exit code of a call that would have ended with `code`."""
    console.say(f"The answer could not be written whole: {fault.strerror}.")
    return exits.of_lost_output(code)


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _is_of_store(error: BaseException) -> bool:
    from quarterdeck.engine.errors import StoreUnusable
    from quarterdeck.store.errors import StoreError

    return isinstance(error, (StoreUnusable, StoreError))


def _tell(console: Console, document: dict[str, Any], code: int) -> int:
    console.say(escaped(str(document["message"])))
    if console.as_json:
        try:
            console.print_document(document)
        except BrokenPipeError:
            return code
        except OutputLost as fault:
            return tell_lost(console, fault, code)
    return code


def _tell_internal(console: Console, error: BaseException) -> int:
    from quarterdeck.engine.app_log import log_fault

    log = log_fault(error)
    where = f"the details are in {log}"
    if log is None:
        console.say("".join(traceback.format_exception(error)))
        where = "the details are above, as they could not be written to the log"
    message = f"Quarterdeck met a fault of its own ({type(error).__name__}); {where}."
    return _tell(console, {"code": "E_INTERNAL", "message": message}, exits.INTERNAL)
