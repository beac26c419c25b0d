"""Problems on the command line: a user's tables, `generate`, overlap, presets, examples."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from calculus_harness.harness.report.published import published, published_rows
from calculus_harness.harness.stats.summary import Summary
from calculus_harness.rewards.numeric.sampling import integrand
from tests.harness.conftest import Command


def refused(result: subprocess.CompletedProcess[str], *messages: str) -> None:
    assert result.returncode == 2, result.stderr
    (line,) = result.stderr.splitlines()
    for words in messages:
        assert words in line


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text("q,a\n2*x*cos(x**2),sin(x**2)\n1/,\nexp(t),exp(t)\n", encoding="utf-8")
    return path


COLUMNS = ("--columns", "integrand=q,antiderivative=a", "--syntax", "sympy")


def test_a_table_is_validated(cli: Command, table: Path) -> None:
    done = cli("ls", "--validate", "--benchmark", table, *COLUMNS)
    assert done.returncode == 0
    assert done.stdout == "2 proved, 1 without a reference\n"
    table.write_text(table.read_text() + "1/,x\n", encoding="utf-8")
    done = cli("ls", "--validate", "--benchmark", table, *COLUMNS)
    assert done.returncode == 1
    assert "line 5: unread: problem: " in done.stdout
    refused(cli("ls", "--validate", *COLUMNS, "--benchmark", "bee"), "are for files")


def test_a_table_is_asked(cli: Command, table: Path, model: str) -> None:
    plan = cli(
        *f"sweep --model {model} --benchmark {table}".split(),
        *COLUMNS,
        "--skip-broken",
        "--dry-run",
        "--json",
    )
    assert json.loads(plan.stdout)["problems"] == {"mine/problems": 2}


def test_overlap(cli: Command, table: Path, tmp_path: Path) -> None:
    mine = tmp_path / "ours.jsonl"
    mine.write_text('{"integrand": "-3e^{x}", "id": "a"}\n', encoding="utf-8")
    result = cli("ls", "--overlap", table, "--benchmark", mine, *COLUMNS, "--json")
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert report["compared"] == 2
    assert [match["ours"] for match in report["matches"]] == ["ours/problems/a"]
    mine.write_text('{"integrand": "x", "id": "a"}\n', encoding="utf-8")
    assert cli("ls", "--overlap", table, "--benchmark", mine, *COLUMNS).returncode == 0


def test_generate_writes_what_sweep_reads(cli: Command, tmp_path: Path) -> None:
    out = tmp_path / "new" / "twins.jsonl"
    result = cli("generate", "bee", "--subset", "twins", "--limit", "5", "--out", out)
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["perturbation"] for row in rows] == ["twins"] * 5
    again = tmp_path / "again.jsonl"
    cli("generate", "bee", "--subset", "twins", "--limit", "5", "--out", again)
    assert again.read_bytes() == out.read_bytes()
    refused(cli("generate", "bee", "--subset", "twins", "--out", out), "--force replaces it")
    assert cli("ls", "--validate", "--benchmark", out).returncode == 0
    qualifier = tmp_path / "q.jsonl"
    assert cli("generate", "bee", "--subset", "qualifier", "--limit", "3", "--out", qualifier)
    assert len(qualifier.read_text(encoding="utf-8").splitlines()) == 3


def test_generate_of_ones_own_integrals(cli: Command, tmp_path: Path) -> None:
    bank = tmp_path / "bank.jsonl"
    bank.write_text('{"integrand": "e^x", "antiderivative": "e^x", "id": "e"}\n', encoding="utf-8")
    out = tmp_path / "out.jsonl"
    done = cli(
        *f"generate bee --subset parametric --bank {bank} --out {out} --difficulty 2".split(),
        CALCULUS_HARNESS_CACHE=str(tmp_path / "cache"),
    )
    assert done.returncode == 0, done.stderr
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.data
def test_generate_a_data_set(cli: Command, tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="needs the extra 'data'")
    out = tmp_path / "saved"
    assert cli("generate", "bee", "--subset", "parametric", "--limit", "9", "--out", out)
    done = cli("ls", "--validate", "--benchmark", f"file:{out}")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "7 proved, 2 agreed\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bee", "--subset", "lin_com", "--out", "x.jsonl"], "did you mean 'lin_comb' or"),
        (["be", "--out", "x.jsonl"], "did you mean 'bee'?"),
        (["bee", "--out", "x.csv"], "a .jsonl file or a folder"),
        (
            ["bee", "--subset", "qualifier", "--difficulty", "2", "--out", "x.jsonl"],
            "augmentations",
        ),
        (["bee", "--subset", "parts", "--bank", "none.jsonl", "--out", "x.jsonl"], "cannot read"),
    ],
)
def test_what_cannot_be_generated(cli: Command, arguments: list[str], message: str) -> None:
    refused(cli("generate", *arguments), message)


@pytest.mark.slow
def test_the_preset_is_the_papers_protocol(cli: Command, model: str) -> None:
    done = cli(
        *f"sweep --preset antiderivbench --model {model} --limit 10 --dry-run --json".split()
    )
    plan = json.loads(done.stdout)
    assert plan["samples"] == 64
    assert set(plan["problems"]) == {
        f"bee/{name}"
        for name in ("qualifier", "competition", "lin_comb", "subst_poly", "subst_hard")
    }
    fewer = cli(
        *(
            f"sweep --preset antiderivbench --model {model} --limit 10 --benchmark "
            "bee/qualifier -n 2 --dry-run --json"
        ).split()
    )
    assert json.loads(fewer.stdout)["completions"] == 20
    dry_run = cli("sweep", "--preset", "antiderivbench", "--model", model, "--dry-run", "--json")
    assert 1000 < sum(json.loads(dry_run.stdout)["problems"].values()) <= integrand.MAX_KEPT
    refused(cli("sweep", "--preset", "antiderivbenc", "--model", model), "did you mean")


def test_examples_are_asked_for_by_number(cli: Command, model: str, bench: str) -> None:
    arguments = ("sweep", "--model", model, "--benchmark", bench, "--dry-run", "--json")
    result = cli(*arguments, "--prompt", "few-shot", "--num-fewshot", "2")
    prompt = json.loads(result.stdout)["first_prompts"]["bench/easy"]
    assert len(prompt["messages"]) == 5
    refused(cli(*arguments, "--num-fewshot", "2"), "'antiderivbench' shows no examples")


def test_published_rows() -> None:
    rows = published()
    assert len(rows) == 30
    gemini = next(r for r in rows if r.method == "gemini-2.5-flash" and r.subset == "bee/lin_comb")
    assert gemini.passes == {1: 70.3, 16: 83.8, 64: 84.8}
    assert published_rows(Summary("run", None, ())) == []


DOCUMENT = Path(__file__).parents[3] / "docs" / "audit.md"


def test_the_documents_first_audit_proves_its_references(cli: Command, tmp_path: Path) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    (tmp_path / "mine.csv").write_text(text.split("```csv\n")[1].split("```")[0], encoding="utf-8")
    done = cli("audit", "mine.csv", "--json")
    assert (done.returncode, json.loads(done.stdout)["counts"]["proved"]) == (0, 3)


@pytest.mark.parametrize("text", ["", "id,integrand\n", "id,question,gold\n1,2*x,x**2\n"])
def test_an_audit_of_nothing_does_not_pass(cli: Command, tmp_path: Path, text: str) -> None:
    (tmp_path / "mine.csv").write_text(text, encoding="utf-8")
    assert cli("audit", "mine.csv").returncode == 1


def test_wrong_columns_of_responses_are_refused(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("id,integrand,gold\n1,2*x,x**2\n", encoding="utf-8")
    (tmp_path / "theirs.csv").write_text("llm,id,text\na,1,x^2\n", encoding="utf-8")
    audited = ("audit", "mine.csv", "--json", "--responses", "theirs.csv", "--response-columns")
    assert "'model'" in cli(*audited, "modle=llm").stderr
    assert "theirs.csv: no choice 'lm'; did you mean 'llm'?" in cli(*audited, "model=lm").stderr
    assert json.loads(cli(*audited, "model=llm").stdout)["effects"][0]["model"] == "a"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (".", "'.' is no benchmark, and no file of problems, which ends in .jsonl"),
        ("/", "'/' is no benchmark"),
        ("./model.py", "'./model.py' is no benchmark"),
        ("deep.jsonl", "line 1: too many brackets in brackets"),
        ("deep.json", "too many brackets in brackets"),
        ("words.jsonl", 'assumptions must be an object such as {"a": "negative"}, not'),
        ("good.csv?split=train", "a file has no splits"),
    ],
)
def test_what_is_no_table_is_one_line(
    cli: Command, tmp_path: Path, source: str, message: str
) -> None:
    for name in ("deep.jsonl", "deep.json"):
        (tmp_path / name).write_text("[" * 100_000, encoding="utf-8")
    row = {"integrand": "x^a", "assumptions": "a > 0"}
    (tmp_path / "words.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (tmp_path / "good.csv").write_text("integrand\n2x\n", encoding="utf-8")
    refused(cli("ls", "--benchmark", source), message)


def test_a_bank_of_one_integral_has_nothing_to_combine(cli: Command, tmp_path: Path) -> None:
    row = {"integrand": "x^2", "antiderivative": "x^3/3"}
    (tmp_path / "one.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    done = cli(*"generate bee --subset lin_comb --bank one.jsonl --out out.jsonl".split())
    assert done.returncode == 2
    assert "a bank needs several integrals" in done.stderr
    assert not (tmp_path / "out.jsonl").exists()
