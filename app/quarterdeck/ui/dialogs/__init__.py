"""Dialogs. Each is opened with `open()` and answers by a signal (never `exec()`), and is deleted when it closes."""
