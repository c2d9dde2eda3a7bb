"""The old almanac. Nothing uses it any more."""

import math


class Almanac:
    """High waters of a year, counted by hand."""

    def __init__(self, year):
        self.year = year
        self.cached = None

    def days(self):
        leap = self.year % 4 == 0 and (self.year % 100 != 0 or self.year % 400 == 0)
        return 366 if leap else 365

    def high_waters(self):
        """TODO: compare with the new tables before this goes."""
        return math.floor(self.days() * 24 / 12.4206)


def moon_age(day):
    return (day - 6) % 29.53
