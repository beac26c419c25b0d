"""vLLM itself, on the CPU, with a tiny Llama: in process and as a server.

`transformers` with the same weights computes the expected values.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from calculus_harness import harness
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.core.requests import Completion, FinishReason
from calculus_harness.harness.models import Continuation, create
from calculus_harness.harness.models.placed.pool import EnginePool, placed
from calculus_harness.prompts import Rendered
from calculus_harness.rewards import use_cluster
from tests.harness.models.vllm.asked import (
    CHAT,
    LENGTH,
    OPTIONS,
    TEXT,
    Asked,
    Reference,
    request,
    stream,
)
from tests.ray_nodes import ray_nodes

pytestmark = [pytest.mark.vllm, pytest.mark.usefixtures("environment")]

ROOT = Path(__file__).parents[4]


# --- in process --------------------------------------------------------------------------------


def test_greedy_answers_are_those_of_the_weights(engine: Asked, truth: Reference) -> None:
    for prompt in (CHAT, TEXT):
        (sample,) = engine.ask(prompt, temperature=0, logprobs=True)
        prompt_ids = truth.tokens(prompt)
        text_ids = truth.text_tokens(sample.text)
        if sample.finish_reason is FinishReason.STOP:
            text_ids.append(truth.tokenizer.eos_token_id)
        likeliest = truth.logprobs(prompt_ids, text_ids)
        assert sample.prompt_tokens == len(prompt_ids)
        assert sample.completion_tokens == len(text_ids)
        assert sample.extra["token_logprobs"] == pytest.approx(likeliest, abs=2e-3)
        assert sample.logprob == pytest.approx(sum(likeliest), abs=2e-2)


def test_samples_depend_on_their_seeds_alone(engine: Asked) -> None:
    samples = engine.ask(CHAT, samples=6, seed=3)
    assert len({sample.text for sample in samples}) == 6
    again = engine.ask(CHAT, samples=6, seed=3)
    assert [sample.text for sample in again] == [sample.text for sample in samples]
    alone = engine.ask(CHAT, samples=1, seed=5)
    assert alone[0].text == samples[2].text
    together = engine.complete(request(engine.model, CHAT, seed=3, count=4, grouped=True))
    assert len({sample.text for sample in together}) == 4
    assert [sample.prompt_tokens for sample in together] == [samples[0].prompt_tokens, 0, 0, 0]


def test_seeded_prompts_that_fill_several_steps_are_answered(engine: Asked) -> None:
    """Split over two steps, a prompt with a seed ends vLLM's engine on the CPU (0.32)."""
    prompts = [Rendered(text=f"{number:02}{'x' * (LENGTH - 40)}") for number in range(64)]
    samples = engine.complete(
        *(
            request(engine.model, prompt, seed=number, max_tokens=4)
            for number, prompt in enumerate(prompts)
        )
    )
    assert {sample.finish_reason for sample in samples} <= {FinishReason.STOP, FinishReason.LENGTH}


def test_knobs_reach_the_sampler(engine: Asked) -> None:
    (greedy,) = engine.ask(CHAT, temperature=0)
    for knob in ({"top_k": 1}, {"min_p": 1.0}, {"top_p": 1e-6}):
        (sample,) = engine.ask(CHAT, seed=9, **knob)
        assert sample.text == greedy.text
    stop = greedy.text[4:6]
    (cut,) = engine.ask(CHAT, temperature=0, stop=(stop,))
    assert cut.text == greedy.text[: greedy.text.index(stop)]
    assert cut.finish_reason is FinishReason.STOP


def test_scoring_agrees_with_the_weights_and_with_generation(
    engine: Asked, truth: Reference
) -> None:
    prompts = {"chat": CHAT, "text": TEXT}
    texts = {"short": "x^2", "empty": "", "long": "x^2 + C, as anyone can see."}
    scored_texts = engine.score(
        *(
            Continuation(f"{style} {size}", prompt, text)
            for style, prompt in prompts.items()
            for size, text in texts.items()
        )
    )
    for style, prompt in prompts.items():
        for size, text in texts.items():
            scored = scored_texts[f"{style} {size}"]
            ids = [*truth.text_tokens(text), truth.tokenizer.eos_token_id]
            expected = truth.logprobs(truth.tokens(prompt), ids)
            assert scored.ended
            assert list(scored.token_logprobs) == pytest.approx(expected, abs=2e-3)
    samples = [
        sample for sample in engine.ask(CHAT, samples=12, logprobs=True) if "<" not in sample.text
    ]
    assert {sample.finish_reason for sample in samples} == {FinishReason.STOP, FinishReason.LENGTH}
    scores = engine.score(
        *(Continuation(str(sample.sample), CHAT, sample.text) for sample in samples)
    )
    for sample in samples:
        logprobs = scores[str(sample.sample)].token_logprobs
        logprobs = logprobs if sample.finish_reason is FinishReason.STOP else logprobs[:-1]
        assert list(logprobs) == pytest.approx(sample.extra["token_logprobs"], abs=2e-3)


def test_a_search_gives_ranked_texts_with_their_probabilities(
    engine: Asked, truth: Reference
) -> None:
    beams = engine.complete(
        request(engine.model, TEXT, count=8, beams=8, max_tokens=12, logprobs=True)
    )
    assert [beam.rank for beam in beams] == list(range(8))
    assert len({(beam.text, beam.finish_reason) for beam in beams}) == 8
    scores = [beam.score for beam in beams if beam.score is not None]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == 8
    for beam in beams:
        ids = truth.text_tokens(beam.text)
        if beam.finish_reason is FinishReason.STOP:
            ids.append(truth.tokenizer.eos_token_id)
        expected = truth.logprobs(truth.tokens(TEXT), ids)
        assert beam.logprob == pytest.approx(sum(expected), abs=2e-2)
        assert beam.score == pytest.approx(sum(expected) / len(ids), abs=2e-3)
    (greedy,) = engine.ask(TEXT, temperature=0, max_tokens=12, logprobs=True)
    assert beams[0].score is not None
    assert greedy.logprob is not None
    assert greedy.completion_tokens is not None
    # So wide a search finds more than the greedy path.
    assert beams[0].score >= greedy.logprob / greedy.completion_tokens - 1e-4


def test_a_prompt_too_long_is_that_samples_error_and_answers_end_at_the_models_length(
    engine: Asked,
) -> None:
    long, fits = Rendered(text="x" * LENGTH), Rendered(text="x" * (LENGTH - 6))
    samples = engine.complete(
        request(engine.model, long, max_tokens=8),
        request(engine.model, fits, max_tokens=99, temperature=0, stop=("\x00",)),
        request(engine.model, TEXT),
    )
    by_reason = {sample.finish_reason: sample for sample in samples}
    error = by_reason[FinishReason.ERROR]
    assert error.text == ""
    assert f"{LENGTH + 1} tokens" in error.detail
    assert f"max-model-len is {LENGTH}" in error.detail
    cut = [sample for sample in samples if sample.prompt_tokens == LENGTH - 5]
    assert [(sample.finish_reason, sample.completion_tokens) for sample in cut] == [
        (FinishReason.LENGTH, 5)
    ]
    scored = engine.score(Continuation("long one", TEXT, "x" * LENGTH))["long one"]
    assert scored.token_logprobs == ()
    assert f"max-model-len is {LENGTH}" in scored.detail


def test_finished_samples_come_while_others_run_and_the_rest_is_dropped(engine: Asked) -> None:
    slow = [request(engine.model, CHAT, seed=n, max_tokens=220, stop=("\x00",)) for n in range(4)]
    quick = request(engine.model, TEXT, max_tokens=1)

    async def first_answer() -> tuple[Completion, int]:
        answers = engine.model.complete(stream([*slow, quick]))
        sample = await anext(answers)
        await answers.aclose()
        llm = (await engine.model._engine.started()).llm  # type: ignore[attr-defined]
        return sample, int(llm.get_num_unfinished_requests())

    sample, unfinished = engine.runner.run(first_answer())
    assert sample.request == quick.hash
    assert unfinished == 0
    assert engine.ask(TEXT)[0].finish_reason in (FinishReason.STOP, FinishReason.LENGTH)


# --- templates and reasoning, without an engine -------------------------------------------------


def text_of(weights: Path, **options: str) -> Any:
    return create(f"vllm/{weights}", OPTIONS | options)._tokenizer  # type: ignore[attr-defined]


def test_thinking_is_told_to_the_template(weights: Path, truth: Reference) -> None:
    plain, off, on = (
        text_of(weights, **options).encode(CHAT)
        for options in ({}, {"enable-thinking": "false"}, {"enable-thinking": "true"})
    )
    assert plain == on == truth.tokens(CHAT)
    assert (
        off
        == truth.tokens(CHAT, enable_thinking=False)
        == [*on, *truth.text_tokens("<think></think>")]
    )
    thinking_off = text_of(weights, **{"chat-template-kwargs": '{"enable_thinking": false}'})
    assert thinking_off.encode(CHAT) == off


def test_a_template_of_ones_own_and_none(weights: Path, tmp_path: Path) -> None:
    template = tmp_path / "own.jinja"
    template.write_text("{% for m in messages %}Q: {{ m.content }}\nA:{% endfor %}")
    text = text_of(weights, **{"chat-template": str(template)})
    assert text.decode(CHAT, text.encode(CHAT)) == "Q: Integrate 2x.\nA:"
    model = create(f"vllm/{weights}", OPTIONS | {"chat-template": str(template)})
    hash_of_weights = model.hash
    template.write_text("{{ messages[0].content }}{{ raise_exception('no chats') }}")
    templated = create(f"vllm/{weights}", OPTIONS | {"chat-template": str(template)})
    assert templated.hash != hash_of_weights
    with pytest.raises(ModelError, match="its chat template failed: no chats"):
        templated._tokenizer.encode(CHAT)  # type: ignore[attr-defined]


def test_reasoning_is_split_from_the_answer_of_a_chat_only(weights: Path) -> None:
    text = text_of(weights, **{"reasoning-parser": "deepseek_r1"})
    output = "<think>2x is even</think>x^2"
    tokens = text.tokenizer.encode(output, add_special_tokens=False)
    assert text.split(CHAT, output, tokens) == {
        "text": "x^2",
        "reasoning": "2x is even",
        "reasoning_tokens": len("2x is even"),
    }
    unfinished = text.split(CHAT, "<think>2x is", tokens[:5])
    assert (unfinished["text"], unfinished["reasoning"]) == ("", "2x is")
    assert text.split(TEXT, output, tokens) == {"text": output}
    assert text_of(weights).split(CHAT, output, tokens) == {"text": output}


class Merging:
    """A tokenizer of two-character tokens, with merges across the end of a prompt."""

    eos_token_id = 0

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        pairs = [text[at : at + 2] for at in range(0, len(text), 2)]
        return [1] * add_special_tokens + [
            sum(ord(letter) * 1000**index for index, letter in enumerate(pair)) for pair in pairs
        ]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(
            chr(token % 1000) + (chr(token // 1000) if token >= 1000 else "")
            for token in tokens
            if token > 1
        )


def test_a_scored_text_goes_on_from_the_prompts_own_tokens(weights: Path) -> None:
    text = text_of(weights)
    text.tokenizer = Merging()
    for prompt, text_behind in (("abcd", "efg"), ("abc", "defg"), ("abc", "")):
        prompt_tokens, text_tokens = text.continuation(Rendered(text=prompt), text_behind)
        assert prompt_tokens == Merging().encode(prompt)
        assert text.tokenizer.decode(text_tokens) == text_behind


# --- options -----------------------------------------------------------------------------------


def test_vllms_own_options_are_checked_and_sorted_into_identity_and_operation(
    weights: Path,
) -> None:
    spec = f"vllm/{weights}"
    model = create(spec, OPTIONS)
    assert model.config["engine"] == {"dtype": "float32", "max-model-len": str(LENGTH)}
    assert "max-model-len" in model.label
    assert "enforce-eager" not in model.label
    same = create(spec, OPTIONS | {"gpu-memory-utilization": "0.5", "max-num-seqs": "4"})
    assert same.hash == model.hash
    assert create(spec, OPTIONS | {"quantization": "awq"}).hash != model.hash
    arguments = create(spec, OPTIONS | {"tensor-parallel-size": 2}).engine_arguments  # type: ignore[attr-defined]
    assert arguments.tensor_parallel_size == 2
    assert arguments.max_model_len == LENGTH
    assert arguments.enforce_eager is True
    for options, message in {
        ("max-model-length", "9"): "did you mean 'max-model-len'",
        ("max-model-len", "many"): "max-model-len",
        ("hf-token", "secret"): "HF_TOKEN",
        ("no-such-thing", "1"): "no option 'no-such-thing'",
        ("reasoning-parser", "deepseek"): "did you mean .*deepseek_r1",
        ("chat-template", "none.jinja"): "no chat template none.jinja",
        ("chat-template-kwargs", "[]"): "must be a JSON object",
        ("lora", "nowhere"): "no adapter_config.json in nowhere",
    }.items():
        with pytest.raises(ModelError, match=message) as caught:
            create(spec, dict([options]))
        assert "secret" not in str(caught.value)
    with pytest.raises(ModelError, match=r"no config\.json in \./nowhere"):
        create("vllm/./nowhere")
    with pytest.raises(ModelError, match="did you mean 'api-server-count'"):
        create(f"vllm-server/{weights}", {"api-server-counts": "2"})


def test_without_a_chat_template_a_sweep_of_chats_is_refused(weights: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for path in weights.iterdir():
        if path.name != "chat_template.jinja":
            (bare / path.name).symlink_to(path)
    with pytest.raises(ModelError, match="no chat prompts"):
        harness.sweep([f"vllm/{bare}"], ["bee"], limit=1, out=tmp_path / "run")


def test_an_engine_that_cannot_start_is_one_clear_line(weights: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for path in weights.iterdir():
        if path.suffix != ".safetensors":
            (broken / path.name).symlink_to(path)
    (broken / "config.json").unlink()
    (broken / "config.json").write_text('{"model_type": "no-such-model"}')
    unstartable = Asked(create(f"vllm/{broken}"))
    with pytest.raises(ModelError, match=r"model vllm/.*broken: "):
        unstartable.ask(TEXT)
    unstartable.close()


@pytest.mark.ray
def test_engines_on_a_cluster_answer_as_one_here(engine: Asked, weights: Path) -> None:
    requests = [request(engine.model, TEXT, seed=seed) for seed in range(12)]
    local = engine.complete(*requests)
    with ray_nodes(), use_cluster():
        model = create(f"vllm/{weights}", OPTIONS | {"data-parallel-size": "2"})
        assert model.hash == engine.model.hash
        engines = placed(model)
        assert isinstance(engines, EnginePool)
        assert engines.size == 2
        remote = Asked(engines)
        assert [reply.text for reply in remote.complete(*requests)] == [
            reply.text for reply in local
        ]
        remote.close()
