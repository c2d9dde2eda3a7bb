"""The agent of the fault matrix: one of four tasks, done so that a successor can go on. A program of its own; imports nothing
of the product.

`python -I -S task_worker.py TASK POINT PLACE URL`: at POINT the first attempt leaves `PLACE/here.ATTEMPT` and waits to be ended, or
for `PLACE/go` (`retry wait`: it fails). A successor is never stopped: it writes what it found into `PLACE/found.json`, skips what is known to be
done, does again the rest under the same key, and looks before it acts where the world can be looked at.
"""

import json
import os
import subprocess
import sys
import time
import urllib.request

TASK, POINT, PLACE, URL = sys.argv[1:]
ATTEMPT, KEY = os.environ["QUARTERDECK_ATTEMPT"], os.environ["QUARTERDECK_IDEMPOTENCY_KEY"] + ":act"
RESUME = os.environ.get("QUARTERDECK_RESUME")


SAID = []


def say(type_, **fields):
    SAID.append(type_)
    print(json.dumps({"type": type_, **fields}), flush=True)


def content_of(path):
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read()


def reach(point):
    if point == POINT and not RESUME and not os.path.exists(f"{PLACE}/go"):
        if point == "retry wait":
            sys.exit(1)
        with open(f"{PLACE}/there", "w") as file:
            file.write(str(len(SAID)))
        os.rename(f"{PLACE}/there", f"{PLACE}/here.{ATTEMPT}")
        while not os.path.exists(f"{PLACE}/go"):
            time.sleep(0.02)


def report():
    """The world is our own record: nothing outside is done."""
    with open(f"{PLACE}/report.txt", "w") as file:
        file.write(f"the report of {KEY}\n")
    say("artifact", name="report", path=f"{PLACE}/report.txt")


def edit():
    """One line is added to a file; a line with the key is there once."""
    path = f"{PLACE}/edited.txt"
    if KEY not in content_of(path):
        with open(path, "a") as file:
            file.write(f"added by {KEY}\n")


def git(*arguments):
    done = subprocess.run(
        ["git", "-C", f"{PLACE}/repo", *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout


def commit():
    """One commit, its message names the key; the history is looked at first."""
    if KEY not in git("log", "--format=%B"):
        with open(f"{PLACE}/repo/file.txt", "a") as file:
            file.write("more\n")
        git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-aqm", f"work\n\nKey: {KEY}")


def remote(is_answered=True):
    """A long operation of a service that keeps a ledger by key: it begins with the request, and answers when it is done."""
    wait = "1" if is_answered else "0"
    request = urllib.request.Request(f"{URL}?wait={wait}", data=KEY.encode(), method="POST")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()


def act():
    say("effect", id="act", state="sent", kind=TASK, target=PLACE)
    if TASK == "remote" and POINT == "after send" and not RESUME and not os.path.exists(f"{PLACE}/go"):
        remote(is_answered=False)
    else:
        {"report": report, "edit": edit, "commit": commit, "remote": remote}[TASK]()
    reach("after send")


def main():
    known = json.loads(content_of(RESUME)) if RESUME else None
    context = json.loads(content_of(os.environ["QUARTERDECK_CONTEXT"]))
    if RESUME:
        with open(f"{PLACE}/found.json", "w") as file:
            json.dump({"context": context, "resume": known, "key": KEY}, file)
    reach("before work")
    say("turn")
    say("usage", cost_usd="0.11", message_id=ATTEMPT)
    steps = {step["step"] for step in known["steps"]["kept"]} if known else set()
    if "read" not in steps:
        say("checkpoint", step="read", data={"lines": 3})
        say("artifact", name="notes", text="what was read")
    reach("after a tool result")
    reach("retry wait")
    reach("before intent")
    done = known is not None and any(
        effect["id"] == "act" and effect["state"] == "confirmed"
        for one in known["attempts"]
        for effect in one["effects"]
    )
    if not done:
        say("effect", id="act", state="intended", kind=TASK, target=PLACE)
        reach("after intent")
        act()
        reach("after answer")
        say("effect", id="act", state="confirmed", kind=TASK, target=PLACE)
        say("checkpoint", step="did", data=KEY)
    reach("after record")
    say("output", value="whole")


main()
