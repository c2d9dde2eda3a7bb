"""What an `output` report says of where the output lies, or why it is lost. Nothing here reads a file."""

from __future__ import annotations

from quarterdeck.domain.reports import Report
from quarterdeck.domain.views import OutputFileView


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
