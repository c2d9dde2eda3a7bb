"""The verbs of the window, in the terminal, over the same engine and store. No Qt, no agent SDK."""
