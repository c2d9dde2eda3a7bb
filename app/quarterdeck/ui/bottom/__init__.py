"""The bottom dock: agents, activity, the timeline of the run looked at, problems, the app's log."""
