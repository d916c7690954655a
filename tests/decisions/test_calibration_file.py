"""A calibration.json is used only whole, and only for the scores it was made with."""

from __future__ import annotations

import json

import pytest

from handler.decisions import read_calibration
from handler.errors import InputError, RequestError
from handler.metrics import Calibrated, get_metric
from handler.metrics.vision._pairs import PairScore
from handler.samples import Sample
from tests.decisions.judged import SIGNATURE, SIMILARITY, calibrated, judged_rows, row


@pytest.fixture(scope="module")
def document():
    return calibrated(judged_rows(600))


@pytest.fixture
def written(tmp_path, document):
    def write(**changes):
        path = tmp_path / "calibration.json"
        path.write_text(json.dumps({**document, **changes}))
        return str(path)

    return write


def test_it_is_read_as_it_was_written(written, document):
    calibration = read_calibration(written())
    threshold = calibration.threshold_of(SIMILARITY, SIGNATURE)
    assert threshold.value == document["metrics"][SIMILARITY]["threshold"]
    assert threshold.calibrated
    assert threshold.chance(0.6) == pytest.approx(0.5, abs=0.1)
    assert threshold.chance(0.2) > 0.95 > 0.05 > threshold.chance(1.0)
    assert calibration.summary()["fingerprint"] == document["fingerprint"]


def test_numbers_may_be_written_otherwise(tmp_path, document):
    """A browser writes 1 for 1.0, and its own indentation."""
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(document, indent=8, sort_keys=True).replace(": 1.0,", ": 1,"))
    assert read_calibration(str(path)).fingerprint == document["fingerprint"]


def test_another_model_or_mode_is_refused(written):
    calibration = read_calibration(written())
    with pytest.raises(RequestError, match=r"made with model:m@abc, and this request scores with model:m@def"):
        calibration.threshold_of(SIMILARITY, SIGNATURE.replace("abc", "def"))
    with pytest.raises(RequestError, match=r"no threshold for speech\.wer"):
        calibration.threshold_of("speech.wer", SIGNATURE)


@pytest.mark.parametrize(
    "changes",
    [
        {"calibrated": "yes"},
        {"aim": "f1"},
        {"fingerprint": "0" * 16},
        {"fingerprint": None},
        {"metrics": {}},
        {"note": 1},
    ],
)
def test_a_changed_file_is_refused(written, changes):
    with pytest.raises(InputError, match="changed after it was written"):
        read_calibration(written(**changes))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "scenescore.report/1"}', "not json", "NaN"])
def test_another_file_is_refused(tmp_path, text):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(InputError, match="calibration"):
        read_calibration(str(path))


@pytest.mark.parametrize("entry", [{}, {"threshold": "x"}, {"threshold": 0.5, "probability": {}}, None, 3])
def test_a_well_sealed_file_that_lacks_something_is_refused(tmp_path, document, entry):
    from handler.decisions._calibration_file import sealed

    path = tmp_path / "x.json"
    path.write_text(json.dumps(sealed({**document, "metrics": {SIMILARITY: entry}})))
    with pytest.raises(InputError, match="not whole"):
        read_calibration(str(path))


def test_no_threshold_gives_its_reason(tmp_path):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(calibrated([row(n, n / 100, "same", session=f"s{n}") for n in range(100)])))
    with pytest.raises(RequestError, match=r"no threshold for vision.similarity: .*one verdict only"):
        read_calibration(str(path)).threshold_of(SIMILARITY, SIGNATURE)


class Pairs:
    """Every pair has the similarity 0.6."""

    def score(self, pairs):
        return [PairScore(0.6) for _ in pairs]

    def signature_parts(self):
        return {"model": "m@abc"}


def test_the_metric_says_where_its_threshold_comes_from():
    source = Calibrated("f" * 16, {}, lambda score: 1 - score)
    metric = get_metric("vision.hallucination", threshold=0.61, pairs=Pairs(), calibrated=source)
    assert "threshold:0.61|calibration:ffffffffffffffff|" in metric.signature()
    result = metric.compute(Sample(0, "s", "a", "f", "A dog.", ("A cat.",)))
    assert result.details["is_hallucination"]
    assert result.details["probability"] == pytest.approx(0.4)
    tally = metric.tally()
    tally.add(result)
    assert tally.summary()["threshold_source"] == "calibration ffffffffffffffff"
    plain = get_metric("vision.hallucination", threshold=0.61, pairs=Pairs())
    assert "calibration" not in plain.signature()
    assert "threshold_source" not in plain.tally().summary()
