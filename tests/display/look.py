"""Reads the window as a screen reader does. Runs in the system's Python, which has pyatspi; knows nothing of Quarterdeck.

Prints one JSON document: every accessible below the window `Quarterdeck` (or below the one named by the argument), each
with name, description, role, states, place on the screen and path of names. `--press NAME`: do its first action first.
"""

import json
import sys

import pyatspi

DEPTH_MAX, CHILDREN_MAX = 30, 400


def described(thing, path):
    states = sorted(pyatspi.stateToString(s) for s in thing.getState().getStates())
    try:
        box = thing.queryComponent().getExtents(pyatspi.DESKTOP_COORDS)
        place = [box.x, box.y, box.width, box.height]
    except NotImplementedError:
        place = None
    return {
        "name": thing.name,
        "description": thing.description,
        "role": thing.getRoleName(),
        "states": states,
        "place": place,
        "path": path,
    }


def walk(thing, path, depth, found):
    found.append((thing, described(thing, path)))
    if depth == DEPTH_MAX:
        return
    for at in range(min(thing.childCount, CHILDREN_MAX)):
        child = thing.getChildAtIndex(at)
        if child is not None:
            walk(child, [*path, thing.name], depth + 1, found)


def main():
    asked = sys.argv[1:]
    found = []
    desktop = pyatspi.Registry.getDesktop(0)
    for app in (desktop.getChildAtIndex(i) for i in range(desktop.childCount)):
        if app is None:
            continue
        for at in range(app.childCount):
            frame = app.getChildAtIndex(at)
            if frame is not None:
                walk(frame, [], 0, found)
    if asked[:1] == ["--press"]:
        thing = next(t for t, d in found if d["name"] == asked[1])
        thing.queryAction().doAction(0)
    print(json.dumps([d for _, d in found]))


main()
