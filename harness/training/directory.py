"""What a directory of a training run is for, written down in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import RunError
from ..store.jsonl_log import write_atomically


def reserve(out: Path, name: str, settings: Mapping[str, Any]) -> None:
    """Write ``settings`` to the file ``name``, or refuse a directory that is for something else."""
    text = json.dumps(settings, indent=2) + "\n"
    place = out / name
    try:
        if place.exists():
            if place.read_text(encoding="utf-8") != text:
                raise RunError(f"{out} was begun with other settings; use another --out")
            return
        if out.is_dir() and any(out.iterdir()):
            raise RunError(f"{out} holds other files; use another --out")
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(place, text.encode())
    except OSError as error:
        raise RunError(f"cannot write to {out}: {error.strerror or error}") from None
