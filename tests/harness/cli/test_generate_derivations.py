"""`generate derivations`, `generate calculus`: outputs and refusals."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from unittest import mock

import pytest

from calculus_harness.benchmarks import load
from calculus_harness.harness.cli.main import main


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def generate(*args: object) -> int:
    """The exit status of the command, run in the test's process."""
    argv = ["run.py", "generate", *map(str, args)]
    with mock.patch.object(sys, "argv", argv), pytest.raises(SystemExit) as stop:
        main()
    return int(stop.value.code or 0)


@pytest.mark.parametrize(
    ("args", "splits"),
    [
        (
            ["derivations", "--steps", 2, "--count", 10, "--workers", 1],
            {"train": 10, "validation": 2, "static": 2, "VR": 2, "EE": 2, "AR": 2},
        ),
        pytest.param(
            ["calculus", "--operation", "integration", "--count", 16, "--workers", 1],
            {"train": 16, "validation": 4, "static": 2, "VR": 2, "EC": 2, "easy": 2},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_data_set_in_lines(args: list[object], splits: dict[str, int], tmp_path: Path) -> None:
    out = tmp_path / "set.jsonl"
    assert generate(*args, "--seed", 3, "--out", out) == 0
    generated = rows(out)
    for name, size in splits.items():
        assert sum(row["split"] == name for row in generated) == size
    assert {row["label"] for row in generated} == {0, 1}


def test_the_styles(tmp_path: Path) -> None:
    texts = {}
    for style in ("published", "clean"):
        out = tmp_path / f"{style}.jsonl"
        assert (
            generate(
                "derivations",
                "--steps",
                3,
                "--count",
                2,
                "--workers",
                1,
                *f"--style {style} --out {out}".split(),
            )
            == 0
        )
        texts[style] = " ".join(str(row["text"]) for row in rows(out))
    assert r"\left" not in texts["published"]
    assert r"\left" in texts["clean"]
    assert texts["clean"].count("[") == texts["clean"].count("]")


@pytest.mark.data
def test_a_folder_is_a_dataset_dict_and_the_same_bytes_again(tmp_path: Path) -> None:
    import datasets

    folders = [tmp_path / "one", tmp_path / "two"]
    for out in folders:
        args = ["derivations", "--steps", 2, "--count", 10, "--workers", 1, "--out", out]
        assert generate(*args) == 0
    loaded = datasets.load_from_disk(str(folders[0]))
    assert set(loaded) == {"train", "validation", "static", "VR", "EE", "AR"}
    files = [
        {p.relative_to(f): p.read_bytes() for p in f.rglob("*") if p.is_file()} for f in folders
    ]
    assert files[0] == files[1]


def test_a_subset_is_written_as_problems(tmp_path: Path) -> None:
    out = tmp_path / "problems.jsonl"
    assert generate("derivations", "--subset", "step3_ar", "--limit", 4, "--out", out) == 0
    assert [row["id"] for row in rows(out)] == [
        problem.id for problem in load("derivations/step3_ar", limit=4)
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--limit", "3"], "--limit is for --subset"),
        (["--subset", "step33"], "no subset 'step33'"),
        (["--steps", "1"], "1 is not in the range"),
        (["--variant", "mine"], "'mine' is not one of"),
    ],
)
def test_mistakes_are_one_line(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate("derivations", *args, "--out", tmp_path / "x.jsonl") != 0
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "module", "message"),
    [
        (["calculus", "--operation", "integration"], "calculus", "no premise for integration"),
        (["derivations", "--steps", 3], "examples", "no derivation of 3 steps"),
        (["calculus", "--subset", "int", "--limit", 2], "calculus", "no premise for integration"),
    ],
)
def test_that_no_example_is_found_is_one_line(
    args: list[object],
    module: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(f"calculus_harness.benchmarks.derivations.{module}.MAX_DRAWS", 0)
    count = [] if "--subset" in args else ["--count", 8, "--workers", 1]
    assert generate(*args, *count, "--seed", 91, "--out", tmp_path / "set.jsonl") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"error: {message} in 0 draws; another seed or variant may have one"


@pytest.mark.parametrize("benchmark", ["derivations", "calculus"])
@pytest.mark.parametrize(
    "option",
    [
        ["--variant", "original"],
        ["--style", "clean"],
        ["--count", "20"],
        ["--workers", "1"],
    ],
)
def test_options_of_data_sets_are_refused_for_a_subset(
    benchmark: str, option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    subset = {"derivations": "step3", "calculus": "int"}[benchmark]
    assert generate(benchmark, "--subset", subset, *option, "--out", tmp_path / "x.jsonl") == 2
    assert f"error: {option[0]} has no effect with --subset" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["derivations", "--subset", "step3", "--steps", "4"], "--steps has no effect"),
        (["calculus", "--subset", "int", "--operation", "integration"], "--operation has no"),
        (["bee", "--subset", "lin_comb", "--split", "test"], "--split and --skip-broken are for"),
        (
            ["brittleness", "--subset", "times_k", "--bank", "bee", "--difficulty", "2"],
            "--difficulty has no effect",
        ),
        (
            ["lample-charton", "--method", "fwd", "--operators", "3", "--max-operators", "9"],
            "--max-operators has no effect",
        ),
        (["lample-charton", "--method", "ibp", "--operators", "3"], "--operators has no effect"),
    ],
)
def test_no_option_is_ignored(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(*args, "--out", tmp_path / "x.jsonl") == 2
    assert message in capsys.readouterr().err
