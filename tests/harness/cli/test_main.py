"""The command line for users: exit statuses, one-line errors, machine-readable output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.conftest import Command

ROOT = Path(__file__).parents[3]


def refused(result: subprocess.CompletedProcess[str], *messages: str) -> None:
    """A user's mistake: exit status 2 and a single clear line."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    for words in messages:
        assert words in line


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from calculus_harness.harness.cli.main import cli\n"
        "try:\n"
        "    cli(['--help'])\n"
        "except SystemExit:\n"
        "    pass\n"
        "heavy = {'flint', 'sympy', 'numpy', 'scipy', 'jinja2', 'torch', 'openai', 'asyncio'}\n"
        "print('heavy:', *sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "sweep" in done.stdout
    assert done.stdout.splitlines()[-1] == "heavy:"


@pytest.mark.parametrize("group", [(), ("generate",), ("train",)])
def test_the_list_of_commands_is_whole(group: tuple[str, ...]) -> None:
    from click.testing import CliRunner

    from calculus_harness.harness.cli.main import cli as command

    help_text = CliRunner().invoke(command, [*group, "--help"], terminal_width=80).output
    listed = help_text.partition("Commands:\n")[2]
    assert len(listed.splitlines()) >= 3
    assert "..." not in listed
    assert "lample_charton" not in listed


def test_the_list_says_what_each_command_says() -> None:
    from click import Context

    from calculus_harness.harness.cli.main import cli as group

    for name, (_, text) in group.COMMANDS.items():
        command = group.get_command(Context(group), name)
        assert command is not None
        assert str(command.help).startswith(text)


def test_a_user_s_mistake_is_no_traceback_in_a_process_either(process: Command) -> None:
    refused(process("report", "nowhere"), "nowhere is not a run")
    right = process("verify", "--integrand", "2x", "--answer", "x^2")
    assert (right.returncode, right.stderr) == (0, "")


def test_the_benchmark_s_name_generates_it_too(cli: Command, tmp_path: Path) -> None:
    for name in ("lample-charton", "lample_charton"):
        done = cli("generate", name, "--method", "bwd", "--count", "2", "--out", f"{name}.jsonl")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "lample-charton.jsonl").read_bytes() == (
        tmp_path / "lample_charton.jsonl"
    ).read_bytes()


def test_verify_says_why_and_exits_accordingly(cli: Command) -> None:
    right = cli("verify", "--integrand", r"2x\cos(x^2)", "--answer", r"\sin(x^2)+C")
    assert (right.returncode, right.stderr) == (0, "")
    assert right.stdout.startswith("correct")
    wrong = cli("verify", "--integrand", r"2x\cos(x^2)", "--answer", r"\cos(x^2)+C", "--json")
    assert wrong.returncode == 1
    verdict = json.loads(wrong.stdout)
    assert verdict["status"] == "incorrect"
    assert verdict["evidence"]["witness"]["point"]
    echo = cli("verify", "--integrand", "2x", "--answer", r"\boxed{\int 2x\,dx}", "--json")
    assert echo.returncode == 1
    assert json.loads(echo.stdout)["status"] == "not_closed_form"


@pytest.mark.parametrize(
    ("arguments", "messages"),
    [
        (["verify", "--integrand", "2x"], ["--answer"]),
        (["verify", "--integrand", r"\frac{", "--answer", "x"], []),
        (["verify", "--integrand", "t^2", "--variable", "x", "--answer", "x"], []),
        (["verify", "--integrand", "x", "--answer", "x", "--assume", "a"], ["KEY=VALUE"]),
        (["sweeep"], ["did you mean 'sweep'"]),
        (["report", "nowhere"], ["nowhere is not a run"]),
        (["score", "nowhere"], ["nowhere is not a run"]),
    ],
)
def test_bad_usage_is_one_line(cli: Command, arguments: list[str], messages: list[str]) -> None:
    refused(cli(*arguments), *messages)


@pytest.mark.parametrize(
    ("changed", "messages"),
    [
        ({"--benchmark": "bea"}, ["'bea'", "'bee'"]),
        ({"--benchmark": "bee/competitoin"}, ["'competition'"]),
        ({"--model": "solver/simpy"}, ["did you mean 'solver/sympy'"]),
        ({"--model": "solver/sympy", "-M": "timelimit=3"}, ["'timelimit'", "time-limit"]),
        ({"--model": "solver/sympy", "-M": "time-limit=soon"}, ["must be a number"]),
        ({"--model": "solver/sympy", "-M": "time-limit=-1"}, ["must be positive"]),
        ({"--model": "python/none.py:answer"}, ["no file none.py"]),
        ({"--prompt": "antiderivbnch"}, ["did you mean 'antiderivbench'"]),
        ({"--prompt": "missing.jinja"}, ["missing.jinja"]),
        ({"--out": "/dev/null/run"}, ["/dev/null/run"]),
        ({"--limit": "0"}, ["--limit"]),
        ({"--samples": "many"}, ["--samples"]),
        ({"--tempreature": "1"}, ["--temperature"]),
        ({"--config": "missing.toml"}, ["missing.toml"]),
    ],
)
def test_a_mistaken_sweep_is_refused_and_touches_nothing(
    cli: Command, tmp_path: Path, model: str, changed: dict[str, str], messages: list[str]
) -> None:
    settings = {"--model": model, "--benchmark": "bee", "--out": "run"} | changed
    result = cli("sweep", *(word for pair in settings.items() for word in pair))
    refused(result, *messages)
    assert not (tmp_path / "run").exists()


def test_other_peoples_directories_are_left_alone(cli: Command, tmp_path: Path, model: str) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"cat")
    arguments = ("sweep", "--model", model, "--benchmark", "bee", "--out")
    refused(cli(*arguments, "photos"), "not a run", "another --out")
    refused(cli(*arguments, "photos/cat.jpg"), "not a directory")
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


def test_damaged_runs_are_named_and_left_alone(
    cli: Command, tmp_path: Path, model: str, bench: str
) -> None:
    arguments = ("sweep", "--model", model, "--benchmark", bench, "--limit", "2", "--out", "run")
    assert cli(*arguments).returncode == 0
    shard = tmp_path / "run" / "completions" / "00000.jsonl"
    good = shard.read_bytes()
    shard.write_bytes(good.replace(b'"text"', b"text", 1))
    refused(cli(*arguments), "00000.jsonl, line 1", "another --out")
    refused(cli("report", "run"), "00000.jsonl, line 1")
    refused(cli("score", "run"), "00000.jsonl, line 1")
    assert shard.read_bytes() == good.replace(b'"text"', b"text", 1)
    shard.write_bytes(good)
    problems = tmp_path / "run" / "problems.jsonl"
    content = problems.read_bytes()
    problems.write_bytes(content[:-20])
    refused(cli(*arguments), "problems.jsonl, line 2")
    problems.write_bytes(content)
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text('{"schema": 99}')
    refused(cli(*arguments), "schema version 99")
    manifest.write_text("{")
    refused(cli(*arguments), "manifest.json is damaged")


def test_the_dry_run_shows_the_prompt_and_asks_nothing(
    cli: Command, tmp_path: Path, model: str, bench: str
) -> None:
    words = f"sweep --model {model} --benchmark {bench} --limit 2 -n 3 --out run --dry-run"
    arguments = words.split()
    result = cli(*arguments)
    assert result.returncode == 0
    assert "Think step by step. Put the final answer in \\boxed{ } using LaTeX" in result.stdout
    assert "= 6 completions" in result.stdout
    planned = json.loads(cli(*arguments, "--json").stdout)
    assert planned["completions"] == 6
    assert planned["problems"] == {"bench/easy": 1, "bench/hard": 1}
    assert not (tmp_path / "run").exists()


def test_a_file_of_settings_and_flags_that_win(
    cli: Command, tmp_path: Path, model: str, bench: str
) -> None:
    config = tmp_path / "settings.toml"
    config.write_text(
        f'model = ["{model}"]\nbenchmark = ["{bench}"]\nlimit = 2\nsamples = 5\n'
        "[model-option]\nconcurrency = 3\n"
    )
    result = cli("sweep", "--config", config, "-n", "2", "--dry-run", "--json")
    planned = json.loads(result.stdout)
    assert (planned["samples"], planned["problems"]) == (2, {"bench/easy": 1, "bench/hard": 1})
    config.write_text("modle = ['x']\n")
    refused(cli("sweep", "--config", config), "'modle'", "'model'")
    for line, messages in [
        ("model = 3", "model must be a list"),
        ("samples = '8x'", "samples must be a whole number"),
        ("dry_run = 'yes'", "dry-run must be True or False"),
        ("samples = 'x'", "samples must be a whole number"),
        ("method = 'bals'", "did you mean 'balls'"),
    ]:
        config.write_text(line + "\n")
        words = () if "model" in line else ("--model", model)
        refused(cli("sweep", "--config", config, "--benchmark", bench, *words), messages)
    config.write_text("model = \n")
    refused(cli("sweep", "--config", config), "settings.toml")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("compare run --by perturbation --csv --all", "--all has no effect"),
        ("report run --format csv --all", "--all has no effect"),
        ("report run --watch --all", "--watch shows the page alone"),
        ("steps run --force", "--force has no effect without --problems"),
        ("ls prompts --validate", "--validate has no effect on a list of prompts"),
        ("ls models --benchmark bee", "--benchmark has no effect on a list of models"),
        ("ls --show direct --validate", "exclude each other"),
        ("search --model solver/sympy --seeds x --seeds-limit 3", "without --seeds-from"),
        ("sweep --model solver/sympy --benchmark drills --feedback steps", "say turns, too"),
    ],
)
def test_an_option_is_obeyed_or_refused(cli: Command, command: str, message: str) -> None:
    refused(cli(*command.split()), message)


@pytest.mark.parametrize("command", ["audit {bench} --out", "redteam --tries 1 --workers 1 --out"])
def test_a_path_that_cannot_be_written_is_one_line(
    cli: Command, tmp_path: Path, bench: str, command: str
) -> None:
    (tmp_path / "file").touch()
    done = cli(*command.format(bench=bench).split(), "file/inside")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "error: cannot use file/inside: Not a directory" in done.stderr


def test_reports_in_every_format(cli: Command, tmp_path: Path, model: str, bench: str) -> None:
    swept = cli(
        *f"sweep --model {model} --benchmark {bench} --limit 4 -n 4 --out run --json".split()
    )
    rows = json.loads(swept.stdout)["rows"]
    assert [row["subset"] for row in rows] == ["bench/easy", "bench/hard", "all"]
    table = cli("report", "run", "--all")
    for heading in ("pass@1", "pass@4", "no answer", "unparseable", "undecided", "timeout"):
        assert heading in table.stdout
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000
    assert cli("report", "run", "--format", "json").stdout == swept.stdout
    assert cli("report", "run", "--format", "markdown").stdout.startswith("| model | subset |")
    assert "\\toprule" in cli("report", "run", "--format", "latex").stdout
    assert cli("report", "run", "--format", "csv").stdout.count("\n") == 1 + 3 * 2
    for command in (
        ("report", "run", "--policy"),
        ("brittleness", "run", "--policy"),
        ("export", "run", "--to", "csv", "--out", "samples.csv", "--policy"),
        ("score", "run", "--against"),
    ):
        refused(cli(*command, "balls-0"), "no verdicts 'balls-0'")
    assert not (tmp_path / "samples.csv").exists()


def test_listing(cli: Command) -> None:
    listed = json.loads(cli("ls", "--json").stdout)
    assert {"bee/qualifier", "bee/competition"} <= {row["name"] for row in listed["benchmarks"]}
    assert "solver/sympy" in {row["name"] for row in listed["models"]}
    assert "antiderivbench" in {row["name"] for row in listed["prompts"]}
    assert "solver/sympy" in cli("ls", "models").stdout
    refused(cli("ls", "--benchmark", "bea"), "'bee'")


def test_every_reference_of_the_bank_is_proven(cli: Command) -> None:
    result = cli("ls", "--validate", "--benchmark", "bee", "--json")
    assert result.returncode == 0, result.stdout
    assert json.loads(result.stdout)["counts"]["proved"] >= 120


def test_a_reference_that_is_wrong_is_found(cli: Command, tmp_path: Path) -> None:
    rows = [
        {"integrand": "2x", "antiderivative": "x^2"},
        {"integrand": "x"},
        {"integrand": "x", "antiderivative": "x^2", "id": "bad"},
        {"integrand": "3x^2", "antiderivative": "x^3"},
        {"integrand": r"\cos x", "antiderivative": r"\cos x", "id": "worse"},
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = cli("ls", "--validate", "--benchmark", path)
    assert result.returncode == 1
    assert "bad (line 3): refuted: a factor 2, at x = " in result.stdout
    assert "worse (line 5): refuted: " in result.stdout
    assert "2 proved, 2 refuted, 1 without a reference" in result.stdout


def test_the_answers_of_hint_are_recomputed(cli: Command, tmp_path: Path) -> None:
    result = cli("ls", "--validate", "--benchmark", "hint/x_SS")
    assert result.returncode == 0
    assert result.stdout == "900 proved\n"
    good = {"id": "p", "task": "arithmetic", "benchmark": "mine", "subset": "s"}
    good |= {"inputs": {"expression": "7/2"}, "target": {"value": 4, "ordinary": 3}}
    wrong = good | {"id": "q", "inputs": {"expression": "12+1"}, "target": {"value": 13}}
    bad = good | {"id": "r", "target": {"value": 3, "ordinary": 3}}
    path = tmp_path / "mine.jsonl"
    for rows, message in (
        ((good, wrong), "1 proved, 1 without a reference"),
        ((good, wrong, bad), "mine/s/r (r): refuted: value is 3, not 4"),
    ):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        result = cli("ls", "--validate", "--benchmark", path)
        assert message in result.stdout
        assert result.returncode == len(rows) - 2


@pytest.mark.slow
def test_it_runs_from_anywhere_with_a_closed_pipe(tmp_path: Path) -> None:
    command = f"{sys.executable} {ROOT / 'run.py'} ls --json | head -c 10"
    result = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    assert "Traceback" not in result.stderr
