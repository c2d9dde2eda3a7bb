"""The shape of a workflow file (design §6): which keys there are and what type each has, told in plain words.

Here live the pydantic models and nothing else: what a value refers to is judged by `workflow_checks`, and the
conversion to the domain's types is `workflow_file`'s. Unknown keys are kept (`extra`) and warned of there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PrivateAttr
from pydantic_core import PydanticCustomError

from quarterdeck.domain.mcp_servers import TRANSPORTS
from quarterdeck.domain.money import parse_usd
from quarterdeck.domain.workflow import AGENT_KINDS, FORMAT, InputType

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
NODE_ID = re.compile(r"[a-z_][a-z0-9_]{0,199}")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
RESERVED_VARIABLES = "QUARTERDECK_"
TIME_S_MAX = 30 * 24 * 3600.0
TEXT_CHARS_MAX = 1_000_000
PRICES_MAX = 1_000


def _wrong(message: str) -> PydanticCustomError:
    return PydanticCustomError("words", "{said}", {"said": message})


def kind_of(value: Any) -> str:
    """What a JSON value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


def _text(value: Any) -> Any:
    if not isinstance(value, str):
        raise _wrong(f"must be text, not {kind_of(value)}")
    if len(value) > TEXT_CHARS_MAX:
        raise _wrong(f"may have {TEXT_CHARS_MAX:,} characters, not {len(value):,}")
    return value


def _name(value: Any) -> Any:
    if not _text(value).strip():
        raise _wrong("must not be empty")
    if len(value) > 200:
        raise _wrong(f"may have 200 characters, not {len(value):,}")
    return value


def _matching(pattern: re.Pattern[str], said: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if not pattern.fullmatch(_text(value)):
            raise _wrong(f"{_quoted(value)} is no valid name: {said}")
        return value

    return check


def _choice(*words: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if _text(value) not in words:
            raise _wrong(f"{_quoted(value)} is not known here; it can be {', '.join(words)}")
        return value

    return check


def _flag(value: Any) -> Any:
    if not isinstance(value, bool):
        raise _wrong(f"must be true or false, not {kind_of(value)}")
    return value


def _list(value: Any) -> Any:
    if not isinstance(value, list):
        raise _wrong(f"must be a list, not {kind_of(value)}")
    return value


def _object(value: Any) -> Any:
    if not isinstance(value, dict):
        raise _wrong(f"must be an object, not {kind_of(value)}")
    return value


def _whole(low: int, high: int) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int):
            raise _wrong(
                f"must be a whole number, not {kind_of(value) if not isinstance(value, float) else value}"
            )
        if not low <= value <= high:
            raise _wrong(f"must be from {low} to {high:,}, not {value}")
        return value

    return check


def _seconds(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(f"must be a number of seconds, not {kind_of(value)}")
    if not 0 < value <= TIME_S_MAX:
        raise _wrong(f"must be over 0 and at most {TIME_S_MAX:,.0f} seconds, not {value}")
    return float(value)


def _money(value: Any) -> Any:
    amount = parse_usd(value)
    if amount is None:
        raise _wrong('must be an amount of US dollars such as "2.00", at least 0')
    return amount


def _prices(value: Any) -> Any:
    if len(_object(value)) > PRICES_MAX:
        raise _wrong(f"may have {PRICES_MAX:,} models, not {len(value):,}")
    return value


def _numbers(said: str, count: int, sizes: int = 0) -> Callable[[Any], Any]:
    """`count` numbers of which the last `sizes` are over 0."""

    def is_number(part: Any) -> bool:
        return isinstance(part, int | float) and not isinstance(part, bool) and math.isfinite(part)

    def check(value: Any) -> Any:
        if not (isinstance(value, list) and len(value) == count and all(map(is_number, value))):
            raise _wrong(f"must be {said}")
        if any(abs(part) > 1e7 for part in value):
            raise _wrong("must lie between -10,000,000 and 10,000,000")
        if any(part <= 0 for part in value[count - sizes :]):
            raise _wrong("width and height must be over 0")
        return tuple(map(float, value))

    return check


_position = _numbers("two numbers: [x, y]", 2)
_size = _numbers("two numbers: [width, height]", 2, 2)
_rect = _numbers("four numbers: [x, y, width, height]", 4, 2)


def _effects(value: Any) -> Any:
    if value == "none":
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise _wrong('must be "none" or a list of texts that say what the node does outside')


def _format(value: Any) -> Any:
    if value != FORMAT:
        raise _wrong(f"this is not {_quoted(FORMAT)}, the one format that this version reads")
    return value


def _quoted(value: str) -> str:
    return f"“{value if len(value) <= 80 else value[:77] + '…'}”"


Text = Annotated[str, BeforeValidator(_text)]
Name = Annotated[str, BeforeValidator(_name)]
NodeIdText = Annotated[
    str, BeforeValidator(_matching(NODE_ID, "it begins with a-z or _, then a-z, 0-9 or _, at most 200"))
]
InputName = Annotated[
    str,
    BeforeValidator(_matching(NAME, "it begins with a letter or _, then letters, digits or _, at most 200")),
]
Flag = Annotated[bool, BeforeValidator(_flag)]
Money = Annotated[Decimal, BeforeValidator(_money)]
Seconds = Annotated[float, BeforeValidator(_seconds)]
Texts = Annotated[list[Text], BeforeValidator(_list)]
TextMap = Annotated[dict[str, Text], BeforeValidator(_object)]
ExitCode = Annotated[int, BeforeValidator(_whole(0, 255))]


class _Part(BaseModel):
    """A part of the file. Keys that it does not know are kept."""

    model_config = ConfigDict(
        extra="allow", strict=True, arbitrary_types_allowed=True, protected_namespaces=()
    )
    _told: frozenset[str] = PrivateAttr(frozenset())

    def is_told(self, *keys: str) -> bool:
        """Whether one of the keys has a fault of its own: nothing follows from what stands in its place here."""
        return not self._told.isdisjoint(keys)


class InputPart(_Part):
    """`inputs[]`."""

    name: InputName
    type: Annotated[str, BeforeValidator(_choice(*InputType))]
    required: Flag = False
    default: Any = None
    label: Text = ""
    options: Texts = []


class PricePart(_Part):
    """`agents.NAME.prices.MODEL`: US dollars for a million tokens."""

    input: Money | None = None
    output: Money | None = None
    cache_read: Money | None = None
    cache_write: Money | None = None


Prices = Annotated[dict[str, Annotated[PricePart, BeforeValidator(_object)]], BeforeValidator(_prices)]


class ServerPart(_Part):
    """`agents.NAME.mcp_servers.SERVER`: a command, or an address."""

    type: Annotated[str, BeforeValidator(_choice(*TRANSPORTS))] | None = None
    command: Name | None = None
    args: Texts = []
    env: TextMap = {}
    url: Name | None = None
    headers: TextMap = {}


Servers = Annotated[dict[str, Annotated[ServerPart, BeforeValidator(_object)]], BeforeValidator(_object)]


class AgentPart(_Part):
    """`agents.NAME`."""

    kind: Annotated[str, BeforeValidator(_choice(*AGENT_KINDS))]
    argv: Texts = []
    protocol: Annotated[str, BeforeValidator(_choice("text", "lines"))] | None = None
    cwd: Text = ""
    env: TextMap = {}
    secrets: TextMap = {}
    pass_env: Texts = []
    success_codes: Annotated[list[ExitCode], BeforeValidator(_list)] = [0]
    timeout_s: Seconds | None = None
    stall_timeout_s: Seconds | None = None
    model: Name | None = None
    credential: Name | None = None
    credential_env: Name | None = None
    permissions: Name | None = None
    mode: Name | None = None
    max_turns: Annotated[int, BeforeValidator(_whole(1, 1_000_000))] | None = None
    budget_usd: Money | None = None
    prices: Prices = {}
    mcp_servers: Servers = {}
    worker_class: Name | None = Field(None, alias="class")
    allow_dash: Flag = False
    containment: Annotated[str, BeforeValidator(_choice("auto", "user_namespace", "tree"))] = "auto"


class RetryPart(_Part):
    """`nodes[].retry`."""

    max_attempts: Annotated[int, BeforeValidator(_whole(1, 100))] = 1


class NodePart(_Part):
    """`nodes[]`."""

    id: NodeIdText
    title: Text = ""
    kind: Annotated[str, BeforeValidator(_choice("agent", "approval"))] = "agent"
    agent: Text | None = None
    prompt: Text = ""
    alternatives: Texts = []
    attach: Texts = []
    skills: Texts = []
    library: Texts = []
    retry: Annotated[RetryPart, BeforeValidator(_object)] = RetryPart()
    budget_usd: Money | None = None
    timeout_s: Seconds | None = None
    for_each: Text | None = None
    question: Text = ""
    effects: Annotated[Any, BeforeValidator(_effects)] = None
    position: Annotated[tuple[float, float], BeforeValidator(_position)] | None = None


class LoopPart(_Part):
    """`edges[].loop`."""

    until: Name
    max_rounds: Annotated[int, BeforeValidator(_whole(1, 10_000))]


class EdgePart(_Part):
    """`edges[]`."""

    source: Text = Field(alias="from")
    target: Text = Field(alias="to")
    when: Name = "success"
    loop: Annotated[LoopPart, BeforeValidator(_object)] | None = None


class FramePart(_Part):
    """`frames[]`."""

    title: Text = ""
    nodes: Texts = []
    rect: Annotated[tuple[float, float, float, float], BeforeValidator(_rect)] | None = None


class NotePart(_Part):
    """`notes[]`."""

    text: Text
    position: Annotated[tuple[float, float], BeforeValidator(_position)] = (0.0, 0.0)
    size: Annotated[tuple[float, float], BeforeValidator(_size)] | None = None


class LimitsPart(_Part):
    """`limits`."""

    max_parallel: Annotated[int, BeforeValidator(_whole(1, 1_000))] | None = None
    budget_usd: Money | None = None


Agents = Annotated[dict[str, Annotated[AgentPart, BeforeValidator(_object)]], BeforeValidator(_object)]
Inputs = Annotated[list[Annotated[InputPart, BeforeValidator(_object)]], BeforeValidator(_list)]
Nodes = Annotated[list[Annotated[NodePart, BeforeValidator(_object)]], BeforeValidator(_list)]
Frames = Annotated[list[Annotated[FramePart, BeforeValidator(_object)]], BeforeValidator(_list)]
Notes = Annotated[list[Annotated[NotePart, BeforeValidator(_object)]], BeforeValidator(_list)]
Edges = Annotated[list[Annotated[EdgePart, BeforeValidator(_object)]], BeforeValidator(_list)]


class WorkflowPart(_Part):
    """The whole file."""

    format: Annotated[str, BeforeValidator(_format)]
    id: Name
    name: Name
    outcome: Text | None = None
    inputs: Inputs = []
    agents: Agents
    nodes: Nodes
    edges: Edges = []
    limits: Annotated[LimitsPart, BeforeValidator(_object)] = LimitsPart()
    frames: Frames = []
    notes: Notes = []
