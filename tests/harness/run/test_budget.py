"""Money: estimates before a sweep, a question, and limits with a clean stop."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from calculus_harness import harness
from calculus_harness.harness import Run
from calculus_harness.harness.core.errors import UserError
from calculus_harness.harness.core.requests import digest
from tests.harness.cli.test_main import refused
from tests.harness.conftest import ROOT, Command
from tests.harness.faulty_server import FaultyServer, payload_for

pytestmark = pytest.mark.openai

#: With these, an answer of 100 and 200 tokens costs half a dollar.
PRICES = '["openai/*"]\nprompt = 1000.0\ncompletion = 2000.0\n'


@pytest.fixture
def server() -> Iterator[FaultyServer]:
    with FaultyServer() as server:
        server.respond = counting(lambda body: 200)
        yield server


def counting(tokens: Callable[[dict[str, Any]], int]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answers with a given number of tokens."""

    def respond(body: dict[str, Any]) -> dict[str, Any]:
        usage = {"prompt_tokens": 100, "completion_tokens": tokens(body), "total_tokens": 0}
        return payload_for(body) | {"usage": usage}

    return respond


@pytest.fixture
def prices(tmp_path: Path) -> str:
    (tmp_path / "prices.toml").write_text(PRICES)
    return str(tmp_path / "prices.toml")


@pytest.fixture
def words(server: FaultyServer, bench: str) -> list[str]:
    """A sweep of 48 answers for $0.50 each, and at most $0.90."""
    model = ["--model", "openai/m", "-M", f"base-url={server.url}", "-M", "probe=0"]
    return ["sweep", *model, "--benchmark", bench, "-n", "2", "--max-tokens", "400", "--out", "run"]


def spent(run: Run) -> float:
    rows = run.completions.rows()
    return sum(1e-3 * row["prompt_tokens"] + 2e-3 * row["completion_tokens"] for row in rows)


def test_a_limit_of_cost_stops_cleanly_and_a_larger_one_goes_on(
    server: FaultyServer, words: list[str], prices: str, tmp_path: Path, cli: Command
) -> None:
    stopped = cli(*words, "--prices", prices, "--max-cost", "3")
    assert stopped.returncode == 1
    assert "stopped at the limit: $3 of --max-cost 3" in stopped.stderr
    assert "pass@1" in stopped.stdout  # what there is, is judged and shown
    run = Run(tmp_path / "run")
    assert spent(run) == pytest.approx(3.0)
    assert len(server.asked) == 6
    assert len(list(run.verdicts().rows())) == 6
    again = cli(*words, "--prices", prices, "--max-cost", "3")
    assert (again.returncode, len(server.asked)) == (1, 6)  # stored answers count
    assert cli(*words, "--prices", prices, "--max-cost", "100").returncode == 0
    assert len(server.asked) == 48
    assert len(list(Run(tmp_path / "run").completions.rows())) == 48


@pytest.mark.parametrize("concurrency", [1, 7, 64])
def test_answers_of_all_lengths_keep_near_the_limit(
    server: FaultyServer, bench: str, tmp_path: Path, prices: str, concurrency: int
) -> None:
    server.respond = counting(lambda body: int(digest(body["messages"]), 16) % 400)
    run = harness.sweep(
        ["openai/m"],
        [bench],
        samples=8,
        sampling=harness.Sampling(max_tokens=400),
        model_option={"base-url": server.url, "concurrency": concurrency, "probe": 0},
        out=tmp_path / "run",
        prices=prices,
        max_cost=40.0,
    )
    assert 38.5 < spent(run) < 45


def test_a_limit_of_tokens(
    server: FaultyServer, words: list[str], tmp_path: Path, cli: Command
) -> None:
    stopped = cli(*words, "--max-tokens-total", "3000")
    assert stopped.returncode == 1
    assert "3000 tokens of --max-tokens-total 3000" in stopped.stderr
    assert len(server.asked) == 10


def test_one_answer_is_tried_even_if_it_might_exceed_the_limit(
    server: FaultyServer, words: list[str], cli: Command
) -> None:
    stopped = cli(*words, "--max-tokens-total", "100")
    assert stopped.returncode == 1
    assert len(server.asked) == 1


def test_errors_cost_nothing_and_do_not_stop(
    server: FaultyServer, words: list[str], prices: str, tmp_path: Path, cli: Command
) -> None:
    def respond(body: dict[str, Any]) -> Any:
        if body["seed"] % 2:
            return web.json_response({"error": {"message": "the prompt is too long"}}, status=400)
        return counting(lambda body: 200)(body)

    server.respond = respond
    cli(*words, "--prices", prices, "--max-cost", "3")
    reasons = [row["finish_reason"] for row in Run(tmp_path / "run").completions.rows()]
    assert reasons.count("stop") == 6
    assert reasons.count("error") > 0


def test_a_server_that_counts_no_tokens_cannot_be_limited(
    server: FaultyServer, words: list[str], prices: str, tmp_path: Path, cli: Command
) -> None:
    server.respond = lambda body: payload_for(body) | {"usage": None}
    done = cli(*words, "--prices", prices, "--max-cost", "3")
    assert done.returncode == 2
    assert "does not count its tokens, so that --max-cost cannot be kept" in done.stderr
    assert list(Run(tmp_path / "run").completions.rows())  # the first answers are not lost


def test_a_system_without_tokens_is_not_limited(bench: str, tmp_path: Path) -> None:
    run = harness.sweep(
        ["solver/sympy"], [bench], limit=2, out=tmp_path / "run", max_tokens_total=1, max_cost=0.01
    )
    assert len(list(run.completions.rows())) == 2


def test_phases_end_at_the_limit_too(
    server: FaultyServer, tmp_path: Path, cli: Command, prices: str
) -> None:
    model = [*f"--model openai/m -M base-url={server.url} -M probe=0 --max-tokens 400".split()]
    done = cli(
        *("sweep", *model, "--benchmark", "brittleness", "--phases", "brittleness", "-n", "1"),
        *("--limit", "6", "--prices", prices, "--max-cost", "1", "--out", "run"),
    )
    assert done.returncode == 1, done.stderr
    assert "stopped at the limit" in done.stderr
    assert "error" not in done.stderr


def test_what_a_sweep_may_cost_is_shown_before(
    server: FaultyServer, words: list[str], prices: str, cli: Command
) -> None:
    result = cli(*words, "--prices", prices, "--dry-run")
    assert "openai/m: 48 answers missing" in result.stdout
    plan = json.loads(cli(*words, "--prices", prices, "--dry-run", "--json").stdout)
    (cost,) = plan["estimates"]
    assert not cost["counted"]
    assert cost["most_tokens"] == cost["prompt_tokens"] + 48 * 400
    assert cost["most_dollars"] == pytest.approx(cost["prompt_tokens"] * 1e-3 + 48 * 400 * 2e-3)
    assert cost["usual_dollars"] is None
    cli(*words, "--prices", prices, "--max-cost", "6")
    (cost,) = json.loads(cli(*words, "--prices", prices, "--dry-run", "--json").stdout)["estimates"]
    assert cost["answers"] == 36
    assert cost["usual_tokens"] == pytest.approx(36 * 300)
    assert cost["usual_dollars"] == pytest.approx(36 * 0.5)
    assert len(server.asked) == 12


def test_a_dear_sweep_is_confirmed_first(
    server: FaultyServer, words: list[str], prices: str, cli: Command
) -> None:
    refused(cli(*words, "--prices", prices), "may cost up to $4", "--yes", "--max-cost")
    assert not server.asked
    cheap = [*words, "--limit", "2", "--prices", prices]
    assert cli(*cheap).returncode == 0  # at most $3.60
    assert cli(*words, "--prices", prices, "--yes").returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(("reply", "status"), [("y", 0), ("n", 130)])
def test_on_a_terminal_it_is_a_question(
    server: FaultyServer, words: list[str], prices: str, tmp_path: Path, reply: str, status: int
) -> None:
    ours, theirs = pty.openpty()
    os.write(ours, f"{reply}\n".encode())
    done = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *words, "--prices", prices],
        stdin=theirs,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=120,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == status, done.stderr
    assert "Go on?" in done.stderr
    assert bool(server.asked) == (reply == "y")


def test_a_limit_without_a_price_is_refused(
    server: FaultyServer, words: list[str], bench: str, cli: Command
) -> None:
    refused(cli(*words, "--max-cost", "3"), "needs the price of openai/m", "--prices")
    for wrong in ({"max_cost": 0.0}, {"max_tokens_total": 0}, {"prices": "nowhere.toml"}):
        with pytest.raises(UserError, match=r"max-cost|max-tokens-total|nowhere.toml"):
            harness.sweep(["openai/m"], [bench], **wrong)
    assert not server.asked


def test_limits_come_from_a_file_too(
    server: FaultyServer, bench: str, prices: str, tmp_path: Path, cli: Command
) -> None:
    (tmp_path / "settings.toml").write_text(
        f'model = ["openai/m"]\nbenchmark = {json.dumps([bench])}\nprices = "{prices}"\n'
        f'max-cost = 2.0\nmax-tokens = 400\n[model-option]\nprobe = 0\nbase-url = "{server.url}"\n'
    )
    assert cli("sweep", "--config", "settings.toml", "--out", "run").returncode == 1
    assert len(server.asked) == 4


def test_tokens_of_openai_s_models_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    pytest.importorskip("litellm")  # has an encoding in its package
    import litellm

    folder = Path(litellm.__file__).parent / "litellm_core_utils" / "tokenizers"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    from calculus_harness.harness.models import create
    from calculus_harness.prompts import Message, Rendered

    model = create("openai/gpt-4")
    encode = tiktoken.get_encoding("cl100k_base").encode
    text = r"Integrate \frac{x}{2}. <|endoftext|>"
    assert model.count_tokens(Rendered(text=text)) == len(encode(text, disallowed_special=()))
    counted = model.count_tokens(Rendered(messages=(Message("user", "Integrate x."),)))
    assert counted == len(encode("Integrate x.")) + 1 + 6
    assert (
        create("openai/gpt-4", {"base-url": "http://127.0.0.1:1/v1"}).count_tokens(
            Rendered(text=text)
        )
        is None
    )


def test_a_solver_takes_no_tokens_and_is_not_estimated(bench: str, cli: Command) -> None:
    result = cli("sweep", "--model", "solver/sympy", "--benchmark", bench, "--dry-run", "--json")
    assert json.loads(result.stdout)["estimates"] == []
