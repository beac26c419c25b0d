"""Encoder-decoders of `transformers`: a model like Lample and Charton's, trained here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers", reason="needs the extra 'train'")
pytestmark = [pytest.mark.train, pytest.mark.slow]

from calculus_harness.benchmarks import Problem, load  # noqa: E402
from calculus_harness.benchmarks.lample_charton.codec.tokenizer import write_tokenizer  # noqa: E402
from calculus_harness.benchmarks.lample_charton.codec.vocabulary import (  # noqa: E402
    END,
    PADDING,
    TOKENS,
)
from calculus_harness.benchmarks.lample_charton.prefix_forms import prefix_form  # noqa: E402
from calculus_harness.harness import sweep  # noqa: E402
from calculus_harness.harness.core.policy import Policy  # noqa: E402
from calculus_harness.harness.core.requests import (  # noqa: E402
    Completion,
    Request,
    Sampling,
    request_hash,
)
from calculus_harness.harness.models import Continuation, Model, create  # noqa: E402
from calculus_harness.harness.run.phases import run_phases  # noqa: E402
from calculus_harness.harness.run.plan import plan  # noqa: E402
from calculus_harness.harness.run.spec import SweepSpec  # noqa: E402
from calculus_harness.harness.studies import named_phases  # noqa: E402
from calculus_harness.harness.studies.brittleness.answers import answers_of  # noqa: E402
from calculus_harness.harness.studies.brittleness.tables import sections  # noqa: E402
from calculus_harness.harness.studies.brittleness.teacher_forcing import score_texts  # noqa: E402
from calculus_harness.prompts import Rendered  # noqa: E402
from calculus_harness.prompts import load as load_prompt  # noqa: E402

#: Released files: with counts, and without.
COUNTED = """\
9|sub Y' mul INT+ 2 x\tpow x INT+ 2
4|sub Y' cos x\tsin x
1|sub Y' exp x\texp x
"""
PLAIN = "sub Y' sin x\tmul INT- 1 cos x\n"
LIMIT = 15
PREFIX = Policy(answer_format="prefix")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The names of two released files as benchmarks."""
    folder = tmp_path_factory.mktemp("data")
    for name, text in (("prim_fwd.valid", COUNTED), ("plain.test", PLAIN)):
        (folder / name).write_text(text, encoding="utf-8")
    return f"lample_charton/{folder}/prim_fwd.valid", f"lample_charton/{folder}/plain.test"


@pytest.fixture(scope="module")
def benchmarks(files: tuple[str, str]) -> list[str]:
    subsets = ("primitive_exp", "powers", "operators_15")
    return [*files, *(f"brittleness/{subset}" for subset in subsets)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, benchmarks: list[str]) -> Path:
    """A model that knows the references of most problems by heart."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    path = tmp_path_factory.mktemp("model") / "seq2seq"
    torch.manual_seed(0)
    torch.set_num_threads(1)  # a small model; a busy machine
    model = BartForConditionalGeneration(
        BartConfig(
            vocab_size=len(TOKENS),
            d_model=64,
            encoder_layers=2,
            decoder_layers=2,
            encoder_attention_heads=4,
            decoder_attention_heads=4,
            encoder_ffn_dim=128,
            decoder_ffn_dim=128,
            max_position_embeddings=128,
            dropout=0.0,
            bos_token_id=END,
            eos_token_id=END,
            pad_token_id=PADDING,
            decoder_start_token_id=END,
            forced_eos_token_id=None,
        )
    )
    model.generation_config.forced_eos_token_id = None
    ids = {token: index for index, token in enumerate(TOKENS)}
    pairs = []
    for name in benchmarks[:-1]:
        for problem in load(name, limit=4):
            sides = [prefix_form(problem, side) for side in ("integrand", "antiderivative")]
            pairs.append([[ids[token] for token in side.split()] for side in sides])
    lead = [ids["sub"], ids["Y'"]]
    inputs = padded([[END, *lead, *f, END] for f, _ in pairs], PADDING)
    labels = padded([[*big_f, END] for _, big_f in pairs], -100)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(150):
        loss = model(input_ids=inputs, attention_mask=inputs != PADDING, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(path)
    write_tokenizer(path)
    return path


def padded(rows: Sequence[list[int]], fill: int) -> Any:
    import torch

    longest = max(map(len, rows))
    return torch.tensor([row + [fill] * (longest - len(row)) for row in rows])


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return create(f"transformers/{folder}")


def ask(model: Model, sampling: Sampling, texts: Sequence[str], count: int = 1) -> list[Completion]:
    inputs = {"integrand": "x", "variable": "x"}
    requests = []
    for number, text in enumerate(texts):
        problem = Problem(f"p{number}", "integration", "toy", "s", inputs, inputs)
        prompt = Rendered(text=text)
        hashed = request_hash(problem, prompt, sampling)
        requests.append(
            Request(model.hash, problem, prompt, sampling, hashed, seed=number, count=count)
        )

    async def stream() -> AsyncIterator[Request]:
        for request in requests:
            yield request

    async def collect() -> list[Completion]:
        return [completion async for completion in model.complete(stream())]

    return sorted(asyncio.run(collect()), key=lambda c: (c.problem, c.sample))


INPUTS = ["sub Y' cos x", "sub Y' mul INT+ 2 x", "sub Y' add x mul INT+ 3 sin mul INT+ 2 x"]


def test_what_was_learnt_is_answered_alone_and_in_a_batch(model: Model) -> None:
    greedy = Sampling(temperature=0, max_tokens=30, logprobs=True)
    together = ask(model, greedy, INPUTS)
    assert [completion.text for completion in together][:2] == ["sin x", "pow x INT+ 2"]
    for text, completion in zip(INPUTS, together, strict=True):
        (alone,) = ask(model, greedy, [text])
        assert alone.text == completion.text
        assert alone.logprob == pytest.approx(completion.logprob, abs=1e-4)
    hot = Sampling(temperature=2.0, max_tokens=30)
    samples = ask(model, hot, INPUTS, count=5)
    assert len(samples) == 15
    assert len({completion.text for completion in samples}) > 5


def test_hypotheses_of_a_beam_search_come_with_their_probabilities(
    model: Model, folder: Path
) -> None:
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    completions = ask(model, Sampling(beams=6, max_tokens=30, logprobs=True), INPUTS[:2], count=6)
    assert [completion.rank for completion in completions] == [0, 1, 2, 3, 4, 5] * 2
    assert completions[0].text == "sin x"
    scores = [completion.score for completion in completions[:6]]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    network = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for completion in completions[:3]:
        values = completion.extra["token_logprobs"]
        assert completion.score == pytest.approx(sum(values) / len(values), abs=1e-4)
        written = [*tokenizer(completion.text, add_special_tokens=False)["input_ids"], END]
        ids = torch.tensor([tokenizer(INPUTS[0])["input_ids"]])
        with torch.inference_mode():
            logits = network(input_ids=ids, labels=torch.tensor([written])).logits[0]
        truth = logits.double().log_softmax(-1)[range(len(written)), written].sum()
        assert completion.logprob == pytest.approx(float(truth), abs=1e-4)


def test_given_texts_are_scored_whatever_else_is_in_the_batch(model: Model) -> None:
    texts = [
        Continuation("a", Rendered(text=INPUTS[0]), "sin x"),
        Continuation("b", Rendered(text=INPUTS[2]), "add INT+ 5 mul x cos x"),
        Continuation("c", Rendered(text=INPUTS[1]), ""),
    ]

    def score(some: Sequence[Continuation]) -> dict[str, tuple[float, ...]]:
        async def stream() -> AsyncIterator[Continuation]:
            for text in some:
                yield text

        async def collect() -> dict[str, tuple[float, ...]]:
            return {s.key: s.token_logprobs async for s in model.score(stream())}

        return asyncio.run(collect())

    together = score(texts)
    assert [len(together[key]) for key in "abc"] == [3, 8, 1]
    for text in texts:
        assert score([text])[text.key] == pytest.approx(together[text.key], abs=1e-5)
    (best,) = ask(model, Sampling(temperature=0, max_tokens=9), [INPUTS[0]])
    assert sum(together["a"]) == pytest.approx(best.logprob, abs=1e-4)


def test_a_prompt_that_is_too_long_is_a_failure_of_its_own(model: Model) -> None:
    long = "sub Y' " + "add x " * 80 + "x"
    first, second = ask(model, Sampling(temperature=0, max_tokens=9), [long, INPUTS[0]])
    assert "takes 1 to 128" in first.detail
    assert second.text == "sin x"


def test_the_tables_of_symbolic_brittleness_fill(
    folder: Path, benchmarks: list[str], tmp_path: Path
) -> None:
    """A sweep in phases with beams, answers in prefix tokens, then the references' likelihoods."""
    spec = SweepSpec.of(
        model=[f"transformers/{folder}"],
        benchmark=benchmarks,
        limit=LIMIT,
        samples=10,
        prompt="prefix",
        sampling=Sampling(beams=10, max_tokens=60),
        policy=PREFIX,
        out=tmp_path / "run",
    )
    run = run_phases(plan(spec), named_phases("brittleness", "none"), policy=PREFIX)
    (policy,) = run.policies
    assert policy.endswith("-prefix")
    solved = {row["problem"] for row in run.verdicts(policy).rows() if row["correct"]}
    assert {"lample_charton/prim_fwd.valid/prim_fwd.valid-2"} <= solved
    scored = score_texts(run.path, create(f"transformers/{folder}"), answer_format="prefix")
    assert scored.scored > 0
    assert not scored.remarks
    (source,) = answers_of([run])
    tables = {section.title: section.rows for section in sections(source)}

    def filled(title: str, row: str, *columns: int) -> bool:
        (cells,) = [
            cells
            for name, rows in tables.items()
            if title in name
            for cells in rows
            if cells[0] == row
        ]
        return all(cells[column] not in ("", "not run") for column in columns)

    assert filled("Table 2)", "f/k", 2, 3)
    assert filled("Table 2)", "k1*exp(k2*x)", 2, 3)
    assert filled("Table 8)", "valid, 2 terms", 2, 3)
    assert filled("Table 9)", "1-15 operators", 2, 3)
    assert filled("Table 12)", "successes at 10", 2, 3, 4)
    table13 = next(rows for name, rows in tables.items() if "Table 13)" in name)
    assert all("not run" not in row[:5] for row in table13 if row[0] == "problems to perturb")
    assert filled("Table 14)", "10", 2)


def test_files_and_answers_that_cannot_be_read(
    files: tuple[str, str], folder: Path, tmp_path: Path
) -> None:
    problems = load(files[0])
    assert [problem.metadata["count"] for problem in problems] == [9, 4, 1]
    assert load_prompt("prefix").render(problems[0]).text == "sub Y' mul INT+ 2 x"
    run = sweep(
        [create(f"transformers/{folder}")],
        list(files),
        out=tmp_path / "run",
        prompt="prefix",
        samples=8,
        sampling=Sampling(temperature=3.0, max_tokens=8),
        policy=PREFIX,
    )
    rows = list(run.verdicts(PREFIX.name).rows())
    assert {"unparseable"} <= {row["status"] for row in rows}
    unread = next(row for row in rows if row["status"] == "unparseable")
    assert unread["evidence"]["detail"]
