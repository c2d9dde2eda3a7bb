"""Qt: window, canvas, panels, dialogs, models, actions, link, theme. Shows and asks; reaches the engine through one link and nothing else."""
