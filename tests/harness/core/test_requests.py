"""Requests and completions as JSON: hashes never change, rows are checked on reading."""

from __future__ import annotations

import json
from typing import Any, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calculus_harness.harness import Completion, FinishReason, Policy, Sampling, UserError
from calculus_harness.harness.core.errors import reason_of
from calculus_harness.harness.core.requests import digest
from calculus_harness.rewards.verdict import VERSION

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
COMPLETIONS = st.builds(
    Completion,
    model=TEXT,
    problem=TEXT,
    request=TEXT,
    sample=st.integers(0, 99),
    stage=TEXT,
    seed=st.integers(0, 2**31),
    text=TEXT,
    reasoning=TEXT,
    finish_reason=st.sampled_from(FinishReason),
    detail=TEXT,
    rank=st.integers(0, 9),
    score=st.none() | st.floats(-9, 9),
    logprob=st.none() | st.floats(-9, 0),
    prompt_tokens=st.none() | st.integers(0, 9),
    completion_tokens=st.none() | st.integers(0, 9),
    reasoning_tokens=st.none() | st.integers(0, 9),
    latency=st.floats(0, 9),
    extra=st.dictionaries(TEXT, st.none() | st.integers() | TEXT | st.lists(st.floats(-9, 0))),
)


@given(COMPLETIONS)
def test_a_completion_is_read_back_from_its_row(completion: Completion) -> None:
    row = json.loads(json.dumps(completion.to_dict()))
    assert row["key"] == completion.key
    assert Completion.from_dict(row) == completion


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"text": None}, "text must be a text, not None"),
        ({"sample": "1"}, "sample must be a whole number, not '1'"),
        ({"finish_reason": "stopped"}, "finish_reason: no choice 'stopped'; did you mean 'stop'"),
        ({"extra": []}, "extra must be a table"),
    ],
)
def test_a_damaged_row_is_named(wrong: dict[str, Any], message: str) -> None:
    row = Completion("m", "p", "r", 0, "answer", 0, "text").to_dict()
    with pytest.raises(UserError, match=message):
        Completion.from_dict(row | wrong)
    del row["seed"]
    with pytest.raises(UserError, match="seed is missing"):
        Completion.from_dict(row)


def test_unknown_fields_of_a_later_version_are_ignored() -> None:
    row = Completion("m", "p", "r", 0, "answer", 0, "text").to_dict()
    assert Completion.from_dict(row | {"new": 1}).key == row["key"]


def test_hashes_do_not_change() -> None:
    """The hashes are the identity of stored runs."""
    sampling = Sampling(0.5, 0.9, 3, 0.1, 9, ("a", "b"), logprobs=True, grouped=True)
    assert digest(Sampling().to_dict()) == "41e1f818e411ba7a"
    assert digest(sampling.to_dict()) == "8f2c9dca25fa7b1c"
    assert json.dumps(Policy("balls", True, True, True).to_dict()) == (
        '{"method": "balls", "strict": true, "strict_domain": true, '
        f'"require_continuous": true, "verifier": "{VERSION}"}}'
    )
    assert Policy("published", strict=True).name == f"published-{VERSION}.3-strict"
    assert Policy("published", deadline=60).name == f"published-{VERSION}.3-deadline60"
    assert Policy(deadline=2.5).to_dict()["deadline"] == 2.5
    assert Policy("welleck", deadline=10).name == f"welleck-{VERSION}.2-deadline10"
    for option in ("strict_domain", "require_continuous"):
        with pytest.raises(UserError, match="no effect with the method welleck"):
            Policy("welleck", **{option: True})


def test_what_a_library_says_is_whole_and_one_line() -> None:
    assert reason_of(OSError("cannot find it\n  here")) == "cannot find it here"
    assert reason_of(KeyError()) == "KeyError"


def test_of_a_validation_error_of_pydantic_it_is_the_messages() -> None:
    """vLLM's `ModelConfig` is a dataclass of pydantic whose validators raise."""
    pydantic = pytest.importorskip("pydantic")

    class ModelConfig(pydantic.BaseModel):
        dtype: Literal["auto", "half"] = "auto"
        max_model_len: int = 0

        @pydantic.model_validator(mode="after")
        def fits(self) -> Self:
            if self.max_model_len > 40960:
                raise ValueError(
                    f"User-specified max_model_len ({self.max_model_len}) is greater than the\n"
                    "derived max_model_len (max_position_embeddings=40960)."
                )
            return self

    with pytest.raises(pydantic.ValidationError) as long:
        ModelConfig(max_model_len=99999)
    assert str(long.value).startswith("1 validation error for ModelConfig\n")
    assert reason_of(long.value) == (
        "User-specified max_model_len (99999) is greater than the derived max_model_len "
        "(max_position_embeddings=40960)."
    )
    with pytest.raises(pydantic.ValidationError) as failure:
        ModelConfig(max_model_len="x", dtype="int4")
    reason = reason_of(failure.value)
    assert reason.startswith(
        "dtype: Input should be 'auto' or 'half'; max_model_len: Input should be"
    )
