"""The page *Timeline and spend*: figures, timeline, spend per day, runs, two runs compared."""
