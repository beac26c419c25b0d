"""A newcomer's first day with the program, scripted: commands, times, and output.

`python -m tests.perf.harness.first_day` asks a stand-in server for 320 answers (two models, one
solving more), and again with faults in 15 % of the requests, then reads the results in every way.
The script prints the seconds of every whole process and a screen of 80 x 24; the exit status is 1
if the answer does not fit on the screen, an answer is lost, or a sweep takes over `MAX_SECONDS`
seconds. `--lm-eval PYTHON`, a Python with lm-evaluation-harness and this project, asks the same
servers for the same number of answers with lm-evaluation-harness.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

from calculus_harness.benchmarks import load
from calculus_harness.harness import Run, summarise
from tests.harness.faulty_server import FaultyServer, payload_for
from tests.perf.harness.throughput import Work, in_a_child

ROOT = Path(__file__).parents[3]
#: Seconds for 320 answers of a server that takes `DELAY` each, the whole process.
MAX_SECONDS, DELAY = 10.0, 0.2
LIMIT, SAMPLES, WIDTH, HEIGHT = 80, 2, 80, 24
#: Requests at once: our default.
CONCURRENCY = 64
FAULTS = {"reset": 0.04, "broken": 0.04, "unavailable": 0.03, "too_many": 0.04}
SKILL = {"strong": 0.8, "weak": 0.4}


def respond_from(answers: dict[str, str]) -> Any:
    """The answers of two models of different skill, by the integrand in the prompt."""

    def respond(body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["messages"][-1]["content"]
        right = next((answer for text, answer in answers.items() if text in prompt), "x")
        chance = random.Random(f"{body['model']} {body.get('seed')} {prompt}").random()
        payload = payload_for(body)
        for choice in payload["choices"]:
            text = right if chance < SKILL[body["model"]] else f"-({right})"
            choice["message"]["content"] = rf"So it is $\boxed{{{text}}}$."
        return payload

    return respond


def timed(name: str, *words: str, folder: Path) -> tuple[float, str]:
    """Run a command as a user does. Returns the seconds and the output."""
    environment = os.environ | {"COLUMNS": str(WIDTH), "OPENAI_API_KEY": "none"}
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(ROOT / "run.py"), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - begun
    print(f"{seconds:6.1f} s  {name}" + (f"  (status {done.returncode})" * bool(done.returncode)))
    if done.returncode:
        print(textwrap.indent(done.stderr[-600:], "          "))
    return seconds, done.stdout


def screen(text: str) -> list[str]:
    """The lines of a text on a terminal."""
    return [line for long in text.splitlines() for line in textwrap.wrap(long, WIDTH) or [""]]


def rival(python: str, url: str, name: str) -> None:
    """Ask as many answers with lm-evaluation-harness; print the seconds of the whole process."""
    options = argparse.Namespace(inspect=sys.executable, lm_eval=python)
    total = LIMIT * SAMPLES * len(SKILL)
    work = Work(url, "strong", total // SAMPLES, SAMPLES, CONCURRENCY, 256)
    run = in_a_child("lm-eval", work, options)
    line = run if isinstance(run, str) else f"{run['wall']:6.1f} s  lm-eval, {name} server"
    print(line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lm-eval", metavar="PYTHON")
    arguments = parser.parse_args()
    problems = load("bee/qualifier", limit=LIMIT)
    answers = {
        problem.inputs.integrand: problem.target.reference or "x"
        for problem in sorted(problems, key=lambda problem: -len(problem.inputs.integrand))
    }
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for run, faults in (("plain", {}), ("faulty", FAULTS)):
            with FaultyServer(faults, delay=DELAY) as server:
                server.respond = respond_from(answers)
                models = [
                    word
                    for model in SKILL
                    for word in ("--model", f"openai/{model};base-url={server.url}")
                ]
                sweep = ("sweep", *models, "--benchmark", "bee/qualifier", "--limit", str(LIMIT))
                sweep = (*sweep, "-n", str(SAMPLES), "--out", run)
                if not faults:
                    timed("what would it ask (--dry-run)", *sweep, "--dry-run", folder=folder)
                seconds, _ = timed(f"320 answers, {run} server", *sweep, folder=folder)
                requests = len(server.asked)
                if arguments.lm_eval:
                    rival(arguments.lm_eval, server.url, run)
            missing = summarise(Run(folder / run)).missing
            print(f"          {requests} requests, {missing} answers missing")
            failed += missing > 0 or seconds > MAX_SECONDS
        timed("the results, and their page", "report", "plain", folder=folder)
        timed("the two models compared", "compare", "plain", folder=folder)
        _, answer = timed("the answer", "report", "plain", folder=folder)
        timed("wrong answers", "view", "plain", "--status", "incorrect", folder=folder)
        timed("for pandas", "export", "plain", "--to", "csv", "--out", "x.csv", folder=folder)
        lines = screen(answer)
        print(f"\nThe answer, {len(lines)} lines of at most {max(map(len, lines))} characters:\n")
        print("\n".join(lines))
        failed += len(lines) > HEIGHT or "strong solves" not in lines[0]
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
