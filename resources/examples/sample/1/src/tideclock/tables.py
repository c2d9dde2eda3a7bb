# SPDX-License-Identifier: MIT
"""Harmonic constants of the harbours."""

import math
import os

PERIOD_H = 12.4206


def height(amplitude, phase, hour):
    """Height of the water in metres, `hour` hours after the reference."""
    return amplitude * math.cos(2 * math.pi * (hour - phase) / PERIOD_H)
