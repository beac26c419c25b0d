"""Another run's completions as a model: found by problem and sample, under any prompt."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from calculus_harness import harness
from calculus_harness.harness import Run, UserError
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create


@pytest.fixture
def source(tmp_path: Path, model: str, bench: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run of two samples of six problems, in compressed shards and an open shard."""
    monkeypatch.setattr("calculus_harness.harness.store.log.appending.SHARD_BYTES", 900)
    monkeypatch.setattr("calculus_harness.harness.store.log.appending.BLOCK_BYTES", 400)
    run = harness.sweep([model], [bench], limit=6, samples=2, out=tmp_path / "source")
    assert list((run.path / "completions").glob("*.jsonl.gz"))
    assert list((run.path / "completions").glob("*.jsonl"))
    return run


def texts_of(run: Run) -> dict[tuple[str, int], tuple[str, int, float]]:
    """Text, seed and latency by problem and sample."""
    rows = list(run.completions.rows())
    texts = {(row["problem"], row["sample"]): row for row in rows}
    assert len(texts) == len(rows)
    return {key: (row["text"], row["seed"], row.get("latency", 0)) for key, row in texts.items()}


def test_everything_comes_again_under_another_prompt(
    tmp_path: Path, source: Run, bench: str
) -> None:
    own = tmp_path / "own.jinja"
    own.write_text('+++\ntask = "integration"\n+++\nIntegrate {{ integrand }}\n')
    spec = f"replay/{source.path}"
    run = harness.sweep([spec], [bench], limit=6, samples=2, prompt=str(own), out=tmp_path / "two")
    assert texts_of(run) == texts_of(source)
    again = harness.sweep([spec], [bench], limit=6, samples=1, out=tmp_path / "one")
    assert texts_of(again).items() < texts_of(source).items()
    assert {row["request"] for row in run.completions.rows()}.isdisjoint(
        row["request"] for row in source.completions.rows()
    )


def test_what_the_run_lacks_is_said(tmp_path: Path, source: Run, bench: str) -> None:
    spec = f"replay/{source.path}"
    with pytest.raises(ModelError, match="no sample 2 of bench/"):
        harness.sweep([spec], [bench], limit=6, samples=3, out=tmp_path / "more")
    assert len(list(Run(tmp_path / "more").completions.rows())) == 12
    other_bench = tmp_path / "other" / "bench.jsonl"
    other_bench.parent.mkdir()
    other_bench.write_text(Path(bench).read_text().replace("x e^x", "x e^{2x}"))
    with pytest.raises(ModelError, match="that run has another problem"):
        harness.sweep([spec], [str(other_bench)], limit=6, samples=1, out=tmp_path / "changed")
    with pytest.raises(UserError, match="is not a run"):
        create(f"replay/{tmp_path}")


def test_a_run_is_known_wherever_it_lies_and_when_it_has_grown(
    tmp_path: Path, source: Run, model: str, bench: str
) -> None:
    original = create(f"replay/{source.path}")
    shutil.copytree(source.path, tmp_path / "elsewhere")
    assert create(f"replay/{tmp_path / 'elsewhere'}").hash == original.hash
    harness.sweep([model], [bench], limit=6, samples=3, out=source.path)
    assert create(f"replay/{source.path}").hash == original.hash
    fresh = harness.sweep([model], [bench], limit=6, samples=2, seed=1, out=tmp_path / "fresh")
    assert create(f"replay/{fresh.path}").hash != original.hash


def test_a_run_of_several_models_needs_a_label(
    tmp_path: Path, source: Run, model: str, bench: str
) -> None:
    other_model = tmp_path / "other.py"
    other_model.write_text("def answer(messages, seed): return 'x'\n")
    harness.sweep([f"python/{other_model}:answer"], [bench], limit=6, out=source.path)
    with pytest.raises(ModelError, match=f"-M model=LABEL says which one; known: {model}"):
        create(f"replay/{source.path}")
    with pytest.raises(ModelError, match="did you mean"):
        create(f"replay/{source.path}", {"model": model[:-1]})
    chosen = create(f"replay/{source.path}", {"model": f"python/{other_model}:answer"})
    run = harness.sweep([chosen], [bench], limit=6, out=tmp_path / "chosen")
    assert {text for text, _, _ in texts_of(run).values()} == {"x"}
