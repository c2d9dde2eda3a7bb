"""Names of variables by which processes are known. Apart from `kernel`, which loads ctypes: the app needs them before its first paint."""

SHIM_MARK = "QUARTERDECK_SHIM"
RUN_MARK, ATTEMPT_MARK = "QUARTERDECK_RUN", "QUARTERDECK_ATTEMPT"
"""Variables of every agent, which what it starts inherits."""
SHIM_MARK_ROOM = " " * 80
"""Space that the fork server keeps in its own environment, for the mark of the shim that it will become."""
