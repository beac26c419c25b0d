"""The commands and programs of README.md and docs/: all are parsed, and all outside NOT_RUN run.

Each document is followed in order, in an empty directory: the test writes shown files, passes
commands to bash and programs to Python. `smaller.py` reduces sizes, and a local server stands in
for models with a key or a GPU.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from calculus_harness.benchmarks.lample_charton.codec.tokenizer import write_tokenizer
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import END, PADDING, TOKENS
from calculus_harness.harness.cli.main import cli as commands
from tests.harness.integrations.test_hub import Hub
from tests.harness.integrations.test_hub import environment as at_hub
from tests.harness.stand_in_server import StandInServer
from tests.ray_nodes import ray_nodes

ROOT = Path(__file__).parents[3]
DOCUMENTS = [
    "README.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md")),
]
#: A fenced block with the line before it; or a command of ours in the text, not only its name.
PIECE = re.compile(
    r"(?P<before>[^\n]*)\n\n```(?P<language>\w+)\n(?P<body>.*?)^[ >]*```$"
    r"|`(?P<inline>(?:calculus-harness|python run\.py) [^`\s]+\s[^`]+)`",
    re.M | re.S,
)
COMMAND = re.compile(r"^[ >]*\$ ((?:.*\\\n)*.*)", re.MULTILINE)
PROGRAMS = (["calculus-harness"], ["python", "run.py"], [".venv/bin/python", "run.py"])

#: How the commands and programs begin that only are parsed, and why.
NOT_RUN = {
    "pip ": "installs; .ci/run and tests/test_wheel.py do",
    "unzip ": "is for what `pip download` brings",
    "source .venv": "is for what `make install` made",
    "calculus-harness sweep --model litellm/": "needs litellm: models/test_litellm.py",
    "calculus-harness sweep --model inspect/": "needs inspect_ai: integrations/test_inspect.py",
    "calculus-harness export runs/mini --to inspect": "the same",
    "inspect ": "the same",
    "calculus-harness sweep --model solver/sympy --benchmark hub:": "needs a hub",
    "calculus-harness sweep --benchmark ./expr_test.json": "needs HINT's released files",
    "calculus-harness audit hub:": "needs a hub",
    "lm_eval run": "needs lm-evaluation-harness: integrations/test_lm_eval.py",
    "vf-": "needs verifiers: integrations/test_verifiers.py",
    "python tests/perf/": "measures for minutes",
    "calculus-harness serve-reward": "serves until it is stopped: adapters/server/test_server.py",
    "curl localhost:8000": "asks what the line before serves",
    "calculus-harness train grpo": "minutes of training: training/test_trainers.py",
    "calculus-harness train sft": "minutes of training",
    "calculus-harness train encoders": "an hour of training: training/test_encoder_grid.py",
    "calculus-harness search --name near-monomials": "needs the package: "
    "models/test_gguf_weights.py",
    "calculus-harness search --preset general --name minilm": "needs the package: "
    "studies/search/test_embedding.py",
    "python docs/results/search.py record": "writes what these searches give",
    "python docs/results/course.py": "writes the result file of the page",
    "python docs/results/encoders.py record": "writes what an hour of training gives",
    "python docs/results/hint_curve.py record": "writes what minutes of a GPU give",
    "python docs/results/hint_curve.py draw": "writes the page's figure",
    "python docs/results/step_rewards.py": "half an hour of training",
    "python docs/results/language_model.py": "counts hours of training; "
    "training/test_real_model.py prints the tables",
    "calculus-harness sweep --model transformers/runs/smollm2": "the same",
    "calculus-harness sweep --model transformers/package:": "needs the package: "
    "models/test_gguf_weights.py",
    "python docs/results/rl_brittleness.py": "a quarter of an hour of training",
    "calculus-harness train integrator": "an hour of training: training/test_integrator.py",
    "calculus-harness sweep --model transformers/runs/integrator": "the same",
    "calculus-harness logprobs runs/next-door": "the same",
    "calculus-harness brittleness runs/next-door": "the same",
    "calculus-harness compare runs/next-door": "the same",
    "calculus-harness search --preset robust-trig --variant paper": "the same",
    "calculus-harness search --preset length-20": "the same",
    "calculus-harness search runs/length-20": "prints what that search gives",
    "calculus-harness search --preset general --model solver/sympy -M time-limit=2 "
    "--out runs/sympy-general": "minutes of SymPy",
    "calculus-harness search runs/sympy-general": "prints what minutes of SymPy give",
    "calculus-harness convert fwd_bwd_ibp.pth": "needs the released checkpoint: "
    "models/test_lample_charton_checkpoint.py",
    "calculus-harness sweep --model transformers/models/fwd_bwd_ibp": "the same",
    "calculus-harness sweep --model transformers/checkpoints/ode1": "needs trained weights: "
    "training/test_integrator.py",
    "calculus-harness train hint": "half an hour of training: models/test_seq2seq.py",
    "calculus-harness sweep --model seq2seq/": "asks what the line before trains",
    "calculus-harness hint embeddings": "draws what minutes of training give: "
    "training/test_hint_training.py",
    "calculus-harness hint accuracy": "needs a run of a language model: "
    "studies/hint/test_properties.py",
    "calculus-harness sweep --preset hint-picture": "needs a model that sees: run/test_hint.py",
    "calculus-harness brittleness runs/brittle --with-decoding": "needs a beam search: "
    "studies/test_brittleness_protocol.py",
    "calculus-harness reproduce antiderivbench-table1-sympy --small": "minutes of SymPy",
    "calculus-harness sweep --model solver/sympy --benchmark runs/bank/": "minutes of SymPy",
    "python docs/results/bank.py record": "writes what minutes of SymPy give",
    "from calculus_harness.rewards.adapters.for_trl": "a part of a script: examples/reward_trl.py",
    "make_reward(": "an expression of a script",
    "import asyncio\n\nfrom calculus_harness.rewards.adapters.server.client": "asks a server: "
    "adapters/server/test_server_limits.py",
}
MARKS = {
    "docs/getting-started.md": [pytest.mark.data],
    "docs/reports.md": [pytest.mark.data],
    "docs/derivation_tasks.md": [pytest.mark.train],
    "docs/lample_charton.md": [pytest.mark.train],
    "docs/scale.md": [pytest.mark.ray],
}


def make_checkpoint(folder: Path) -> None:
    """Write an encoder-decoder for prefix tokens, with random weights."""
    from transformers import BartConfig, BartForConditionalGeneration

    sizes = dict.fromkeys(("d_model", "encoder_ffn_dim", "decoder_ffn_dim"), 16)
    layers = dict.fromkeys(("encoder_layers", "decoder_layers"), 1)
    heads = dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 2)
    tokens = {"bos_token_id": END, "eos_token_id": END, "decoder_start_token_id": END}
    tokens |= {"pad_token_id": PADDING, "vocab_size": len(TOKENS), "max_position_embeddings": 640}
    BartForConditionalGeneration(BartConfig(**sizes, **layers, **heads, **tokens)).save_pretrained(
        folder
    )
    write_tokenizer(folder)


@dataclass(frozen=True)
class Step:
    """A command, a program, or a named file; the text below a command in the document."""

    kind: str
    text: str
    name: str = ""
    shown: str = ""

    @property
    def is_run(self) -> bool:
        return not self.text.startswith(tuple(NOT_RUN))


def steps(document: str) -> Iterator[Step]:
    text = (ROOT / document).read_text(encoding="utf-8")
    for piece in PIECE.finditer(text):
        if piece["inline"]:
            yield Step("command", " ".join(piece["inline"].split()))
            continue
        language, body = piece["language"], piece["body"]
        named = re.search(r"`([\w.]+)`:$", piece["before"]) or re.match(
            r".*# (?:in )?([\w.]+)$", body.partition("\n")[0]
        )
        if language == "console":
            for command in COMMAND.finditer(body):
                output = COMMAND.split(body[command.end() :])[0]
                yield Step("command", re.sub(r"\\\n[ >]*", "", command[1]), shown=output)
        elif named:
            yield Step("file", body, named[1])
        elif language == "python":
            yield Step("program", body)


def words_of_ours(document: str) -> Iterator[list[str]]:
    """The words behind the name of our command line; a variable of the shell is replaced."""
    variables: dict[str, str] = {}
    for step in steps(document):
        line = step.text
        for name, value in variables.items():
            line = line.replace(f"${name}", value)
        if assigned := re.fullmatch(r'(\w+)="(.*)"', line):
            variables[assigned[1]] = assigned[2]
        if step.kind != "command" or assigned:
            continue
        words = shlex.split(line, comments=True)
        ends = [at for at, word in enumerate(words) if word in ("|", "||")]
        words = words[: ends[0]] if ends else words
        for program in PROGRAMS:
            if words[: len(program)] == program:
                yield words[len(program) :]


def parse(words: list[str]) -> None:
    """Parse a command with its options. Named files need not exist."""
    group, context = commands, click.Context(commands, info_name="run.py")
    while isinstance(group, click.Group):
        name, subcommand, remaining = group.resolve_command(context, words)
        assert subcommand is not None, words
        for option in subcommand.params:
            if isinstance(option.type, click.Path):
                option.type.exists = False
        context = subcommand.make_context(name, list(remaining), parent=context)
        words, group = [*context._protected_args, *context.args], subcommand


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_command_is_one(document: str) -> None:
    for words in words_of_ours(document):
        try:
            parse(words)
        except click.ClickException as error:
            pytest.fail(f"{document}: {shlex.join(words)}: {error.format_message()}")


def test_no_command_is_overlooked() -> None:
    texts = [(ROOT / document).read_text(encoding="utf-8") for document in DOCUMENTS]
    in_blocks = sum(len(COMMAND.findall(text)) for text in texts)
    kinds_of_steps = [step.kind for document in DOCUMENTS for step in steps(document)]
    assert kinds_of_steps.count("command") > in_blocks > 120
    assert kinds_of_steps.count("file") == 13
    assert kinds_of_steps.count("program") == 29
    with pytest.raises(click.ClickException):
        parse(["sweep", "--no-such-option"])
    with pytest.raises(click.ClickException):
        parse(["compare", "run", "--by", "nothing"])


def test_what_does_not_run_is_still_there() -> None:
    texts = [step.text for document in DOCUMENTS for step in steps(document)]
    unused = [start for start in NOT_RUN if not any(text.startswith(start) for text in texts)]
    assert not unused


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A directory with the repository's files for the commands, and our programs in `bin`."""
    for name in ("docs", "examples", "constraints.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    ours = f"exec {sys.executable} {Path(__file__).with_name('smaller.py')}"
    programs = {
        "calculus-harness": f'{ours} "$@"',
        "python": f'if [ "$1" = run.py ]; then shift; {ours} "$@"; fi; exec {sys.executable} "$@"',
        "make": f'exec /usr/bin/env -u MAKEFLAGS {shutil.which("make")} --dry-run -C {ROOT} "$@"',
    }
    for folder in ("bin", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
        for name, script in programs.items():
            program = tmp_path / folder / name
            program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
            program.chmod(0o755)
    return tmp_path


def run(step: Step, variables: list[str], folder: Path, server: StandInServer, hub: Hub) -> None:
    """Do a step; programs ask for four problems instead of more."""
    if step.kind == "file":
        (folder / step.name).write_text(step.text, encoding="utf-8")
        return
    if re.match(r"(export )?\w+=", step.text):
        variables.append(step.text)
        return
    command = ["bash", "-c", "\n".join(["set -eo pipefail", *variables, step.text])]
    if step.kind == "program":
        command = [sys.executable, "-c", re.sub(r"limit=\d+", "limit=4", step.text)]
    environment = {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "none",
        **at_hub(hub),
    }
    done = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | environment,
    )
    if "Traceback" in done.stderr or done.returncode != 0:
        pytest.fail(f"{step.text}\n{done.stdout}{done.stderr}")
    if columns(step.shown):  # those of a smaller run are among them
        assert columns(done.stdout) <= columns(step.shown), step.text


def columns(output: str) -> set[str]:
    """The headings of the table of a run, if any."""
    return {
        heading
        for line in output.splitlines()
        if line.startswith(" subset ")
        for heading in re.split(r"\s{2,}", line.strip())
    }


@pytest.fixture
def cluster(document: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One Ray cluster for all commands of docs/scale.md instead of a cluster per command."""
    if document != "docs/scale.md":
        yield
        return
    with ray_nodes(num_cpus=2) as nodes:
        monkeypatch.setenv("RAY_ADDRESS", nodes.address)
        yield


@pytest.mark.slow
@pytest.mark.openai
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(document, marks=MARKS.get(document, []))
        for document in DOCUMENTS
        if any(step.is_run for step in steps(document))
    ],
)
def test_commands_run_in_the_order_of_the_document(
    document: str, workspace: Path, cluster: None
) -> None:
    variables: list[str] = []
    if "transformers/checkpoints/fwd" in (ROOT / document).read_text(encoding="utf-8"):
        make_checkpoint(workspace / "checkpoints" / "fwd")
    with StandInServer() as server, Hub() as hub:
        for step in steps(document):
            if step.is_run:
                run(step, variables, workspace, server, hub)
