"""lm-evaluation-harness itself, on our tasks, with a server; and the same counts as ours."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness.integrations import lm_eval_path
from tests.harness.integrations.local_model import ANSWERS, answer, server, write_problems

ROOT = Path(__file__).parents[3]
lmeval = [pytest.mark.lmeval, pytest.mark.filterwarnings("ignore")]


def test_the_folder_is_named_by_its_content(tmp_path: Path) -> None:
    files = lm_eval_path.tasks()
    assert {"bee_competition.yaml", "group_bee.yaml"} <= files.keys()
    folder = lm_eval_path.write(files, tmp_path)
    assert {path.name for path in folder.iterdir()} == set(files)
    assert lm_eval_path.write(files, tmp_path) == folder
    assert lm_eval_path.write(lm_eval_path.tasks(max_tokens=100), tmp_path) != folder
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_the_command_prints_the_folder(tmp_path: Path) -> None:
    bench = write_problems(tmp_path)
    words = [
        sys.executable,
        "-m",
        "calculus_harness.harness.integrations.lm_eval_path",
        "--out",
        str(tmp_path / "t"),
    ]
    done = subprocess.run(
        [*words, "--benchmark", bench], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert (Path(done.stdout.strip()) / "mine.yaml").is_file()
    done = subprocess.run([*words, "--benchmark", "be"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("error: unknown benchmark 'be'")


def run(tmp_path: Path, **options: Any) -> dict[str, Any]:
    """`simple_evaluate` on the problems of `answering`."""
    pytest.importorskip("lm_eval")
    import lm_eval
    from lm_eval.tasks import TaskManager

    metadata = options.pop("metadata", {})
    files = {"mine.yaml": lm_eval_path.tasks([write_problems(tmp_path)])["mine.yaml"]}
    folder = lm_eval_path.write(files, tmp_path / "tasks")
    manager = TaskManager(include_path=str(folder), include_defaults=False, metadata=metadata)
    with server() as serving:
        url, model_type = f"{serving.url}/chat/completions", "local-chat-completions"
        if not options.pop("chat", True):
            url, model_type = f"{serving.url}/completions", "local-completions"
        results = lm_eval.simple_evaluate(
            model=model_type,
            model_args={
                "model": "stub",
                "base_url": url,
                "tokenizer_backend": None,
                "num_concurrent": 2,
            },
            tasks=["mine"],
            task_manager=manager,
            bootstrap_iters=0,
            log_samples=True,
            apply_chat_template=model_type == "local-chat-completions",
            **options,
        )
    assert results is not None
    return dict(results)


class TestWithLmEval:
    pytestmark = lmeval

    def test_their_numbers_are_ours(self, tmp_path: Path) -> None:
        from calculus_harness.harness import Sampling, summarise, sweep

        results = run(tmp_path)
        row = results["results"]["mine"]
        assert row["pass@1,verified"] == pytest.approx(4 / 7)
        assert row["no_answer,verified"] == row["undecided,verified"] == pytest.approx(1 / 7)
        model = tmp_path / "model.py"
        model.write_text(
            "from tests.harness.integrations.local_model import answer\n"
            "def say(messages, seed):\n    return answer(messages[-1]['content'])\n"
        )
        ours = sweep(
            models=[f"python/{model}:say"],
            benchmarks=[write_problems(tmp_path)],
            sampling=Sampling(max_tokens=100),
            out=tmp_path / "run",
        )
        [mine] = [line for line in summarise(ours).rows if line.subset != "all"]
        assert mine.passes[0].value == pytest.approx(row["pass@1,verified"])

    def test_every_document_has_its_verdict(self, tmp_path: Path) -> None:
        samples = run(tmp_path)["samples"]["mine"]
        right = {sample["doc"]["id"].split("/")[-1]: sample["pass@1"] for sample in samples}
        statuses = [status for _, status in ANSWERS.values()]
        assert right == {f"p{n}": float(s == "correct") for n, s in enumerate(statuses)}

    def test_options_come_as_metadata(self, tmp_path: Path) -> None:
        options = {"prompt": "completion", "limit": 5, "shots": 1, "strict": True}
        results = run(tmp_path, chat=False, metadata={"calculus": options, "seed": 5})
        samples = results["samples"]["mine"]
        assert len(samples) == 5
        assert samples[0]["doc"]["stop"] == ["\nProblem:"]
        assert samples[0]["doc"]["question"].endswith("Solution:")


@pytest.mark.lmeval
def test_repeats_and_a_running_event_loop(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    from calculus_harness.harness.integrations import for_lm_eval

    [document] = for_lm_eval.dataset(write_problems(tmp_path), {"limit": 1})["test"]
    integrand = json.loads(document["problem"])["target"]["integrand"]
    texts = [answer(integrand), r"\boxed{q}"]
    assert for_lm_eval.every_response([texts], [document]) == [texts]

    async def in_a_loop() -> dict[str, float]:
        return for_lm_eval.process_results(document, [texts])

    expected = float(ANSWERS[integrand][1] == "correct") / 2
    assert asyncio.run(in_a_loop())["pass@1"] == expected


@pytest.mark.lmeval
def test_what_it_cannot_ask_is_refused() -> None:
    pytest.importorskip("datasets")
    from calculus_harness.harness.core.errors import UserError
    from calculus_harness.harness.integrations import for_lm_eval

    with pytest.raises(UserError, match="'two-stage' has stages"):
        for_lm_eval.dataset("bee", {"prompt": "two-stage", "limit": 1})
    with pytest.raises(UserError, match="'few-shot' has several messages"):
        for_lm_eval.dataset("bee", {"prompt": "few-shot", "limit": 1})
    with pytest.raises(UserError, match="no such option: promt"):
        for_lm_eval.dataset("bee", {"promt": "direct"})


@pytest.mark.lmeval
@pytest.mark.slow
def test_the_example_runs(tmp_path: Path) -> None:
    with server() as serving:
        done = subprocess.run(
            [
                sys.executable,
                "examples/eval_with_lm_eval.py",
                serving.url,
                "stub",
                "drills_monomials",
            ],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=300,
            env=os.environ
            | {
                "PYTHONPATH": str(ROOT),
                "XDG_CACHE_HOME": str(tmp_path),
                "HF_HUB_OFFLINE": "1",
                "OPENAI_API_KEY": "none",
            },
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert len(serving.asked) == 20
    assert 0 <= float(done.stdout.splitlines()[-1]) < 1
