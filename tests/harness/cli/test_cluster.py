"""``--cluster``: the same files as without a cluster, and clear refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from calculus_harness.harness import Run
from tests.harness.conftest import Command
from tests.ray_nodes import ray_nodes, wait_until

ROOT = Path(__file__).parents[3]


DRILLS = ("--model", "solver/sympy", "--benchmark", "drills", "--limit", "2")


def refused(result: subprocess.CompletedProcess[str], why: str) -> None:
    assert result.returncode == 2, result.stderr
    assert why in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


@pytest.mark.ray
def test_sweep_score_and_generate(cli: Command, tmp_path: Path) -> None:
    alone = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}  # a process of its own, and its own cluster
    result = cli("sweep", *DRILLS, "--out", "run", "--cluster", "ray", **alone)
    assert result.returncode == 0, result.stderr
    assert "workers on the cluster" in result.stderr
    with ray_nodes() as nodes:
        shared = alone | {"RAY_ADDRESS": nodes.address}
        result = cli("score", "run", "--strict-domain", "--cluster", "ray", "--json", **shared)
        assert result.returncode == 0, result.stderr
        rows = json.loads(result.stdout)["rows"]
        assert rows
        assert all(row["rates"]["correct"] == 1 for row in rows)
        contents = []
        for cluster in ((), ("--cluster", "ray")):
            result = cli("steps", "run", *cluster, **shared)
            assert result.returncode == 0, result.stderr
            contents.append((tmp_path / "run" / "steps.jsonl").read_bytes())
        assert contents[0] == contents[1]
        assert contents[0].count(b"\n") == 2
        options = ("--method", "bwd", "--count", "20")
        for name, cluster in (("here", ()), ("there", ("--cluster", "ray"))):
            out = ("--out", f"{name}.jsonl", *cluster)
            result = cli("generate", "lample-charton", *options, *out, **shared)
            assert result.returncode == 0, result.stderr
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


@pytest.mark.ray
def test_a_driver_that_is_killed_loses_and_repeats_nothing(
    cli: Command, tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = tmp_path / "asked"
    for name, value in {"ASKED": str(calls), "SLOW": "0.4"}.items():  # the nodes have these, too
        monkeypatch.setenv(name, value)
    command = ["sweep", "--model", model, "--benchmark", bench, "-n", "10"]

    def stored(name: str) -> dict[str, dict[str, object]]:
        begun = (tmp_path / name / "manifest.json").exists()
        return {row["key"]: row for row in Run(tmp_path / name).completions.rows()} if begun else {}

    def seeds() -> list[int]:
        lines = calls.read_text().splitlines(keepends=True) if calls.exists() else []
        return [int(line) for line in lines if line.endswith("\n")]

    with ray_nodes() as nodes:
        begun = [*command, "--out", "there", "--cluster", f"ray:{nodes.address}"]
        for count in (40, 120):
            answers = stored("there")
            calls.unlink(missing_ok=True)
            process = subprocess.Popen(
                [sys.executable, str(ROOT / "run.py"), *begun],
                cwd=tmp_path,
                stderr=subprocess.DEVNULL,
            )
            wait_until(lambda count=count: len(stored("there")) >= count)
            process.kill()
            process.wait()
            assert not {row["seed"] for row in answers.values()} & set(seeds())
            assert answers.items() <= stored("there").items()
        answers = stored("there")
        calls.unlink()
        result = cli(*begun, ASKED=str(calls))
        assert result.returncode == 0, result.stderr
        assert "Traceback" not in result.stderr
        assert not {row["seed"] for row in answers.values()} & set(seeds())
    monkeypatch.setenv("SLOW", "0")
    assert cli(*command, "--out", "here").returncode == 0
    texts = [{key: row["text"] for key, row in stored(name).items()} for name in ("there", "here")]
    assert texts[0] == texts[1]
    assert len(texts[0]) == 240


@pytest.mark.ray
def test_no_cluster_at_the_address(cli: Command) -> None:
    result = cli(
        "sweep", *DRILLS, "--cluster", "ray:127.0.0.1:1", RAY_gcs_rpc_server_reconnect_timeout_s="1"
    )
    refused(result, "no Ray cluster at 127.0.0.1:1")


OUT = ("--out", "out.jsonl")
TRAIN = ("--config", "train.yaml", "--out", "trained")


@pytest.mark.parametrize(
    "command",
    [
        ("sweep", *DRILLS),
        ("generate", "lample-charton", "--method", "bwd", *OUT),
        ("generate", "derivations", "--count", "4", *OUT),
        ("generate", "calculus", "--count", "4", *OUT),
        ("generate", "bee", "--subset", "lin_comb_hard", *OUT),
        ("generate", "train", "--recipe", "drills", *OUT),
        ("redteam", "--tries", "1"),
        pytest.param(("train", "grpo", *TRAIN), marks=pytest.mark.train),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_other_clusters_are_refused(cli: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "train.yaml").write_text((ROOT / "examples/grpo_cpu.yaml").read_text())
    refused(cli(*command, "--cluster", "slurm"), "ray or ray:ADDRESS")
    assert not (tmp_path / "out.jsonl").exists()


def test_a_cluster_is_no_setting_of_a_file(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(
        'model = "solver/sympy"\nbenchmark = "drills"\ncluster = "ray"\n'
    )
    refused(cli("sweep", "--config", "sweep.toml"), "say --cluster on the command line")


def test_without_ray(cli: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refused(cli("sweep", *DRILLS, "--cluster", "ray"), "[ray]")


#: Knows the power rule for small numbers, and notes each process that loads it.
MODEL = """
import os, re

with open(os.environ["LOADED"], "a") as file:
    file.write(f"{os.getpid()}\\n")

def answer(messages, seed):
    integrand = messages[-1]["content"].split("\\n\\n")[1]
    power = re.fullmatch(r"x(?:\\^\\{(\\d)\\})?", integrand)
    n = int(power[1] or 1) + 1 if power else 0
    return rf"\\boxed{{\\frac{{x^{{{n}}}}}{{{n}}}}}" if n else r"\\boxed{x}"
"""


@pytest.mark.ray
def test_a_search_finds_the_same_and_loads_the_model_once(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.setenv("LOADED", str(tmp_path / "loaded"))  # the nodes have it, too
    command = ("search", "--model", f"python/{tmp_path / 'model.py'}:answer", "--seeds", "x**2")
    command += ("--archive", "24", "--generation-size", "12", "--minimised", "1")
    with ray_nodes() as nodes:
        result = cli(*command, "--out", "there", "--cluster", f"ray:{nodes.address}")
        assert result.returncode == 0, result.stderr
    # An engine of a cluster stays while its search lasts: weights are loaded once.
    assert len(set((tmp_path / "loaded").read_text().splitlines())) == 1
    assert cli(*command, "--out", "here").returncode == 0
    for file in ("archive.jsonl", "search.json", "search/generation-001.json", "problems.jsonl"):
        assert (tmp_path / "here" / file).read_bytes() == (tmp_path / "there" / file).read_bytes()
    texts = [
        {row["key"]: (row["text"], row["seed"]) for row in Run(tmp_path / name).completions.rows()}
        for name in ("here", "there")
    ]
    assert texts[0] == texts[1]
    assert len(json.loads((tmp_path / "here" / "search.json").read_text())["generations"]) > 1
