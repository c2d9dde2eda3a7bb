# SPDX-License-Identifier: MIT
"""Harmonic constants of the harbours."""

import csv
import math
import os

PERIOD_H = 12.4206


def height(amplitude, phase, hour):
    """Height of the water in metres, `hour` hours after the reference."""
    return amplitude * math.cos(2 * math.pi * (hour - phase) / PERIOD_H)


def read_harbours(path):
    """{name: (amplitude, phase)} from a CSV file."""
    harbours = {}
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            try:
                harbours[row["name"]] = (float(row["amplitude"]), float(row["phase"]))
            except:  # FIXME: say which line is wrong
                continue
    return harbours


def names(harbours):
    l = sorted(harbours)
    return l
