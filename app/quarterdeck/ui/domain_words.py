"""Words that come from below the window, marked for translation: states, reasons, refusals. A table and nothing else.

The domain and the engine speak English and know no language. What they say is looked up here by its English words, at
the edge (`in_words.py`). `{…}` stands for what varies; names do not matter to what is matched, only to who translates.
A test holds this table against the source of both rooms.
"""

from __future__ import annotations

from quarterdeck.ui.domain_words_doctor import DOCTOR
from quarterdeck.ui.domain_words_questions import QUESTIONS
from quarterdeck.ui.domain_words_recovery import AFTER_CRASH
from quarterdeck.ui.domain_words_sign_ins import SIGN_INS
from quarterdeck.ui.language import Texts

tr = Texts("Reasons")

VALUES = (
    tr.later("created"),
    tr.later("live"),
    tr.later("ended"),
    tr.later("closed"),
    tr.later("completed"),
    tr.later("failed"),
    tr.later("stopped"),
    tr.later("interrupted"),
    tr.later("pending"),
    tr.later("claimed"),
    tr.later("active"),
    tr.later("held"),
    tr.later("retry wait"),
    tr.later("done"),
    tr.later("cancelled"),
    tr.later("starting"),
    tr.later("running"),
    tr.later("paused"),
    tr.later("stopping"),
    tr.later("lost"),
    tr.later("succeeded"),
    tr.later("never started"),
    tr.later("granted"),
    tr.later("suspect"),
    tr.later("released"),
    tr.later("revoked"),
    tr.later("expired proved"),
    tr.later("intended"),
    tr.later("sent"),
    tr.later("confirmed"),
    tr.later("refused"),
    tr.later("unknown"),
    tr.later("absent"),
    tr.later("accepted by person"),
    tr.later("exit file"),
    tr.later("other boot"),
    tr.later("namespace gone"),
    tr.later("no trace"),
    tr.later("could not stop"),
    tr.later("not started"),
    tr.later("still alive"),
    tr.later("none"),
)
"""Values of the state enumerations, with spaces for underscores."""

REASONS = (
    tr.later("Could not stop: processes are left after the last kill."),
    tr.later("the program could not be started"),
    tr.later("the machine was restarted"),
    tr.later("its process was killed from outside"),
    tr.later("no trace of its process was found"),
    tr.later("its keeper was ended from outside"),
    tr.later("its keeper is gone; what it began is being ended"),
    tr.later("its keeper met a fault of its own, told in shim-error.txt beside its reports"),
    tr.later("ran longer than its time limit"),
    tr.later("printed nothing for longer than its stall time-out"),
    tr.later("app closed"),
    tr.later("ended by a signal to its keeper"),
    tr.later(
        "ended by a fault of Quarterdeck, which its log tells: what came of its keeper could not be understood"
    ),
    tr.later("sign-in failed"),
    tr.later("the agent said: {error}"),
    tr.later("finished, but its results could not be kept"),
    tr.later("not tried again, as it was to stop"),
    tr.later("its spending cap was reached"),
    tr.later("its limit of turns was reached"),
    tr.later("the run's budget is spent"),
    tr.later("the workflow's budget is spent"),
    tr.later("the night's budget is spent"),
    tr.later("asked a question and nobody was there to answer"),
    tr.later("the time for finishing was over"),
    tr.later("stopped by you"),
    tr.later("discarded"),
    tr.later("not kept: too large"),
    tr.later("not kept any more"),
    tr.later("{message} (resets at {time})"),
    tr.later("exit {code}"),
    tr.later("ended by {signal}"),
    tr.later("signal {number}"),
    tr.later("waits for a person ({agent})"),
    tr.later("waits for a person"),
    tr.later("The output of {count} bytes is lost: {why}"),
    tr.later("it could not be kept"),
    tr.later("{count} bytes of the transcript could not be kept: the disk did not take them"),
    tr.later("{count} reports of {kind}"),
    tr.later("More was told than is kept here; {what} stand in the report file alone."),
    tr.later("an effect may have happened; look before it is done again"),
    tr.later("the retries for its credential are used up"),
    tr.later("the service asks to wait {seconds} s"),
    tr.later("was paused"),
    tr.later("answered: {answer}"),
    tr.later("its condition was not met"),
    tr.later("stopped before its next try"),
    tr.later("a fault of Quarterdeck ended it; its log says more"),
    tr.later("it could not be recorded to its end; it is settled when Quarterdeck starts again"),
    tr.later("Quarterdeck could not start it: a fault of its own, which its log describes."),
    tr.later("The condition after {agent} (“{condition}”) cannot be worked out: {why}"),
    tr.later("other models"),
    tr.later(
        "More models were named than are told apart ({count}); the others count together. Running totals among them count at least."
    ),
    tr.later(
        "More messages were told than are remembered ({count}); one of the oldest that is told again counts again."
    ),
    tr.later(
        "More agent sessions were named than are told apart ({count}); the others count together. Running totals among them count at least."
    ),
)
"""Why a run, an agent or an attempt stands as it does."""

REFUSALS = (
    tr.later("No crash is simulated: no run of this window is live."),
    tr.later("No crash is simulated: an agent that is no practice agent is at work in this window."),
    tr.later("The run has ended ({outcome}); there is nothing to stop."),
    tr.later("This run belongs to {owner}; only they can discard it."),
    tr.later("Agents of this run may still be alive ({agents}); stop them, or end their processes, first."),
    tr.later("The run is {state}; only one that has ended can be discarded."),
    tr.later("{agent} is {state}; only a running agent can be paused."),
    tr.later("{agent} is {state}; only a paused agent can go on."),
    tr.later("{agent} is {state}; there is nothing to stop."),
    tr.later("{agent} is {state}; only a stopped or failed one can be re-opened."),
    tr.later("{agent} is {state}."),
    tr.later("No such run. `quarterdeck runs` lists those that are kept here."),
    tr.later("The run has no node {node}; `quarterdeck show {run}` lists its nodes."),
    tr.later("The run has no node {node}."),
    tr.later("This run belongs to {owner}; only they can go on with it. Launch the workflow anew instead."),
    tr.later("{agent} had no attempt yet; claim it instead."),
    tr.later("Say in a few words why it is to be done again."),
    tr.later("A reason has at most {most} characters; this one has {count}."),
    tr.later("The earlier agent of {agent} is {state}; wait for its end, or end its process."),
    tr.later("The lease of the earlier agent of {agent} is not at its end; wait until its death is proved."),
    tr.later("No pinned agent of {agent} fits “{asked}”; it was launched with: {names}."),
    tr.later("{agent} has an agent already."),
    tr.later("{agent} waits: as many agents run as the workflow allows."),
    tr.later(
        "The store cannot be written, so nothing new is started. Free some space; it goes on by itself."
    ),
    tr.later("{agent} cannot start: the run is being stopped."),
    tr.later("{agent} cannot start by itself: the run is over."),
    tr.later("{agent} cannot start: the run is complete or was discarded."),
    tr.later("{agent} waits for an answer, not for an agent."),
    tr.later("{agent} cannot start yet: what it depends on is not done."),
    tr.later("{agent} has no agent."),
    tr.later("{agent} was re-opened again since; use the newest re-opening."),
    tr.later("{agent} waits for a person: re-open it first."),
    tr.later("There is no run {run}. `quarterdeck runs` lists those that are kept here."),
    tr.later("{start} fits {count} runs ({names}); write more of the id."),
    tr.later("Run {run} cannot be read: {why}"),
    tr.later("its journal has no readable header"),
    tr.later("The run cannot be read: {why}"),
    tr.later("The run cannot be opened: {why}"),
    tr.later("The process that owned this run is gone, and what it left is not settled yet."),
    tr.later("A request names a run and a verb."),
    tr.later("The process that owns this run does not know “{verb}”."),
    tr.later("Give the limit as an amount in US dollars, such as 2.50."),
    tr.later(
        "The owner waits for its disk; what was asked will be done once the disk allows, unless it does not fit then."
    ),
    tr.later(
        "The agents are told to end; the owner waits for its disk, and the stop will be recorded once it allows."
    ),
    tr.later(
        "The owner waits for its disk; the claim may still happen once the disk allows. Look before you ask again."
    ),
    tr.later("It was refused."),
    tr.later("Another Quarterdeck process has this run; ask there, or try again once it ended."),
    tr.later("another version of Quarterdeck owns this run; use that version"),
    tr.later("it met a fault of its own, which its log describes"),
    tr.later("The store cannot be written: {why}"),
    tr.later("The run has ended; nothing was changed."),
    tr.later("Quarterdeck is closing; nothing new is started."),
    tr.later("This process was opened for reading only."),
    tr.later("The run's budget of ${amount} is spent; raise it first."),
    tr.later("The workflow's budget of ${amount} for all its runs is spent; raise it first."),
    tr.later("The night's budget of ${amount} for all runs is spent; raise it first."),
    tr.later("The budgets cannot be told: {why}"),
    tr.later("The run is live; there is nothing to be answered."),
    tr.later("Say in a few words how that is known."),
    tr.later("{agent} has no attempt {attempt}."),
    tr.later("{agent} reported no effect “{effect}”; it reported: {effects}."),
    tr.later("{agent} has not ended and may still answer for “{effect}” itself."),
    tr.later("{agent} itself reported “{effect}” as {state}; there is nothing to settle."),
    tr.later("This run belongs to {owner}; only they can do that."),
)
"""Why something that was asked of a run was not done."""

LAUNCHING = (
    tr.later(
        "An MCP server of agent “{agent}” needs the variable {variable}, which the agent does not have: name it in `pass_env`, `env` or `secrets`."
    ),
    tr.later("Input “{name}” {why}."),
    tr.later("There is no input “{name}” (the workflow asks for: {names})."),
    tr.later("The outcome cannot be worked out: {why}"),
    tr.later("Nothing was launched: {why}"),
    tr.later("{what} is not UTF-8 text, so no run can keep it: {text}; rename it."),
    tr.later("not known yet: it depends on what earlier agents give"),
    tr.later("The pinned {what} {revision}… is missing or damaged; launch the workflow anew."),
    tr.later("“{path}” is no file"),
    tr.later("“{path}” cannot be read: {why}"),
    tr.later("“{path}” is longer than {count} bytes"),
    tr.later("The command names no program; write one as the first item of “argv”."),
    tr.later(
        "The program “{program}” is not installed: it is neither in a folder of PATH ({path}) nor in {folder}. Install it, or name its full path."
    ),
    tr.later("The name of the folder holds the NUL character."),
    tr.later("The folder “{folder}” cannot be used: {why}."),
    tr.later("The folder {folder} is not there."),
    tr.later("{path} is no folder; an agent cannot start in it."),
    tr.later("The folder {folder} may not be entered (permission)."),
    tr.later("The program “{program}” is not there: {path}."),
    tr.later("The program {program} cannot be used: {why}."),
    tr.later("{path} is no program: it is {what}."),
    tr.later("a folder"),
    tr.later("no regular file"),
    tr.later("{path} is not executable; allow it with: chmod +x {path_again}"),
    tr.later("This attempt was not begun, so nothing was told to its agent."),
    tr.later("The launch file of this attempt is missing or damaged: what it was told is not known."),
    tr.later("What is pinned for this run cannot be read: {why}"),
)
"""Why nothing was launched, or what was told to an agent is not known."""

HOUSEHOLD = (
    tr.later("It did not start: {why}."),
    tr.later("It did not tell its version within {seconds} s."),
    tr.later("It did not tell its version (exit {code})."),
    tr.later("The login shell “{shell}” is not one that can be asked for its PATH."),
    tr.later("The login shell {shell} did not tell its PATH: {why}."),
    tr.later("it did not answer in time"),
    tr.later("it ended with exit {code}"),
    tr.later("No program is named."),
    tr.later("{program} did not start: {why}."),
    tr.later("{path} cannot be written: {why}."),
    tr.later("The log cannot be read: {why}"),
    tr.later("there is no program {program} on this computer."),
)
"""Programs, files and the log."""

WHOLE = (
    *VALUES,
    *REASONS,
    *REFUSALS,
    *LAUNCHING,
    *HOUSEHOLD,
    *DOCTOR,
    *QUESTIONS,
    *AFTER_CRASH,
    *SIGN_INS,
)
