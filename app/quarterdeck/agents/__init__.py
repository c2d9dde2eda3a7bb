"""Adapters: an agent's wire turned into reports, and how it is launched. Standard library only; touches no disk and no engine."""
