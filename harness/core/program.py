"""The name of the command line, for commands in messages."""

from __future__ import annotations

import sys
from pathlib import Path


def program() -> str:
    """The command line as called by the user, or a working form.

    Returns:
        ``calculus-harness``, ``python run.py``, or ``python -m calculus_harness.harness``.

    >>> program().split()[-1] in ("run.py", "calculus-harness")
    True

    """
    called = sys.argv[0]
    name = Path(called).name
    if name == "run.py":
        return f"python {called}"
    if Path(called).parts[-2:] == ("harness", "__main__.py"):
        return "python -m calculus_harness.harness"
    checkout = Path(__file__).resolve().parents[2]
    in_checkout = (checkout / "run.py").is_file()
    return "python run.py" if in_checkout and name != "calculus-harness" else "calculus-harness"
