"""A short run of the fuzzer, what it once found, and records that hypothesis makes up."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from handler.errors import InputError, InternalError
from handler.evaluation import _metrics
from handler.formats import Notices, ReadOptions, plan_items, read_items, records_from_python
from handler.samples import EmptySession, Sample, Unreadable
from tests.faults.stub import stub_folder, use_stub
from tests.fuzz.damage import damage
from tests.fuzz.files import evaluate_case, make_case
from tests.fuzz.seeds import seeds
from tests.fuzz.watch import HangError, UnhandledError, at_most, check_refusal

ROOT = Path(__file__).parent.parent.parent
CASES = Path(__file__).parent / "cases"
N_RECORDS = int(os.environ.get("SCENESCORE_RECORDS") or 300)


def use_stub_for_now(monkeypatch):
    monkeypatch.setattr(_metrics, "shared_text_encoder", _metrics.shared_text_encoder)  # put back in the end
    use_stub()


def fuzz(*arguments: object) -> str:
    command = [sys.executable, "-m", "tests.fuzz", *map(str, arguments)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert found.returncode == 0, found.stdout[-3000:] + found.stderr[-3000:]
    return found.stdout


def test_damaged_files_and_events_are_met_with_answers_and_named_errors():
    said = fuzz("--lines", 20_000, "--events", 1000, "--detections", 1000, "--videos", 15, "--seed", 11)
    assert said.count("0 unhandled exceptions, 0 hangs") == 4
    assert "'scored'" in said
    assert "'refused'" in said


MEET = """
import json, sys, tempfile
from pathlib import Path
from types import SimpleNamespace
import handler.lambda_handler as door
from handler.errors import ScenescoreError
from tests.faults.stub import stub_folder
from tests.fuzz.calls import CONTEXT, Site
site = Site(stub_folder(Path(tempfile.mkdtemp())))
for name in sys.argv[1:]:
    try:
        json.dumps(door.lambda_handler(json.loads(Path(name).read_text()), CONTEXT))
    except ScenescoreError as error:
        assert error.code != "internal"
    assert site.faults == [], (name, site.faults)
"""


@pytest.mark.parametrize("name", sorted(path.name for path in CASES.glob("file_*")))
def test_files_that_once_were_too_much(tmp_path, monkeypatch, name):
    use_stub_for_now(monkeypatch)
    case = ({"input": name}, {name: (CASES / name).read_bytes()})
    assert evaluate_case(case, tmp_path, stub_folder(tmp_path / "model")) in ("scored", "refused")


def test_events_that_once_were_too_much():
    cases = sorted(map(str, CASES.glob("event_*.json")))
    assert cases
    command = [sys.executable, "-c", MEET, *cases]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == 0, found.stderr[-3000:]


def test_whole_files_are_scored(tmp_path, monkeypatch):
    """The fuzzer's seeds are what they should be before they are damaged."""
    use_stub_for_now(monkeypatch)
    model = stub_folder(tmp_path / "model")
    outcomes = {
        seed.name: evaluate_case(({**seed.request, "max_error_rate": 1.0}, seed.files), tmp_path, model)
        for seed in seeds()
    }
    lone = {
        "run.json",
        "qrels.tsv",
        "sequences.jsonl",
        "label_studio.csv",
    }  # parts of a task, or a form that is refused
    assert {name for name, outcome in outcomes.items() if outcome != "scored"} == lone


def test_damage_is_done_and_can_be_done_again():
    whole = seeds()[0].files["a.jsonl"]
    made = [damage(random.Random(n), whole, [whole]) for n in range(50)]
    assert made == [damage(random.Random(n), whole, [whole]) for n in range(50)]
    assert sum(one != whole for one in made) >= 40
    assert make_case(random.Random(5)) == make_case(random.Random(5))


def spin():
    while True:
        pass


def test_the_watch_sees_what_takes_long():
    with pytest.raises(HangError), at_most(0.05):
        spin()
    with at_most(5):
        pass


def test_a_refusal_is_one_line_and_not_our_fault():
    check_refusal(InputError("bad\nfile"))
    with pytest.raises(UnhandledError):
        check_refusal(InternalError("oh"))


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9)
)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NAMES = (
    *("answer", "reference", "references", "caption", "image_id", "label", "question_id", "question", "conversation"),
    *("judge", "human", "hypothesis", "text", "ranked", "relevant", "query_id", "scores", "annotations", "data", "doc"),
    *("q_id", "model_answer", "gt_answer", "sequence_id", "coarse", "fine", "answers", "metadata", "batch", "tags"),
)
records = st.lists(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=4), anything, max_size=5), max_size=4)


@settings(
    max_examples=N_RECORDS, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck)
)
@given(records, st.sampled_from(["error", "skip"]))
def test_records_that_hypothesis_makes_up(items, on_missing):
    options, notices = ReadOptions(on_missing=on_missing), Notices()
    try:
        plan = plan_items(items[0], options) if items else None
        read = read_items(plan, iter(items), options, notices) if plan else records_from_python(items, options, notices)
        found = list(read)
    except InputError as error:
        check_refusal(error)
        return
    for one in found:
        assert isinstance(one, (Sample, EmptySession, Unreadable))
        if isinstance(one, Unreadable):
            assert one.reason.isprintable()
        if isinstance(one, Sample):
            json.dumps([one.answer, list(one.references), dict(one.tags), dict(one.columns)], allow_nan=False)
