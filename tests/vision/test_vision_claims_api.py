"""VisionClaims in the Python API: what each frame gets wrong, in words."""

from __future__ import annotations

import pytest

from handler.errors import RequestError
from handler.metrics.vision import VisionClaims as Metric
from handler.vision import (
    Batch,
    CosineSimilarity,
    Dataset,
    Embedder,
    Retriever,
    SentenceTransformerEmbedder,
    SimilarityScorer,
    VisionClaims,
    VisionClaimsMetric,
    VisionSimilarity,
)

pytestmark = pytest.mark.model

SEEN = "Two men stand at the gate."
SAID = ["Two men stand at the gate.", "Three men stand at the gate.", " "]


class Gate(Retriever):
    def load_dataset(self):
        frames = [
            Batch(qa_id=f"f{n}", query="q", assistant=said, ground_truth_assistant=SEEN) for n, said in enumerate(SAID)
        ]
        return [Dataset(session_id="gate", assistant_id="m", context="", conversation=frames)]


@pytest.fixture(scope="module")
def result(model):
    (found,) = VisionClaims.run(Gate)
    return found


def test_a_session_counts_what_is_contradicted_and_what_cannot_be_decided(result):
    assert isinstance(result, VisionClaimsMetric)
    assert (result.rate, result.n_contradicted, result.n_decided, result.n_undecided) == (0.5, 1, 2, 1)
    assert result.kinds["number"] == 1
    assert result.threshold == Metric.own_threshold
    assert [one.verdict for one in result.interactions] == ["supported", "contradicted", "undecided"]


def test_a_claim_stands_where_its_spans_say(result):
    claim = result.interactions[1].claims[0]
    assert claim.kind == "number"
    assert [SAID[1][start:end] for start, end in claim.answer_spans] == ["Three men"]
    assert [SEEN[start:end] for start, end in claim.reference_spans] == ["Two men"]
    assert (claim.answer.lower(), claim.reference.lower()) == ("three men", "two men")
    assert 0 < claim.confidence <= 1


def test_similarity_stands_beside_it_unchanged(result):
    (similarity,) = VisionSimilarity.run(Gate)
    assert [one.similarity_score for one in result.interactions] == [
        one.similarity_score for one in similarity.interactions
    ]
    assert result.interactions[0].contradiction == 0.0
    assert result.interactions[2].omissions


def test_display(result, capsys):
    result.display()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Session: gate  |  Assistant: m"
    assert "1 of 2 frames (50%)" in " ".join(lines[1:4])
    at = next(n for n, line in enumerate(lines) if line.strip().startswith("f1"))
    assert lines[at].endswith("  contradicted")
    assert lines[at + 1].strip().lower() == "number: said 'three men', seen 'two men'"


def test_thresholds_and_scorers(model):
    (none,) = VisionClaims.run(Gate, threshold=1.0)
    assert (none.n_contradicted, none.threshold) == (0, 1.0)
    (same,) = VisionClaims.run(Gate, scorer=CosineSimilarity(SentenceTransformerEmbedder()))
    assert same.n_contradicted == 1
    with pytest.raises(RequestError, match="must be a number in 0"):
        VisionClaims.run(Gate, threshold=75)
    with pytest.raises(RequestError, match="has no mode compat"):
        VisionClaims.run(Gate, mode="compat")


def test_scorers_without_a_model_to_read_are_refused(model):
    class Mine(SimilarityScorer):
        def calculate(self, assistant, ground_truth):
            return 1.0

    class Letters(Embedder):
        def encode(self, sentences):
            raise AssertionError("never asked")

    for scorer in (Mine(), CosineSimilarity(Letters()), CosineSimilarity):
        with pytest.raises(TypeError, match="leave scorer out"):
            VisionClaims.run(Gate, scorer=scorer)
