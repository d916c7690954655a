"""The command itself: exit codes, one-line errors, default places, and what it refuses to overwrite."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from handler.errors import StorageError
from model_export import text_encoder
from model_export.__main__ import VERBS, main
from model_export.folders import building

ROOT = Path(__file__).parents[2]


def test_both_verbs_exist() -> None:
    assert set(VERBS) >= {"mpnet", "text-encoder"}


def test_default_output_is_the_cache_folder_of_the_model(own_cache: Path, tmp_path: Path) -> None:
    assert text_encoder.default_output("all-mpnet-base-v2") == own_cache / "models" / "all-mpnet-base-v2"
    assert text_encoder.default_output("owner/other") == own_cache / "models" / "other"
    assert text_encoder.default_output(str(tmp_path / "local")) == own_cache / "models" / "local"


def test_what_cannot_be_had_is_exit_code_2_and_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["mpnet", "--weights", str(tmp_path / "nowhere")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.splitlines()) == 1
    assert "no trained model in this folder" in said.err


def test_our_own_fault_is_exit_code_3_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oops\nsecond line")

    monkeypatch.setattr(text_encoder, "find_weights", fail)
    assert main(["mpnet"]) == 3
    said = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in said
    assert len(said.splitlines()) == 1
    assert main(["mpnet", "--verbose"]) == 3
    assert "Traceback" in capsys.readouterr().err


def test_missing_extra_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "torch" else object())
    assert main(["mpnet"]) == 2
    assert capsys.readouterr().err == (
        "model_export: exporting needs torch, which is not installed."
        ' Install the extra: pip install "scenescore[export]"\n'
    )


def test_folder_that_is_no_exported_model_is_never_replaced(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"dear to somebody")
    assert main(["mpnet", "--output", str(tmp_path), "--force"]) == 2
    assert "will not be replaced" in capsys.readouterr().err
    assert (tmp_path / "photo.jpg").read_bytes() == b"dear to somebody"


def test_place_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError, match="cannot be written"), building(tmp_path / "file" / "out"):
        pass


def test_folder_appears_whole_or_not_at_all_and_everybody_may_read_it(tmp_path: Path) -> None:
    target = tmp_path / "out"
    with building(target) as folder:
        (folder / "one").write_bytes(b"1")
        assert not target.exists()
    with pytest.raises(FileNotFoundError), building(target) as folder:
        (folder / "nowhere" / "two").write_bytes(b"2")
    assert [path.name for path in target.iterdir()] == ["one"]
    assert target.stat().st_mode & 0o777 == 0o777 & ~_umask()
    with building(target) as folder:
        (folder / "three").write_bytes(b"3")
    assert [path.name for path in target.iterdir()] == ["three"]
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def _umask() -> int:
    umask = os.umask(0o022)
    os.umask(umask)
    return umask


def test_importing_the_command_loads_nothing_heavy() -> None:
    code = (
        "import sys, model_export.__main__, model_export.text_encoder, model_export.parity;"
        "sys.exit(repr({'torch', 'transformers', 'optimum', 'onnx', 'huggingface_hub', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True, cwd=ROOT)
    assert done.stderr.strip() == "set()"
