"""What asks after a crash: the recovery dialog and its rows, the second step of Resume, Discard, effects to check."""
