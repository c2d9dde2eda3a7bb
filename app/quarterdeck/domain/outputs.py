"""What an `output` report says of where the output lies, or why it is lost. Nothing here reads a file."""

from __future__ import annotations

from collections.abc import Iterable

from quarterdeck.domain.reports import Report
from quarterdeck.domain.views import ErrorView, OutputFileView

RECORDING = "recording"
"""Class of the error that says what of an attempt could not be kept, so that nothing is missing without a word. No agent told it."""


def lost_words(report: Report | None) -> str:
    """Why an output that was told is kept nowhere (A15 row 8); empty where it is kept, or none was told."""
    if report is None or report.get("stored") or report.get("value") is not None:
        return ""
    if not report.get("problem") and not report.get("size_bytes"):
        return ""
    size = int(report.get("size_bytes") or 0)
    return f"The output of {size:,} bytes is lost: {report.get('problem') or 'it could not be kept'}"


def file_of(report: Report | None) -> OutputFileView | None:
    """Where an output lies that was too large for its report."""
    if report is None or not report.get("stored"):
        return None
    size, digest = int(report.get("size_bytes") or 0), str(report.get("sha256") or "")
    return OutputFileView(str(report["stored"]), size, digest)


def transcript_lost_words(told: Report | None) -> str:
    """What the attested end says is missing of the transcript; empty where nothing is."""
    lost = int((told or {}).get("transcript_lost_bytes") or 0)
    return f"{lost:,} bytes of the transcript could not be kept: the disk did not take them" if lost else ""


def transcript_lost(errors: Iterable[ErrorView]) -> str:
    """These words again, from the view or the record of an attempt; empty where its transcript is whole."""
    told = (error.message for error in errors if error.error_class == RECORDING)
    return next((words for words in told if words == _same_words(words)), "")


def _same_words(words: str) -> str:
    """What would be said of as many bytes as `words` begin with."""
    count = words.partition(" ")[0].replace(",", "")
    return transcript_lost_words({"transcript_lost_bytes": count}) if count.isdecimal() else ""
