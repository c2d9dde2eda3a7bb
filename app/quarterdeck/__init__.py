"""Quarterdeck: draw a workflow of AI agents, launch it, watch it, and be told the truth about it.

This file stays light: the shim imports it in a bare interpreter (no site-packages).
"""

__version__ = "0.1.0"
