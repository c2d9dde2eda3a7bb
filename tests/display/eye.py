"""Sees and presses as assistive programs do: AT-SPI over D-Bus, nothing cached. Knows nothing of Quarterdeck.

Runs in the system's Python, which has gi. One JSON command a line on stdin, one JSON answer a line on stdout. A thing is
named by `id`: [bus name, object path]. Questions of one command are sent together, so a look at fifty things is quick.

    tree ID? ALL? WINDOW? everything in sight below (default: in every window, or in those of that name), as `Thing` documents in order;
                  ALL: hidden parts too
    read IDS      name, description, states of these, and when (seconds on the monotonic clock)
    text ID       the whole text of a text
    press ID      do the first action
    choose ID N   select the child with number N
    heard         the events that came since the last time, each with its time
"""

import json
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gio, GLib  # noqa: E402

A11Y = "org.a11y.atspi."
ACCESSIBLE, PROPERTIES = A11Y + "Accessible", "org.freedesktop.DBus.Properties"
REGISTRY, ROOT = A11Y + "Registry", "/org/a11y/atspi/accessible/root"
NOTHING = "/org/a11y/atspi/null"
SCREEN = 0
CHILDREN_MAX, DEPTH_MAX, WITHIN_MS, LOOKS_MAX = 600, 30, 5000, 20
EVENTS = ("object:announcement", "object:state-changed:focused", "window:activate", "window:deactivate")


class Bus:
    """The accessibility bus; many questions at once."""

    def __init__(self):
        session = Gio.bus_get_sync(Gio.BusType.SESSION)
        asked = session.call_sync(
            "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, 0, WITHIN_MS
        )
        flags = Gio.DBusConnectionFlags
        self.connection = Gio.DBusConnection.new_for_address_sync(
            asked.unpack()[0], flags.AUTHENTICATION_CLIENT | flags.MESSAGE_BUS_CONNECTION
        )
        self.heard = []
        self.gone = set()  # Qt goes on telling of some cells that have gone: each spoils one look only
        for interface in ("Event.Object", "Event.Window", "Event.Focus"):
            self.connection.signal_subscribe(None, A11Y + interface, None, None, None, 0, self.on_event)
        for name in EVENTS:
            self.ask(
                [
                    (
                        (REGISTRY, "/org/a11y/atspi/registry"),
                        REGISTRY,
                        "RegisterEvent",
                        ("(sass)", (name, [], "")),
                    )
                ]
            )
            self.ask([((REGISTRY, "/org/a11y/atspi/registry"), REGISTRY, "RegisterEvent", ("(s)", (name,)))])

    def on_event(self, _connection, sender, path, _interface, member, arguments):
        detail, first, _second, value = (*arguments.unpack(), "", 0, 0, "")[:4]
        self.heard.append(
            {"at": time.monotonic(), "event": member, "detail": detail, "first": first, "value": str(value),
             "id": [sender, path]}
        )  # fmt: skip

    def ask(self, questions):
        """(thing, interface, method, (signature, arguments) or None) each; None where there is no answer."""
        answers, owed = [None] * len(questions), [len(questions)]

        def on_answer(connection, result, place):
            try:
                answers[place] = connection.call_finish(result).unpack()
            except GLib.Error:
                answers[place] = None
            owed[0] -= 1

        for place, (thing, interface, method, given) in enumerate(questions):
            body = GLib.Variant(*given) if given else None
            self.connection.call(
                thing[0], thing[1], interface, method, body, None, 0, WITHIN_MS, None, on_answer, place
            )
        while owed[0]:
            GLib.MainContext.default().iteration(True)
        return answers

    def turn(self):
        while GLib.MainContext.default().iteration(False):
            pass


def asked(thing, name):
    return (thing, PROPERTIES, "Get", ("(ss)", (ACCESSIBLE, name)))


def states_of(answer):
    low, high = answer[0] if answer else (0, 0)
    bits = low | high << 32
    return [
        s.value_nick
        for s in map(Atspi.StateType, range(int(Atspi.StateType.LAST_DEFINED)))
        if bits >> int(s) & 1
    ]


def read(bus, things):
    """Name, description and states of each."""
    questions = []
    for thing in things:
        questions += [
            asked(thing, "Name"),
            asked(thing, "Description"),
            (thing, ACCESSIBLE, "GetState", None),
        ]
    answers = iter(bus.ask(questions))
    return [
        {
            "is_gone": name is None,
            "name": (name or ("",))[0],
            "description": (said or ("",))[0],
            "states": states_of(states),
        }
        for name, said, states in zip(answers, answers, answers, strict=True)
    ]


class Torn(Exception):
    """What was told to be there went while it was looked at: the look shows no moment that ever was."""


def described(bus, things, is_all):
    """All of each thing that is in sight, its children's ids included."""
    told, questions = read(bus, things), []
    gone = {tuple(t) for t, said in zip(things, told, strict=True) if said.pop("is_gone")}
    if gone - bus.gone:
        bus.gone |= gone
        raise Torn
    kept = [
        (t, said)
        for t, said in zip(things, told, strict=True)
        if tuple(t) not in gone and (is_all or "showing" in said["states"])
    ]
    things, told = [t for t, _ in kept], [said for _, said in kept]
    for thing in things:
        questions += [
            (thing, ACCESSIBLE, "GetRoleName", None),
            (thing, ACCESSIBLE, "GetChildren", None),
            (thing, ACCESSIBLE, "GetInterfaces", None),
            (thing, A11Y + "Component", "GetExtents", ("(u)", (SCREEN,))),
        ]
    answers = iter(bus.ask(questions))
    four = list(zip(things, told, answers, answers, answers, answers, strict=True))
    if any(role is None or below is None for _, _, role, below, _, _ in four):
        raise Torn  # it had a name a moment ago
    return [
        said
        | {
            "id": list(thing),
            "role": role[0],
            "children": [list(child) for child in below[0][:CHILDREN_MAX] if child[1] != NOTHING],
            "interfaces": [name.removeprefix(A11Y) for name in (interfaces or ([],))[0]],
            "place": list(place[0]) if place else None,
        }
        for thing, said, role, below, interfaces, place in four
    ]


def whole_tree(bus, top, is_all, window):
    for _ in range(LOOKS_MAX):
        try:
            return tree(bus, top, is_all, window)
        except Torn:
            continue
    raise RuntimeError(f"torn {LOOKS_MAX} times, one after the other")


def tree(bus, top, is_all, window):
    """Depth first; each with the names on its way."""
    if top is None:
        apps = bus.ask([((REGISTRY, ROOT), ACCESSIBLE, "GetChildren", None)])[0]
        frames = bus.ask([(app, ACCESSIBLE, "GetChildren", None) for app in (apps or ([],))[0]])
        level = [tuple(frame) for found in frames for frame in (found or ([],))[0]]
        if window is not None:
            names = bus.ask([asked(frame, "Name") for frame in level])
            level = [frame for frame, name in zip(level, names, strict=True) if name == (window,)]
    else:
        level = [tuple(top)]
    roots, known = list(level), {}
    for _ in range(DEPTH_MAX):
        for made in described(bus, level, is_all):
            known[tuple(made["id"])] = made
        level = [tuple(c) for t in level if t in known for c in known[t]["children"] if tuple(c) not in known]
        if not level:
            break
    found = []

    def collect(thing, path):
        made = known.get(thing)
        if made is not None and "path" not in made:
            made["path"] = path
            found.append(made)
            for child in made["children"]:
                collect(tuple(child), [*path, made["name"]])

    for root in roots:
        collect(root, [])
    for made in found:
        del made["children"]
    return found


def answer(bus, command):
    thing = tuple(command.get("id") or ())
    match command["do"]:
        case "tree":
            return whole_tree(bus, thing or None, bool(command.get("all")), command.get("window"))
        case "read":
            began = time.monotonic()
            told = read(bus, [tuple(t) for t in command["ids"]])
            return {"began": began, "ended": time.monotonic(), "things": told}
        case "text":
            got = bus.ask([(thing, A11Y + "Text", "GetText", ("(ii)", (0, -1)))])[0]
            return got[0] if got else ""
        case "press":
            return bus.ask([(thing, A11Y + "Action", "DoAction", ("(i)", (0,)))])[0]
        case "choose":
            given = ("(i)", (command["number"],))
            return bus.ask([(thing, A11Y + "Selection", "SelectChild", given)])[0]
        case "heard":
            bus.turn()
            heard, bus.heard = bus.heard, []
            return heard
    raise ValueError(command["do"])


def main():
    bus = Bus()
    print("ready", flush=True)
    stdin = Gio.UnixInputStream.new(0, False)
    lines = Gio.DataInputStream.new(stdin)

    def on_line(stream, result):
        line = stream.read_line_finish_utf8(result)[0]
        if line is None:
            loop.quit()
            return
        print(json.dumps(answer(bus, json.loads(line))), flush=True)
        stream.read_line_async(GLib.PRIORITY_DEFAULT, None, on_line)

    loop = GLib.MainLoop()
    lines.read_line_async(GLib.PRIORITY_DEFAULT, None, on_line)
    loop.run()


main()
