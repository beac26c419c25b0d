"""A small vision model with random weights and HINT's pictures."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness import Sampling, sweep
from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import Capability, create
from calculus_harness.harness.store.run import Run
from calculus_harness.prompts import load as load_prompt
from tests.harness.tiny_model import CHARACTERS, make

pytestmark = [pytest.mark.train, pytest.mark.slow]
TEMPLATE = (
    "{% for message in messages %}{% for part in message.content %}"
    "{{ '<image>' if part.type == 'image' else part.text }}{% endfor %}{% endfor %}|"
)


def make_seeing(directory: Path) -> Path:
    """Write a LLaVA of a layer each for pictures of 4 x 4 patches, and the processor."""
    transformers = pytest.importorskip("transformers", reason="needs the extra 'train'")
    pytest.importorskip("sklearn", reason="needs the extra 'images'")
    import torch
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    special = ["<pad>", "</s>", "<image>"]
    vocabulary = {token: n for n, token in enumerate([*special, *CHARACTERS])}
    tokens = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
    tokens.pre_tokenizer = pre_tokenizers.Split(Regex("(?m)."), "isolated")
    tokens.decoder = decoders.Fuse()
    tokens.add_special_tokens(special)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokens,
        pad_token="<pad>",
        eos_token="</s>",
        extra_special_tokens={"image_token": "<image>"},
    )
    images = transformers.CLIPImageProcessor(size={"height": 16, "width": 16}, do_center_crop=False)
    transformers.LlavaProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        patch_size=4,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    ).save_pretrained(directory)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    sizes |= {"num_attention_heads": 2}
    torch.manual_seed(0)
    config = transformers.LlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**sizes, image_size=16, patch_size=4),
        text_config=transformers.LlamaConfig(
            **sizes,
            vocab_size=len(vocabulary),
            max_position_embeddings=2048,
            initializer_range=0.5,
            eos_token_id=1,
        ),
        image_token_id=vocabulary["<image>"],
        vision_feature_layer=-1,
    )
    transformers.LlavaForConditionalGeneration(config).save_pretrained(directory)
    return directory


def ask(model: Path, out: Path, **sampling: Any) -> Run:
    return sweep(
        [f"transformers/{model}"],
        ["hint/LS"],
        limit=3,
        prompt="hint-picture",
        sampling=Sampling(max_tokens=12, **sampling),
        out=out,
    )


def test_answers_are_those_of_transformers_own_generation(tmp_path: Path) -> None:
    folder = make_seeing(tmp_path / "model")
    import torch
    from PIL import Image
    from transformers import AutoModelForImageTextToText, AutoProcessor

    run = ask(folder, tmp_path / "run", temperature=0.0, logprobs=True)
    model = AutoModelForImageTextToText.from_pretrained(folder).eval()
    processor = AutoProcessor.from_pretrained(folder)
    stored = {row["problem"]: row for row in run.completions.rows()}
    assert len(stored) == 3
    for key, problem in run.problems.items():
        rendered = load_prompt("hint-picture").render(problem)
        (picture,) = rendered.pictures
        text = "<image>" + rendered.messages[0].content + "|"
        image = Image.open(BytesIO(b64decode(picture))).convert("RGB")
        inputs = processor(text=text, images=image, return_tensors="pt")
        assert int((inputs["input_ids"] == 2).sum()) == 16
        with torch.inference_mode():
            output = model.generate(**inputs, do_sample=False, max_new_tokens=12)
        new = output[0, inputs["input_ids"].shape[1] :]
        assert stored[key]["text"] == processor.tokenizer.decode(new, skip_special_tokens=True)
        assert stored[key]["prompt_tokens"] == inputs["input_ids"].shape[1]
    # The texts of the prompts are the same: what differs is what the model saw.
    assert len({row["logprob"] for row in stored.values()}) == 3


def test_what_it_cannot_do_is_refused(tmp_path: Path) -> None:
    folder = make_seeing(tmp_path / "model")
    with pytest.raises(ModelError, match="no beam search after pictures"):
        ask(folder, tmp_path / "beams", beams=2, temperature=0.0)
    blind = make(tmp_path / "blind")
    assert Capability.PICTURES not in create(f"transformers/{blind}").capabilities
    with pytest.raises(ModelError, match="no pictures in prompts"):
        ask(blind, tmp_path / "run")
