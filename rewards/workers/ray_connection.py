"""The connection of the process with a Ray cluster, and the required versions on nodes."""

from __future__ import annotations

import os
import socket
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..verdict import version_of
from .errors import PoolError

#: Seconds for a connection with the head node.
REACH_SECONDS = 10.0
NAMESPACE = "calculus-harness"
#: By how much Ray lets its workers yield to other programs: 15 by default.
NICENESS = "RAY_worker_niceness"


def our_version() -> str:
    """The versions of package, verifier and Python. All nodes must have the same versions."""
    try:
        package = version(NAMESPACE)
    except PackageNotFoundError:
        package = "not installed"
    python = ".".join(map(str, sys.version_info[:2]))
    return f"{package}, verifier {version_of('balls')}, Python {python}"


def connect(ray: Any, address: str | None) -> None:
    """Connect the process by `ray.init`. If no cluster answers, the error message is one line.

    Raises:
        PoolError: no cluster answers at the address.

    """
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is not None:
        settings["address"] = address
    elif "RAY_ADDRESS" not in os.environ:
        # Workers on this machine import the package from where this process does.
        root = str(Path(__file__).resolve().parents[2])
        paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
        # Workers get the niceness of this process, as without a cluster; Ray's default is 15.
        os.environ.setdefault(NICENESS, "0")
        settings |= {
            "address": "local",  # else Ray takes the cluster that was last started here, if any
            "include_dashboard": False,
            "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(paths)}},
        }
    where = f"at {address}" if address else "here"
    try:
        _reach(address or os.environ.get("RAY_ADDRESS", ""))
        ray.init(**settings)
    except (ConnectionError, OSError, RuntimeError, ValueError) as error:
        raise PoolError(f"no Ray cluster {where}: {line_of(error)}") from None


def _reach(address: str) -> None:
    """Check that ``host:port`` accepts a connection. Otherwise `OSError` is raised.

    Without this check, Ray would wait for minutes if the host does not answer.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), REACH_SECONDS).close()


def line_of(error: BaseException) -> str:
    """The most informative line of an error message.

    The cause is the last line of a remote traceback, or the first line without a traceback.
    """
    lines = str(error).strip().splitlines() or [repr(error)]
    return lines[-1 if isinstance(error, Exception) and "Traceback" in str(error) else 0][:300]
