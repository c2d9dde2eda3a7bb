"""What the doctor says, marked for translation; a part of the table of `domain_words`. What is most particular comes first."""

from __future__ import annotations

from quarterdeck.ui.language import Texts

tr = Texts("Reasons")

TITLES = (
    tr.later("Disk"),
    tr.later("File system"),
    tr.later("Clock"),
    tr.later("Display libraries"),
    tr.later("Agent programs"),
    tr.later("Other agent programs"),
    tr.later("Login shell"),
    tr.later("Sign-ins"),
    tr.later("Keyring"),
    tr.later("Twin runs"),
    tr.later("Force-quit"),
    tr.later("Dead sign-in"),
)

COMPUTER = (
    tr.later("Version {version}, Python {python}, {system}."),
    tr.later("{place} cannot be looked at: {why}."),
    tr.later("That is too little: recording stops once it is full."),
    tr.later("{size} GB are free for {folder}."),
    tr.later("Records cannot be written: {why}."),
    tr.later("Make {place} writable, or name another folder in QUARTERDECK_DATA_DIR."),
    tr.later("Free some space."),
    tr.later("Free some space before long runs."),
    tr.later("This system does not tell which kind of file system holds the records."),
    tr.later("Records lie on {kind} ({point}), which is empty after a restart of the computer."),
    tr.later("Records lie on {kind} ({point}), on this computer."),
    tr.later("The settings admit it."),
    tr.later(
        "Records lie on {kind} ({point}), over a network, where locks do not hold what records rely on."
    ),
    tr.later("Name a local folder in QUARTERDECK_DATA_DIR; {variable}=1 takes the risk."),
    tr.later("The clock says {now}, which is before this version was made."),
    tr.later("The clock says {now}, and records were written at {later}: one of them is wrong."),
    tr.later("The system does not say that it is kept by a time server, so shown times may be off."),
    tr.later("The clock says {now}."),
    tr.later("Set the clock, for instance with: timedatectl set-ntp true"),
)

DISPLAY = (
    tr.later("Qt for Python is not installed with Quarterdeck, so the window cannot open."),
    tr.later("Install Quarterdeck anew."),
    tr.later(
        "The display libraries could not be tried: the process that loads them did not come to its end."
    ),
    tr.later("There is no display here; the terminal needs none."),
    tr.later("Everything that the window needs from the system is here."),
    tr.later("Missing: {names}."),
    tr.later("Install your system's packages that hold {names}."),
)

PROGRAMS = (
    tr.later(
        "None of the agent programs that Quarterdeck knows is installed here; commands and practice agents work without."
    ),
    tr.later("Not found: {names}."),
    tr.later("Start it once by hand: {path} --version"),
    tr.later("Only your login shell finds it: agents started here would not."),
    tr.later("{version} at {path}."),
    tr.later("Add {folder} to [programs] folders in the settings, or press *Look there too* in the window."),
    tr.later(
        "No credentials are listed: each program uses its own login, and `env:NAME` a variable of yours."
    ),
    tr.later("For {program}, {kind}."),
    tr.later("Whether it works is not tested here: that would send a request."),
    tr.later("Secrets of the credentials list lie in {keyring}."),
    tr.later("Mend the file, or move it away."),
    tr.later("Unlock the keyring of this system, or start it."),
    tr.later("a key"),
    tr.later("the program's own login"),
    tr.later("a variable of the environment"),
)

PROMISES = (
    tr.later(
        "Do not trust what is shown of runs on this computer before this is understood: `quarterdeck doctor --json` has the figures."
    ),
    tr.later(
        "In {looks} looks the workflow never looked idle while a run of it lived, and no figure went to the other run."
    ),
    tr.later(
        "Of a run whose Quarterdeck was killed a record is there, with every turn and cent; nothing was restarted and nothing lives."
    ),
    tr.later(
        "Of {agents} agents with one dead sign-in one was launched; {told} were told that it had failed, and cost nothing."
    ),
    tr.later("It did not come to its end within {seconds} s, so nothing is known."),
    tr.later("Try again when the computer is less busy."),
    tr.later("It could not be tried: {why}."),
    tr.later("The examination did not start: {why}."),
    tr.later("The examination did not come to its end within {seconds} s."),
    tr.later("The examination ended with exit {code}: {why}."),
)
"""A broken promise is told in English: it is what is reported to whoever mends it."""

MCP = (
    tr.later("The value of {name} is not taken over, as it may be a secret: set the variable {variable}."),
    tr.later("What follows {flag} is not taken over, as it may be a secret: set the variable {variable}."),
    tr.later("Not taken over: {names}."),
    tr.later("“{name}” is left out: {why}."),
    tr.later("{path} was changed meanwhile; look at what would be written once more."),
    tr.later("{path} lists no MCP servers: neither “mcpServers” nor “servers” is there."),
    tr.later("{path} cannot be read: {why}."),
)

TRUST = (
    tr.later(
        "The workflow, or a file that it attaches, is not what was shown. Read once more what it would start."
    ),
)

DOCTOR = (*TITLES, *COMPUTER, *DISPLAY, *PROGRAMS, *PROMISES, *MCP, *TRUST)
