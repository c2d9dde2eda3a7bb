"""The command palette (Ctrl+K): what can be found, how it is ranked, and the field with its list."""
