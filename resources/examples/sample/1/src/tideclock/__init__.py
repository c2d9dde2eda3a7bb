# SPDX-License-Identifier: MIT
"""When the water is high."""

__version__ = "0.3.0"
