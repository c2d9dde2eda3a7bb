"""The page *Doctor*: what `quarterdeck doctor` finds, shown in the window. It asks; what is found comes from the engine."""
