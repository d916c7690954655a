"""What every test can ask for: the real exported model, and the shared cases."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from handler.models import TextEncoder, shared_text_encoder
from handler.settings import Settings

pytest_plugins = ["tests.clip_fixtures", "tests.grit_fixtures", "tests.s3_fixtures"]

ROOT = Path(__file__).parent.parent
CASES = Path(os.environ.get("SCENESCORE_CASES") or ROOT.parent / "shared" / "cases")
EXAMPLE = ROOT / "handler" / "data" / "entrance.json"
# Rooms whose tests start servers and processes, or run the models. They come after the others, so that a slip is seen within
# a minute; those of the longest files first, so that both cores have work until the end.
LATE = ("docs", "cases", "faults", "aws", "model_export", "models", "evaluation", "batch", "cli", "decisions", "fuzz")
LATE += ("api", "storage")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Quick rooms first."""
    late = {ROOT / "tests" / room: number for number, room in enumerate(LATE)}
    items.sort(key=lambda item: next((late[folder] for folder in item.path.parents if folder in late), -1))


@pytest.fixture(scope="session")
def cases() -> Path:
    """The folder of recorded cases; tests that read it are skipped in a clone that has none."""
    if not CASES.is_dir():
        pytest.skip(f"the recorded cases are not here ({CASES}); the project's own small cases still run")
    return CASES


@pytest.fixture(scope="session")
def model() -> Path:
    """The exported all-mpnet-base-v2."""
    folder = Settings.from_environment().model
    if not (folder / "card.json").is_file():
        pytest.fail(f"there is no exported model in {folder}: run `make model` first")
    return folder


@pytest.fixture(scope="session")
def encoder(model: Path) -> TextEncoder:
    """The process's shared encoder: one session for the whole test run."""
    return shared_text_encoder(model, None)
