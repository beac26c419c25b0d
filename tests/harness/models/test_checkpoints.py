"""Other weights are another model: the hash of a directory, the commit of a hub's model."""

from __future__ import annotations

from pathlib import Path

import pytest

from calculus_harness.harness.core.errors import ModelError
from calculus_harness.harness.models.checkpoints import BLOCK, BLOCKS, directory_hash, hub_commit


@pytest.fixture
def model(tmp_path: Path) -> Path:
    directory = tmp_path / "model"
    directory.mkdir()
    (directory / "config.json").write_text('{"layers": 2}')
    (directory / "model.safetensors").write_bytes(bytes(3 * BLOCKS * BLOCK))
    return directory


def test_any_file_counts_and_its_place_does_not(model: Path, tmp_path: Path) -> None:
    original_hash = directory_hash(model)
    assert directory_hash(model.rename(tmp_path / "moved")) == original_hash
    model = tmp_path / "moved"
    (model / "config.json").write_text('{"layers": 3}')
    second = directory_hash(model)
    (model / "config.json").write_text('{"layers": 2}')
    assert directory_hash(model) == original_hash != second
    (model / "sub").mkdir()
    (model / "sub" / "extra.json").write_text("{}")
    assert directory_hash(model) not in (original_hash, second)


def test_weights_of_the_same_size_differ_at_either_end_and_throughout(model: Path) -> None:
    path = model / "model.safetensors"
    size = path.stat().st_size
    hashes = {directory_hash(model)}
    for start, end in ((0, 1), (size - 1, size), (size // 2 - 3 * BLOCK, size // 2)):
        data = bytearray(size)
        data[start:end] = b"x" * (end - start)
        path.write_bytes(data)
        hashes.add(directory_hash(model))
    path.write_bytes(bytes(size + 1))
    hashes.add(directory_hash(model))
    assert len(hashes) == 5


def test_small_weights_are_read_whole(model: Path) -> None:
    path = model / "adapter.bin"
    path.write_bytes(bytes(5 * BLOCK))
    original_hash = directory_hash(model)
    path.write_bytes(bytes(BLOCK + 7) + b"x" + bytes(4 * BLOCK - 8))
    assert directory_hash(model) != original_hash


def test_a_commit_is_known_offline_once_it_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("huggingface_hub")
    from huggingface_hub.errors import OfflineModeIsEnabled

    def offline(*_: object, **__: object) -> None:
        raise OfflineModeIsEnabled("offline")

    monkeypatch.setattr("huggingface_hub.HfApi.model_info", offline)
    monkeypatch.setattr("huggingface_hub.file_download.constants.HF_HUB_CACHE", str(tmp_path))
    sha = "0123456789abcdef" * 2 + "01234567"
    assert hub_commit("someone/model", sha) == sha
    with pytest.raises(ModelError, match=r"neither a directory nor a model known .*OfflineMode"):
        hub_commit("someone/model")
    root = tmp_path / "models--someone--model"
    (root / "snapshots" / sha).mkdir(parents=True)
    (root / "snapshots" / sha / "config.json").write_text("{}")
    (root / "refs").mkdir()
    (root / "refs" / "main").write_text(sha)
    assert hub_commit("someone/model") == sha
