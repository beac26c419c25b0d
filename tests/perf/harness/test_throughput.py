"""`throughput.py` runs: a whole sweep, verdicts and all, beside the openai client alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("throughput.py")


@pytest.mark.perf
@pytest.mark.openai
@pytest.mark.parametrize("delay", ["0", "0.05"])
def test_every_client_is_measured(delay: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The rates are printed for a reader to judge: machines differ."""
    clients = ["aiohttp", "openai httpx", "openai aiohttp", "our connections", "ours"]
    done = subprocess.run(
        [
            sys.executable,
            *(
                f"{SCRIPT} --problems 250 --rounds 2 --delay {delay} --answers realistic --only"
            ).split(),
            ",".join(clients),
            "--json",
        ],
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    with capsys.disabled():
        print(f"\n{done.stderr}")
    assert list(json.loads(done.stdout)["realistic"]) == clients
