"""The Python API of the vision metrics page, with retrievers, scorers and embedders of a user's own."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from handler.errors import ModelError
from handler.vision import (
    Batch,
    CosineSimilarity,
    Dataset,
    Embedder,
    IterationLevel,
    Retriever,
    SentenceTransformerEmbedder,
    SessionMetadata,
    SimilarityScorer,
    StreamedBatch,
    VisionHallucination,
    VisionSimilarity,
)

pytestmark = pytest.mark.model

ANSWERS = ["A person lies on the floor.", "The corridor is empty.", "A dog runs."]


def frame(number):
    text = ANSWERS[number % 3]
    return Batch(qa_id=f"f{number}", query="q", assistant=text, ground_truth_assistant=ANSWERS[number % 2])


def session(name, n=3):
    frames = [frame(number) for number in range(n)]
    return Dataset(session_id=name, assistant_id="m", context="", conversation=frames)


def retriever(give, level=None):
    class Given(Retriever):
        if level is not None:
            iteration_level = property(lambda self: level)

        def load_dataset(self):
            return give()

    return Given


def streamed():
    for one in (session("a"), session("b", 2)):
        about = SessionMetadata(session_id=one.session_id, assistant_id="m", context="")
        yield from (StreamedBatch(metadata=about, batch=batch) for batch in one.conversation)


class Length(SimilarityScorer):
    """1 for texts of one length."""

    def calculate(self, assistant, ground_truth):
        return float(len(assistant) == len(ground_truth))


def test_three_iteration_levels_give_one_result(model):
    whole = VisionSimilarity.run(retriever(lambda: [session("a"), session("b", 2)]))
    sessions = retriever(lambda: iter([session("a"), session("b", 2)]), IterationLevel.STREAM_SESSIONS)
    frames = retriever(streamed, IterationLevel.STREAM_BATCHES)
    for given in (sessions, frames):
        assert [one.model_dump() for one in VisionSimilarity.run(given)] == [one.model_dump() for one in whole]
    assert [(one.session_id, len(one.interactions)) for one in whole] == [("a", 3), ("b", 2)]


def test_batch_then_complete_then_metrics(model):
    runner = VisionHallucination(retriever(list), threshold=0.5)
    runner.batch("s", "", "m", [frame(0), frame(1)], "english")
    runner.on_process_complete()
    assert [one.n_frames for one in runner.metrics] == [2]
    assert runner.metrics[0].hallucination_rate == 0.0


def test_keyword_arguments_reach_the_retriever(model):
    class Named(Retriever):
        def load_dataset(self):
            return [session(self.kwargs["camera"], 1)]

    assert VisionSimilarity.run(Named, camera="gate")[0].session_id == "gate"


def test_display_is_laid_out_as_on_the_page(model, capsys):
    VisionHallucination.run(retriever(lambda: [session("cam", 2)]), scorer=Length(), threshold=0.75)[0].display()
    assert capsys.readouterr().out == (
        "Session: cam  |  Assistant: m\n"
        "The model hallucinated in 0 of 2 frames (0%). A frame is considered a\n"
        "hallucination when similarity with the ground truth falls below 0.75.\n"
        "\n"
        "  f0  similarity=1.00  ok\n"
        "  f1  similarity=1.00  ok\n"
        "\n"
    )


def test_own_scorers_and_embedders(model):
    class Letters(Embedder):
        calls = 0

        def encode(self, sentences):
            Letters.calls += 1
            return np.array([[text.count("o") + 1.0, text.count("e")] for text in sentences])

    given = retriever(lambda: [session("a", 6)])
    assert VisionSimilarity.run(given, scorer=Length())[0].mean_similarity == pytest.approx(2 / 6)
    cosine = VisionSimilarity.run(given, scorer=CosineSimilarity(Letters()))[0]
    assert cosine.interactions[0].similarity_score == pytest.approx(1.0)
    assert Letters.calls == 1


def test_scores_that_are_no_numbers_count_as_errors(model):
    class Broken(Length):
        def calculate(self, assistant, ground_truth):
            return float("nan") if "dog" in assistant else 0.9

    result = VisionHallucination.run(retriever(lambda: [session("a", 3)]), scorer=Broken())[0]
    assert (result.n_frames, result.n_error, result.hallucination_rate) == (2, 1, 0.0)


def test_the_default_embedder_by_either_keyword(model):
    by_model, by_name = (
        SentenceTransformerEmbedder(model="all-mpnet-base-v2"),
        SentenceTransformerEmbedder(model_name="sentence-transformers/all-mpnet-base-v2"),
    )
    assert np.array_equal(by_model.encode(["x"]), by_name.encode(["x"]))
    assert by_model.encode_query([]).shape == (0, 768)
    with pytest.raises(ModelError, match="scenescore export text-encoder --model nobody/nothing"):
        SentenceTransformerEmbedder("nobody/nothing")


def test_a_model_of_a_name_is_where_the_export_puts_it(model, tmp_path, monkeypatch):
    folder = tmp_path / "scenescore" / "models" / "other"
    folder.mkdir(parents=True)
    for file in Path(model).iterdir():
        (folder / file.name).symlink_to(file)
    card = json.loads((folder / "card.json").read_bytes())
    (folder / "card.json").unlink()
    (folder / "card.json").write_text(json.dumps({**card, "source": {"id": "owner/other"}}))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert SentenceTransformerEmbedder("owner/other").encoder.folder == folder
    with pytest.raises(ModelError, match="there is no exported model 'stranger/other'"):
        SentenceTransformerEmbedder("stranger/other")


class Flat(Embedder):
    def encode(self, sentences):
        return [1.0] * len(sentences)


class Worded(Length):
    def calculate(self, assistant, ground_truth):
        return "close"


SESSIONS = retriever(lambda: [session("a")])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: VisionSimilarity.run(SESSIONS()), "must be a class, not an instance of Given"),
        (lambda: VisionSimilarity.run(retriever(lambda: None)), "load_dataset gives NoneType"),
        (lambda: VisionSimilarity.run(retriever(lambda: [{"a": 1}])), "gives Dataset objects, not dict"),
        (
            lambda: VisionSimilarity.run(retriever(lambda: [session("a")], IterationLevel.STREAM_BATCHES)),
            "gives StreamedBatch objects, not Dataset",
        ),
        (lambda: VisionSimilarity.run(SESSIONS, treshold=0.1), "did you mean 'threshold'"),
        (lambda: VisionSimilarity.run(SESSIONS, embedder=Flat()), r"scorer=CosineSimilarity\(embedder\)"),
        (lambda: VisionSimilarity.run(SESSIONS, scorer=Length), "scorer must be an object with calculate"),
        (lambda: VisionSimilarity.run(SESSIONS, scorer=len), "scorer must be an object with calculate"),
        (
            lambda: VisionSimilarity.run(SESSIONS, scorer=CosineSimilarity(Flat())),
            "Flat.encode gives an array of shape",
        ),
        (lambda: VisionSimilarity.run(SESSIONS, scorer=Worded()), "gives 'close', not a number"),
    ],
)
def test_slips_are_named(model, call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_generator_without_a_level_is_refused(model):
    with pytest.raises(ValueError, match="set the retriever's iteration_level"):
        VisionSimilarity.run(retriever(lambda: iter([])))
