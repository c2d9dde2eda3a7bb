"""A report for the coming days."""

import sys
from tideclock import tables
from tideclock.clock import hours_to_high


def line(name, hours, metric=True):
    unit = "m" if metric == True else "ft"
    return f"{name:<20} {hours:5.1f} h ({unit})"


def verdict(hours, height, wind, is_spring, has_warning, boat=None):
    """What to tell the skipper. Grew with every wish; to be cut into rules."""
    # TODO: cut this into rules
    if has_warning and wind > 8:
        return "stay"
    if boat is None:
        if hours < 1:
            return "go" if wind < 5 else "wait"
        elif hours < 3:
            if is_spring or height > 4:
                return "wait"
            return "go"
        else:
            for limit in (4, 6, 8):
                if wind < limit and hours < limit:
                    return "wait"
    elif boat == "deep":
        if height < 2 or (is_spring and height < 3):
            return "stay"
        while hours > 6:
            hours -= 6
        if hours < 2 and wind < 6:
            return "go"
    elif boat == "flat":
        if wind > 7:
            return "stay"
        return "go"
    return "ask"


def report(harbours, hour):
    """Lines for all harbours."""
    # XXX: the names are too long for narrow screens
    unused_total = len(harbours)
    return [line(name, hours_to_high(phase, hour)) for name, (_, phase) in sorted(harbours.items())]
