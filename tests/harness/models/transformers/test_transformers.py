"""Models of the kind `transformers`: real models, built on the spot."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.benchmarks import Problem
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import (
    Completion,
    FinishReason,
    Request,
    Sampling,
    request_hash,
)
from calculus_harness.harness.models import Continuation, Model, Scored, create
from calculus_harness.prompts import Message, Rendered

pytest.importorskip("transformers", reason="needs the extra 'train'")
pytestmark = pytest.mark.train

from calculus_harness.harness.models.transformers.networks import Network  # noqa: E402
from calculus_harness.harness.training.config import SmallLlamaSize  # noqa: E402
from calculus_harness.harness.training.small_llama import make_llama  # noqa: E402

SAMPLING = Sampling(max_tokens=12, logprobs=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny"
    make_llama(path, SmallLlamaSize(hidden_size=32, layers=2, heads=2, context=48), seed=1)
    return path


def requests(
    model: Model, sampling: Sampling, texts: Iterable[str], count: int = 1
) -> list[Request]:
    rendered = []
    for number, text in enumerate(texts):
        inputs = {"integrand": "x", "variable": "x"}
        problem = Problem(f"p{number}", "integration", "toy", "s", inputs, inputs)
        prompt = Rendered(text=text)
        rendered.append(
            Request(
                model.hash,
                problem,
                prompt,
                sampling,
                request_hash(problem, prompt, sampling),
                seed=100 + number,
                count=count,
            )
        )
    return rendered


def ask(model: Model, batch: list[Request]) -> dict[tuple[str, int], Completion]:
    async def stream() -> AsyncIterator[Request]:
        for request in batch:
            yield request

    async def collect() -> list[Completion]:
        return [completion async for completion in model.complete(stream())]

    completions = asyncio.run(collect())
    assert len(completions) == sum(request.count for request in batch)
    return {(completion.problem, completion.sample): completion for completion in completions}


def score(model: Model, texts: list[Continuation]) -> dict[str, Scored]:
    async def stream() -> AsyncIterator[Continuation]:
        for text in texts:
            yield text

    async def collect() -> list[Scored]:
        return [scored async for scored in model.score(stream())]

    return {scored.key: scored for scored in asyncio.run(collect())}


@pytest.fixture
def model(folder: Path) -> Model:
    return create(f"transformers/{folder}")


def test_a_sample_depends_on_its_seed_and_not_on_its_batch(folder: Path, model: Model) -> None:
    texts = ["int x dx =", "a much longer prompt", "2"]
    batched = ask(model, requests(model, SAMPLING, texts))
    alone = ask(
        create(f"transformers/{folder}", {"batch-size": "1"}), requests(model, SAMPLING, texts)
    )
    assert {key: c.text for key, c in batched.items()} == {key: c.text for key, c in alone.items()}
    reseeded = [replace(request, seed=7) for request in requests(model, SAMPLING, texts)]
    assert {c.text for c in ask(model, reseeded).values()} != {c.text for c in batched.values()}
    assert all(c.completion_tokens and c.prompt_tokens for c in batched.values())


def test_log_probabilities_are_those_of_the_given_text(folder: Path, model: Model) -> None:
    completions = ask(model, requests(model, SAMPLING, ["int x dx =", "a b"]))
    texts = {"toy/s/p0": "int x dx =", "toy/s/p1": "a b"}
    scored = score(
        model,
        [
            Continuation(problem, Rendered(text=texts[problem]), c.text)
            for (problem, _), c in completions.items()
        ],
    )
    for (problem, _), completion in completions.items():
        assert completion.logprob is not None
        values = completion.extra["token_logprobs"]
        if completion.finish_reason is FinishReason.LENGTH and len(completion.text) == len(values):
            assert scored[problem].token_logprobs[:-1] == pytest.approx(values, abs=1e-4)
            assert scored[problem].ended
            assert completion.logprob == pytest.approx(sum(values), abs=1e-3)


@pytest.mark.parametrize("able", [True, False])
def test_only_the_logits_of_the_texts_are_made_where_the_model_can(
    folder: Path, monkeypatch: pytest.MonkeyPatch, able: bool
) -> None:
    """Texts of other lengths, including an empty text, after prompts of other lengths."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    texts = {"a": ("int x dx = and so on", "2x"), "b": ("a", ""), "c": ("int", "x^2/2 + C")}
    shapes: list[tuple[int, ...]] = []
    forward = LlamaForCausalLM.forward

    def watched(self: LlamaForCausalLM, **named: object) -> object:
        output = forward(self, **named)
        shapes.append(tuple(output.logits.shape))
        return output

    # As it is, or as an architecture without the argument.
    monkeypatch.setattr(LlamaForCausalLM, "forward", wraps(forward)(watched) if able else watched)
    continuations = [
        Continuation(key, Rendered(text=prompt), text) for key, (prompt, text) in texts.items()
    ]
    scored = score(create(f"transformers/{folder}"), continuations)
    monkeypatch.undo()
    # The end of a text is scored too, and its first token is told by the one before it.
    positions = len("x^2/2 + C") + 2 if able else len("int x dx = and so on") + len("2x") + 1
    assert [shape[:2] for shape in shapes] == [(3, positions)]
    plain, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder),
        AutoTokenizer.from_pretrained(folder),
    )
    for key, (prompt, text) in texts.items():
        start = tokenizer(prompt)["input_ids"]
        tokens = [*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        with torch.inference_mode():
            logits = plain(torch.tensor([start + tokens])).logits[0].double().log_softmax(-1)
        truth = [float(logits[len(start) + i - 1, token]) for i, token in enumerate(tokens)]
        assert list(scored[key].token_logprobs) == pytest.approx(truth, abs=1e-5)


def test_greedy_is_what_transformers_generates(folder: Path, model: Model) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (completion,) = ask(
        model, requests(model, replace(SAMPLING, temperature=0), ["int 2 x dx ="])
    ).values()
    theirs, tokenizer = (
        AutoModelForCausalLM.from_pretrained(folder),
        AutoTokenizer.from_pretrained(folder),
    )
    ids = torch.tensor([tokenizer("int 2 x dx =")["input_ids"]])
    out = theirs.generate(ids, do_sample=False, max_new_tokens=12)[0, ids.shape[1] :]
    assert completion.text == tokenizer.decode(out, skip_special_tokens=True)


def test_a_narrow_distribution_is_greedy(model: Model) -> None:
    greedy = ask(model, requests(model, replace(SAMPLING, temperature=0), ["x", "y z"]))
    for narrow in ({"top_k": 1}, {"top_p": 1e-9}, {"min_p": 1.0}):
        sampled = ask(model, requests(model, replace(SAMPLING, **narrow), ["x", "y z"]))
        assert [c.text for c in sampled.values()] == [c.text for c in greedy.values()]


def test_groups_and_searches(model: Model) -> None:
    grouped = ask(model, requests(model, replace(SAMPLING, grouped=True), ["x"], count=4))
    assert len({completion.text for completion in grouped.values()}) > 1
    beams = Sampling(max_tokens=6, beams=5, logprobs=True)
    completions = ask(model, requests(model, beams, ["x"], count=3))
    scores = [completions["toy/s/p0", rank].score for rank in range(3)]
    assert scores == sorted(scores, reverse=True)
    assert len({completion.text for completion in completions.values()}) == 3
    greedy = ask(model, requests(model, replace(beams, beams=0, temperature=0), ["x"]))
    best, greedy_logprob = completions["toy/s/p0", 0].logprob, greedy["toy/s/p0", 0].logprob
    assert best is not None
    assert greedy_logprob is not None
    assert best >= greedy_logprob - 1e-6


def test_searches_of_equally_long_prompts_share_a_batch(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone, together = (create(f"transformers/{folder}", {"batch_size": n}) for n in (1, 15))
    sizes: list[int] = []
    search = Network.search

    def counted(self: Network, prompts: Sequence[list[int]], **options: Any) -> Any:
        sizes.append(len(prompts))
        return search(self, prompts, **options)

    monkeypatch.setattr(Network, "search", counted)
    prompts = ["x", "y", "xy", "z", "t", "a"]
    beams = Sampling(max_tokens=6, beams=5, logprobs=True)
    apart = ask(alone, requests(alone, beams, prompts, count=3))
    assert sizes == [1] * 6
    shared = ask(together, requests(together, beams, prompts, count=3))
    assert sorted(sizes[6:]) == [1, 2, 3]
    assert len(apart) == len(shared) == 18
    for key, completion in apart.items():
        assert shared[key].text == completion.text
        assert shared[key].score == pytest.approx(completion.score, abs=1e-5)
        assert shared[key].logprob == pytest.approx(completion.logprob, abs=1e-4)


def test_what_does_not_fit_is_an_error_of_that_sample(model: Model) -> None:
    completions = ask(model, requests(model, SAMPLING, ["x" * 60, "x" * 40, ""]))
    reasons = [completions[f"toy/s/p{number}", 0].finish_reason for number in range(3)]
    assert reasons == [FinishReason.ERROR, FinishReason.LENGTH, FinishReason.ERROR]
    assert "60 tokens" in completions["toy/s/p0", 0].detail


def test_stop_strings_end_a_text_and_are_not_in_it(model: Model) -> None:
    (free,) = ask(model, requests(model, SAMPLING, ["x"])).values()
    stop = free.text[3:5]
    (cut,) = ask(model, requests(model, replace(SAMPLING, stop=(stop,)), ["x"])).values()
    assert cut.text == free.text[: free.text.index(stop)]
    assert cut.finish_reason is FinishReason.STOP


def test_chats_take_the_template_and_other_weights_are_another_model(
    folder: Path, model: Model, tmp_path: Path
) -> None:
    chat = Rendered(messages=(Message("user", "x"),))
    assert model.count_tokens(chat) == len("user: x\nassistant: ")
    make_llama(
        tmp_path / "tiny", SmallLlamaSize(hidden_size=32, layers=2, heads=2, context=48), seed=2
    )
    assert create(f"transformers/{tmp_path / 'tiny'}").hash != model.hash
    make_llama(
        tmp_path / "again" / "tiny",
        SmallLlamaSize(hidden_size=32, layers=2, heads=2, context=48),
        seed=1,
    )
    assert create(f"transformers/{tmp_path / 'again' / 'tiny'}").hash == model.hash


def test_thinking_is_left_to_the_template_unless_said(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "thinking"
    shutil.copytree(folder, copy)
    template = "{% if enable_thinking is defined %}{{ enable_thinking }}{% endif %}."
    (copy / "chat_template.jinja").write_text(template)
    chat = Rendered(messages=(Message("user", "x"),))
    for options, text in (
        ({}, "."),
        ({"enable-thinking": "false"}, "False."),
        ({"enable-thinking": True}, "True."),
    ):
        assert create(f"transformers/{copy}", options).count_tokens(chat) == len(text)


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    model = create(f"transformers/{tmp_path / 'nothing'}")
    with pytest.raises(ModelError, match="neither a directory nor a model known"):
        ask(model, requests(model, SAMPLING, ["x"]))


def test_commands_as_tokens_lose_nothing(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    make_llama(
        tmp_path / "m", SmallLlamaSize(hidden_size=16, layers=1, heads=2, commands=True), seed=0
    )
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "m")
    for text in [
        r"\frac{\sin\left(2 x\right)}{\sqrt{x^{2} + 1}} d x",
        r"\sinh x \operatorname{arsinh}\left(x\right)",
        r"\operatorname{erf}\left(x\right) + \mathrm{e}^{x} \sqrt[{3}]{x}",
    ]:
        ids = tokenizer(text)["input_ids"]
        assert len(ids) < 0.6 * len(text)
        assert tokenizer.decode(ids, skip_special_tokens=True) == text
