"""The verbs of the window, in the terminal, over the same engine and store. No Qt, no agent SDK.

`program` reads the command line with typer and imports a verb's module only when that verb is called, so that
`quarterdeck --help` stays cheap. `loop` owns the event loop, the signals and the engine's life; each verb is a
coroutine that gets the engine's door and a `Console` and returns an exit code. Words and progress go to stderr,
documents to stdout (design §8). Nothing here decides anything about a run: it asks the door.
"""
