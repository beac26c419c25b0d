"""Labels and whole numbers in the free text of models."""

from __future__ import annotations

import pytest

from calculus_harness.rewards import Status, verify_integer, verify_label


@pytest.mark.parametrize(
    ("completion", "label"),
    [
        ("1", 1),
        ("0", 0),
        ("Label : 1", 1),
        ("The label is 0.", 0),
        (r"After checking each step, \boxed{1}", 1),
        (r"$\boxed{\text{No}}$", 0),
        ("Yes, the derivative follows from the premise.", 1),
        ("No. The step should add 2, so it is not 1 but 3.", 0),
        ("The step divides both sides by x. It is not correct.", 0),
        ("First I considered 1, but the sign is wrong.\nFinal answer: 0", 0),
        ("<think>maybe 0</think>1", 1),
        ("**Label:** 1\n\nThis holds because both sides were integrated.", 1),
        ("The derivation is incorrect", 0),
        ("Prediction: **valid**", 1),
    ],
)
def test_label_is_read(completion: str, label: int) -> None:
    assert verify_label(completion, label).correct
    wrong = verify_label(completion, 1 - label)
    assert wrong.status is Status.INCORRECT
    assert wrong.reward == 0.0


@pytest.mark.parametrize(
    "completion",
    ["", "I cannot tell.", "It might be 0 or 1, who knows?", "<think>1", "10", "0.5", "x_1 + 11"],
)
def test_no_label(completion: str) -> None:
    assert verify_label(completion, 1).status is Status.NO_ANSWER
    assert verify_label(completion, 0).status is Status.NO_ANSWER


def test_strict_label_needs_a_box() -> None:
    assert verify_label("1", 1, strict=True).status is Status.NO_ANSWER
    assert verify_label(r"\boxed{1}", 1, strict=True).correct


def test_label_after_a_stop_string_does_not_count() -> None:
    assert verify_label("0\nPrompt : next\nLabel : 1", 0, stop=("\nPrompt",)).correct


def test_a_target_that_is_no_label_is_refused() -> None:
    with pytest.raises(ValueError, match="not a label"):
        verify_label("1", "perhaps")


@pytest.mark.parametrize(
    ("completion", "number"),
    [
        ("42", 42),
        ("The answer is 42.", 42),
        (r"so \boxed{1{,}234}", 1234),
        ("3 + 4 = 7", 7),
        ("-5", -5),
        ("the result is \u221217", -17),
        ("The answer is 1,234,567 apples, out of 9", 1234567),
        ("5.0", 5),
        ("First 10 then 20, finally 30", 30),
        (f"{10**60 + 1}", 10**60 + 1),
        ("#### 18", 18),
    ],
)
def test_integer_is_read_exactly(completion: str, number: int) -> None:
    assert verify_integer(completion, number).correct
    assert verify_integer(completion, number + 1).status is Status.INCORRECT


@pytest.mark.parametrize("completion", ["", "none", "<think>7", "abc12"])
def test_no_integer(completion: str) -> None:
    assert verify_integer(completion, 7).status is Status.NO_ANSWER


def test_fraction_is_not_a_whole_number() -> None:
    assert verify_integer("2.5", 2).status is Status.INCORRECT
    assert not verify_integer("20/135", 20).correct
    assert not verify_integer("9" * 10_000, 9).correct


@pytest.mark.parametrize(
    ("completion", "operands"),
    [
        ("20/135", (20, 135)),
        ("3*45", (3, 45)),
        ("The answer is 3 * 45", (3, 45)),
        (r"So $3 \times 45$", (3, 45)),
        ("3 × 45", (3, 45)),
        (r"$\frac{20}{135}$", (20, 135)),
        (r"\boxed{\frac{20}{135}}", (20, 135)),
        (r"$\sqrt{45}$", (45,)),
        ("3 + 42", (3, 42)),
        ("100 - 55", (100, 55)),
        ("2^45", (2, 45)),
        ("3(45)", (3, 45)),
        ("20 divided by 135", (20, 135)),
        ("3 times 45", (3, 45)),
    ],
)
def test_operands_of_unfinished_arithmetic_are_no_answer(
    completion: str, operands: tuple[int]
) -> None:
    for operand in operands:
        assert not verify_integer(completion, operand).correct


@pytest.mark.parametrize(
    ("completion", "number"),
    [
        ("3*45=135", 135),
        ("135 = 3*45", 135),
        ("**135**", 135),
        ("the answer is *45*.", 45),
        ("Steps:\n3\n- 45", -45),
        ("answer: 135 - done", 135),
    ],
)
def test_a_number_beside_punctuation_or_its_own_operation_is_read(
    completion: str, number: int
) -> None:
    assert verify_integer(completion, number).correct


@pytest.mark.parametrize(
    "box",
    [
        "43 or 42",
        "3, 42",
        "40-42",
        r"\pm 42",
        "42!",
        r"\sqrt{42}",
        "1 2 3 42",
        r"\{41, 42\}",
        "-|42|",
    ],
)
def test_a_box_with_more_than_a_number_is_wrong(box: str) -> None:
    assert not verify_integer(rf"\boxed{{{box}}}", 42).correct


@pytest.mark.parametrize(
    "box",
    ["42", "x = 42", r"\text{42 apples}", "6 \\cdot 7 = 42", "42.0", "$42$", r"42\text{ cm}^2"],
)
def test_a_box_may_name_its_number(box: str) -> None:
    assert verify_integer(rf"\boxed{{{box}}}", 42).correct


def test_a_negation_turns_a_label_around() -> None:
    assert verify_label(r"\boxed{not incorrect}", 1).correct
    assert verify_label(r"\boxed{not valid}", 0).correct


@pytest.mark.parametrize("text", ["0/1", "1/0", r"\boxed{1+1}", "The answer is 1 - 1", "1 * 0"])
def test_an_operand_is_no_label(text: str) -> None:
    assert not verify_label(text, 1).correct
    assert not verify_label(text, 0).correct


@pytest.mark.parametrize("text", ["Label: 1 - the step is right", "Answer - 1", "**1**", "Label=1"])
def test_a_dash_before_words_is_no_arithmetic(text: str) -> None:
    assert verify_label(text, 1).correct


@pytest.mark.parametrize(
    "text",
    [
        "The answer is 42 million.",
        "The answer is 42 hundred",
        "the answer is 42 squared",
        "the answer is 42 and a half",
        "the answer is 42 point 5",
        "the answer is 42 1/2",
        "So they sold 42 thousand.",
        "The answer is 42? No, 43",
        r"\boxed{42 \text{M}}",
        r"\boxed{42\text{ thousand}}",
    ],
)
def test_a_number_that_a_word_scales_is_no_answer(text: str) -> None:
    assert not verify_integer(text, 42).correct


@pytest.mark.parametrize(
    "text",
    ["The answer is 42 meters.", "The answer is 42 and nothing else", r"\boxed{42\text{ m}}",
     "They have 42 points.", "The answer is 42, half of 84.", "Is it 41? The answer is 42."],
)  # fmt: skip
def test_a_word_that_scales_nothing_is_harmless(text: str) -> None:
    assert verify_integer(text, 42).correct


@pytest.mark.parametrize(
    "text",
    ["yes?", "yes is not the answer", "yes if 1=2", "It cannot be true", "hardly true",
     "Is it true? Unclear."],
)  # fmt: skip
def test_a_label_in_question_is_not_affirmed(text: str) -> None:
    assert not verify_label(text, 1).correct


@pytest.mark.parametrize(
    "text", ["Is the step correct? Yes.", "Yes, if x > 0.", "Yes, it is not wrong"]
)
def test_a_label_after_a_question_is_affirmed(text: str) -> None:
    assert verify_label(text, 1).correct
