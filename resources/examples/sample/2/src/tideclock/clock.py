# SPDX-License-Identifier: MIT
"""The time to the next high water."""

from tideclock.tables import PERIOD_H


def hours_to_high(phase, hour):
    """Hours from `hour` to the next high water of a harbour with that phase."""
    return (phase - hour) % PERIOD_H


def is_rising(phase, hour):
    left = hours_to_high(phase, hour)
    return left < PERIOD_H / 2
