"""Words of domain and engine about what a crash left, marked for translation: see `domain_words`. A table and nothing else."""

from __future__ import annotations

from quarterdeck.ui.language import Texts

tr = Texts("Reasons")

KNOWN_BY = (
    tr.later("its keeper recorded that everything had ended"),
    tr.later("the computer was started again since"),
    tr.later("the process space that it lived in is gone"),
    tr.later("no trace found"),
    tr.later("never started"),
    tr.later("processes are left"),
    tr.later("still alive: process {pids}"),
    tr.later("still ending: its keeper is closing it"),
    tr.later("could not be told: its lease is held, and no process of it can be named"),
    tr.later("carries the agent's mark"),
    tr.later("holds the agent's lease"),
    tr.later("is the keeper of the agent"),
)
"""Whether an old process lives, and how that is known."""

LAST_KNOWN = (
    tr.later("not started yet"),
    tr.later("attempt {newest} had not started; attempt {number}: {words}"),
    tr.later("it had failed, and its next try was not made"),
    tr.later("waited for an answer: {question}"),
    tr.later("in {type}: {target}"),
    tr.later("at: {label}"),
    tr.later("after the saved step: {step}"),
    tr.later("in a turn"),
    tr.later("at work; it had told nothing of what it was in"),
    tr.later("a question: {question}"),
    tr.later("a request to its model: its cost may be missing"),
)
"""What an agent was in when it was heard last."""

FOLDERS = (
    tr.later("it is not known where the agent worked: it had not started"),
    tr.later("the folder {folder} is not there"),
    tr.later("git could not tell what changed: {why}"),
    tr.later("git could not tell of commits: {why}"),
    tr.later("only the first {count} entries of the folder were looked at"),
    tr.later("{count} folders inside may not be read"),
    tr.later("git is not installed"),
    tr.later("git says: {what}"),
    tr.later("no repository"),
    tr.later("new"),
    tr.later("added"),
    tr.later("changed"),
    tr.later("deleted"),
    tr.later("renamed"),
    tr.later("copied"),
    tr.later("in conflict"),
    tr.later("as at the last start"),
    tr.later("another version than at the last start: {then} bytes then, {now} now"),
    tr.later("version {now} now, {then} at the last start"),
    tr.later("it leads to {now} now, to {then} at the last start"),
    tr.later("it is not there any more"),
    tr.later("what was saved for it was not kept: {problem}"),
    tr.later("what was saved for it is missing"),
    tr.later("what was saved for it is not what it was any more"),
    tr.later("only its hash is known"),
)
"""What was found in the working folder, of saved steps and of programs."""

PROBED = (
    tr.later("it is not known where the agent worked"),
    tr.later("git cannot be asked: {why}"),
    tr.later("there is no probe for {kind}; look where it happened, and settle it"),
    tr.later("the agent did not say which file"),
    tr.later("the file is named relative to a folder that is not known"),
    tr.later("{path} cannot be looked at: {why}"),
    tr.later("{path} is still there"),
    tr.later("{path} is there and is no regular file"),
    tr.later("{seen}; too large to be compared"),
    tr.later("{seen}; it cannot be read: {why}"),
    tr.later("{seen}, with the content that the agent named"),
    tr.later("{seen}, with another content than the agent named"),
    tr.later("{path} is there, {count} bytes"),
    tr.later("{path} is not there"),
    tr.later("git could not tell: {why}"),
    tr.later("commit {revision} of that subject was made since the attempt began"),
    tr.later("no commit was made on any branch since the attempt began"),
    tr.later("{count} commits were made since the attempt began, and none is named as the agent's"),
    tr.later("the repository has no commit {revision}"),
    tr.later("commit {revision} is in the repository, {where}"),
    tr.later("{remote} could not be asked: {why}"),
    tr.later("{remote} has no branch {branch}"),
    tr.later("{remote} has {branch} at {revision}; what was to be pushed is not known here"),
    tr.later("{name} is at {revision}, as here"),
    tr.later("{name} is at {revision}, which is not known here; fetch it, then probe again"),
    tr.later("{name} is at {revision} and holds {wanted}"),
    tr.later("{name} is at {revision} and does not hold {wanted}"),
    tr.later("the repository has no remote “{asked}” that could be asked"),
    tr.later("it is not known which branch was pushed"),
)
"""What a probe found."""

DAMAGED = (
    tr.later("its journal is damaged"),
    tr.later("its journal is missing"),
    tr.later("its journal is damaged ({reason}, at byte {place})"),
    tr.later("its journal is damaged (it does not name attempt {attempt}, which has reported)"),
    tr.later("its files are damaged (attempts is no folder)"),
    tr.later("its files are damaged (owner.lock is no file)"),
    tr.later("its files are damaged (attempts is missing)"),
    tr.later("its journal is damaged (it ends at entry {last}, and the record of its end covers {covered})"),
    tr.later("Run {run} cannot be carried on: {why}. Launch it anew, or discard it."),
    tr.later("What it reported cannot be read: {reason}, at byte {place}"),
    tr.later("What it reported cannot be read: {why}"),
    tr.later(
        "What it reported is lost, effects and files among it perhaps: its file is missing, empty or damaged"
    ),
    tr.later("its file ends there, and more was written"),
    tr.later(
        "What it told after report {number} is lost, effects and files among it perhaps: {reason}, at byte {place}"
    ),
    tr.later("What it told after report {number} is lost, effects and files among it perhaps: {why}"),
    tr.later("the end of its reports was lost"),
    tr.later("no checksum at its end"),
    tr.later("checksum does not match"),
    tr.later("not JSON, or nested too deeply"),
    tr.later("not an object"),
    tr.later("a line that does not follow the one before it"),
    tr.later("{file} has no header"),
    tr.later("what comes before is shown"),
    tr.later("the record of its end is shown"),
    tr.later("what can be read of it is shown"),
    tr.later("{folder} has a journal that is damaged ({reason}, at byte {place})"),
    tr.later("it cannot be read, and there is no journal beside it"),
    tr.later("what the run in {folder} pinned cannot be read"),
)
"""What is wrong with a journal, or with what an agent reported, and what is shown instead."""

ASKED = (
    tr.later("{agent} had no attempt yet; there is nothing to look at."),
    tr.later("{agent} had no attempt yet; start it instead of resuming it."),
    tr.later("End the old process of {agent} first: {pids}."),
    tr.later("Process {pid} has ended."),
    tr.later("Process {pid} did not end when asked and was killed."),
    tr.later("Process {pid} could not be ended: it is still alive."),
    tr.later("Process {pid} is gone; nothing was left to be ended."),
    tr.later("Process {pid} is none of this agent's any more; nothing was ended."),
    tr.later("Process {pid} belongs to another user; it was not ended."),
    tr.later("The run is live; there is nothing to be answered."),
    tr.later("Say in a few words how that is known."),
    tr.later("{agent} has no attempt {attempt}."),
    tr.later("{agent} reported no effect “{effect}”; it reported: {names}."),
    tr.later("{agent} has not ended and may still answer for “{effect}” itself."),
    tr.later("{agent} itself reported “{effect}” as {state}; there is nothing to settle."),
    tr.later("This run belongs to {owner}; only they can do that."),
    tr.later("This run belongs to {owner}; only they can bring it back."),
    tr.later("An agent of this run may still be alive; end its processes first."),
    tr.later("{run} is not among the discarded runs; they can be brought back for {days} days."),
    tr.later("{run} was discarded more than {days} days ago and cannot be brought back any more."),
    tr.later("A run {run} is there already; nothing was changed."),
)
"""Why something that was asked of an interrupted or discarded run was not done, or what became of it."""

KEPT = (
    tr.later("it could not be read and was set aside; nothing uses it"),
    tr.later("{count} bytes at byte {place}: {why}"),
    tr.later("What is kept cannot be read: {why}"),
    tr.later(
        "What a crash left could not be settled, so interrupted runs are shown as their files tell by now: {why}."
    ),
    tr.later("another process is settling it and has not done so yet"),
    tr.later("The data folder {folder} cannot be used: {why}"),
    tr.later("The data folder {folder} cannot be written: {why}"),
    tr.later(
        "ended by a fault of Quarterdeck, which its log tells: what came of its keeper could not be understood"
    ),
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
"""What cannot be used of what is kept, and what is counted together."""

AFTER_CRASH = (*KNOWN_BY, *DAMAGED, *FOLDERS, *PROBED, *ASKED, *KEPT, *LAST_KNOWN)
"""The last are the least particular."""
