"""Models with separate options in a single sweep, and the URL for chats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from calculus_harness.harness.core.errors import ModelError, UserError
from calculus_harness.harness.models.registry import create, split_options
from calculus_harness.harness.run.plan import plan
from calculus_harness.harness.run.spec import SweepSpec, read_settings
from calculus_harness.harness.run.sweep import sweep
from tests.harness.conftest import Command
from tests.harness.jobs import job_of

TOML = """
benchmark = ["drills"]
limit = 2

[model-option]
time-limit = 9

[model."solver/sympy"]

[model."solver/sympy;time-limit=3"]
time-limit = 4
"""


def test_a_table_gives_every_model_its_options(tmp_path: Path) -> None:
    path = tmp_path / "sweep.toml"
    path.write_text(TOML)
    spec = SweepSpec.read(path)
    labels = [model.label for model in plan(spec).models]
    assert labels == ["solver/sympy (time-limit=9.0)", "solver/sympy (time-limit=4.0)"]
    saved = tmp_path / "saved.toml"
    saved.write_text(spec.to_toml())
    assert SweepSpec.of(**read_settings(saved)) == spec


def test_a_deterministic_model_is_asked_once(model: str) -> None:
    job = job_of(["solver/sympy", model], ["drills"], limit=2, samples=3)
    assert [job.samples_of(model) for model in job.models] == [1, 3]
    assert job.size == 2 * (1 + 3)


def test_two_servers_and_a_solver_are_one_command(cli: Command) -> None:
    servers = [
        f"openai/{name};base-url=http://127.0.0.1:{port}/v1" for name, port in (("a", 8), ("b", 9))
    ]
    words = [word for model in (*servers, "solver/sympy") for word in ("--model", model)]
    done = cli("sweep", *words, "--benchmark", "drills", "--limit", "2", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "3 models x 2 problems" in done.stdout
    assert create(servers[0]).spec == "openai/a"
    assert create(servers[1]).base_url == "http://127.0.0.1:9/v1"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "name", "options"),
    [
        ("openai/a", "openai/a", {}),
        ("python/a;b.py:f", "python/a;b.py:f", {}),
        ("x/y;stop=a;b;k=v=w", "x/y", {"stop": "a;b", "k": "v=w"}),
    ],
)
def test_options_behind_a_name(spec: str, name: str, options: dict[str, str]) -> None:
    assert split_options(spec) == (name, options)


def test_refusals(cli: Command, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="named twice: solver/sympy, solver/sympy"):
        sweep(["solver/sympy"] * 2, ["drills"], limit=1, out=tmp_path / "run")
    with pytest.raises(UserError, match="must be a table of options"):
        SweepSpec.of(model={"solver/sympy": 3}, benchmark="drills")
    with pytest.raises(UserError, match="has no option 'base-url'"):
        create("solver/sympy;base-url=http://h/v1")


def test_a_preset_of_texts_names_the_one_for_chats(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    from aiohttp import web

    from tests.harness.faulty_server import FaultyServer

    with FaultyServer() as server:
        server.respond = lambda body: (
            web.json_response({"error": "no such path"}, status=404) if "prompt" in body else None
        )
        with pytest.raises(ModelError, match="for a chat there is --preset hint-explained"):
            sweep(
                [f"openai/m;base-url={server.url}"],
                ["hint/SS"],
                prompt="hint-zero-shot",
                limit=2,
                out=tmp_path / "run",
            )


def test_a_dry_run_says_what_could_be_found(cli: Command) -> None:
    def planned(*words: str) -> dict[str, float]:
        done = cli("sweep", "--model", "solver/sympy", *words, "--dry-run", "--json")
        return json.loads(done.stdout)  # type: ignore[no-any-return]

    bee = ("--benchmark", "bee/qualifier", "--benchmark", "bee/twins")
    few, many = planned(*bee, "--limit", "20", "-n", "4"), planned(*bee, "--limit", "60", "-n", "4")
    # Originals and their twins are one group.
    assert few["groups"] < 20
    assert few["groups"] < many["groups"] < 60
    assert 0.1 < many["detects"] < few["detects"] < 0.5
    assert planned(*bee, "--limit", "20", "-n", "16")["detects"] < few["detects"]
    text = cli("sweep", "--model", "solver/sympy", *bee, "--limit", "20", "--dry-run").stdout
    assert f"{few['groups']} groups of problems with a common origin" in text
    assert "would be found in 80 %" in text
