"""The file with a training run's settings, which ties the directory to the settings."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import RunError
from ..store.atomic import write_atomically


def write_settings(out: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Write settings to a new directory, or check that an existing directory has equal settings.

    Args:
        out: The directory of the training run.
        name: The file's name.
        settings: JSON values.

    Raises:
        RunError: The directory has other settings or other files, or cannot be written to.

    """
    text = json.dumps(settings, indent=2) + "\n"
    path = out / name
    try:
        if path.exists():
            if json.loads(path.read_bytes()) != json.loads(text):
                raise RunError(f"{out} was begun with other settings; use another --out")
            return
        if out.is_dir() and any(out.iterdir()):
            raise RunError(f"{out} holds other files; use another --out")
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except json.JSONDecodeError:
        raise RunError(f"{path} is damaged; use another --out") from None
    except OSError as error:
        raise RunError(f"cannot write {out}: {error.strerror or error}") from None
