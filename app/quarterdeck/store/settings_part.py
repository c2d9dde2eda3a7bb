"""Where the settings lie, and one part of them as it is written. Loaded before the first paint, so it imports next to nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

CONFIG_DIR_VARIABLE = "QUARTERDECK_CONFIG_DIR"
FILE_NAME = "settings.toml"


def config_folder() -> Path:
    """`QUARTERDECK_CONFIG_DIR`, else the user's config folder of this system."""
    chosen = os.environ.get(CONFIG_DIR_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    import platformdirs

    return Path(platformdirs.user_config_path("quarterdeck", appauthor=False))


def settings_part(path: Path, name: str) -> dict[str, Any]:
    """One table of the file; empty where there is none, and where the file cannot be read: `settings_file` tells that."""
    try:
        content = read_regular(path, follow_links=True)
    except (OSError, StoreDamaged):
        return {}
    import tomllib  # not loaded where there are no settings, and where nothing is asked

    try:
        found = tomllib.loads(content.decode("utf-8")).get(name, {})
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
