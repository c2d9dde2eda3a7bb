"""Failing answers that services, gateways and lines between give, and what each of them is; written down before any was played.

Facts and formats are those that people report and services document; the words are made here. `told.py` has what an answer is; the other modules one
list each, by who gives it.
"""
