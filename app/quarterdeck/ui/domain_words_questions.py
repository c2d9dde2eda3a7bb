"""What domain and engine say of questions that are not open any more, and of messages: a part of the table of `domain_words`."""

from __future__ import annotations

from quarterdeck.ui.language import Texts

tr = Texts("Reasons")

QUESTIONS = (
    tr.later("“{request}” fits several open questions, so nothing was answered; name one of: {names}."),
    tr.later("That question is not open, so nothing was answered; open now: {names}."),
    tr.later(
        "That question of {agent} was answered “{choice}”, as was allowed for this run. Nothing was answered now."
    ),
    tr.later(
        "That question of {agent} was answered “{choice}” by {actor} already. Nothing was answered now."
    ),
    tr.later("The agent that asked ({agent}) has ended, and its question with it; nothing was answered."),
    tr.later(
        "{agent} asks that no more: something else came in its place, or it went on. Nothing was answered; open now: {names}."
    ),
    tr.later("Answer with one of: {options}."),
    tr.later("The question is not on the disk yet, which takes nothing now; answer again once it does."),
    tr.later("nobody answered whether it may; it was not begun"),
    tr.later("Nothing that was allowed for this run stands under that id."),
    tr.later("waits for its sign-in; the keyring may be asking for its password"),
    tr.later("{agent} is {state}; only one that waits gets another agent."),
    tr.later("{agent} gets no other agent: nothing of its run starts any more."),
    tr.later("Say something, in at most {count} characters."),
    tr.later("{agent} is {state}; only an agent at work takes a message."),
    tr.later(
        "{agent} has not said yet that it takes messages: it may be starting, or take none. Nothing was sent; say it again once it has begun."
    ),
    tr.later("The program of {agent} takes no messages while it works; nothing was sent."),
)
