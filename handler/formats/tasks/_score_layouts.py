"""The layouts of captions, transcripts, rankings and judges."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from handler.formats._fields import KNOWN_NAMES, normal
from handler.formats.tasks._layout import Layout
from handler.formats.tasks._ranking_values import are_texts

__all__ = ["judge_layout", "score_layout"]

_QUERY = frozenset({"queryid", "qid", "query"})
_DOCUMENT = frozenset({"docid", "corpusid", "documentid", "docno"})
_RELEVANCE = frozenset({"relevance", "rel", "label", "grade"})
_BEIR = frozenset({"queryid", "corpusid", "score"})
_LISTED = frozenset({"ranked", "ranking", "retrieved", "results"})
_RELEVANT = frozenset({"relevant", "positives", "qrels", "gold"})
_JUDGE = ("judge", "llm")
_PEOPLE = ("human", "expert", "rater", "grader", "annotator", "people", "person")
_PERHAPS_JUDGE = ("modelgrade", "modelscore", "autograder")  # a sign only beside the other side's own name
_PERHAPS_PEOPLE = ("label", "gold", "rating")
_PICTURED = frozenset({"image_id", "caption", "id", "image", "model"})
_HEARD = frozenset({"hypothesis", "hyp", "predtext"})
_PREDICTED = frozenset({"prediction", "predicted", "pred"})  # heard, where a transcript stands beside
_TRANSCRIPT = frozenset({"transcript", "transcription", "sentence"})
_SAID = frozenset({"reference", "references", "ref", "text", "transcript", "transcription", "sentence"})
_UTTERANCE = frozenset({"uttid", "utteranceid", "audiofilepath"})


def judge_layout(item: Mapping[str, Any]) -> Layout | None:
    """Grades of a judge beside those of people."""
    if isinstance(item.get("data"), Mapping) and isinstance(item.get("annotations"), list):
        return Layout("label-studio", "answers", "judge", "Label Studio tasks: data, annotations", whole=True)
    names = [normal(name) for name in item]
    judge, people, perhaps_judge, perhaps_people = (
        any(name.startswith(prefixes) for name in names)
        for prefixes in (_JUDGE, _PEOPLE, _PERHAPS_JUDGE, _PERHAPS_PEOPLE)
    )
    if (judge and (people or perhaps_people)) or (perhaps_judge and people):
        return Layout("judge", "answers", "judge", "a judge's grade beside those of people", whole=True)
    return None


def score_layout(item: Mapping[str, Any]) -> Layout | None:
    """Captions of pictures, transcripts of speech, and rankings."""
    names = frozenset(normal(name) for name in item)
    return _captions(item) or _rankings(item, names) or _speech(names)


def _captions(item: Mapping[str, Any]) -> Layout | None:
    if "image_id" not in item or not isinstance(item.get("caption"), str | None):
        return None
    if any(isinstance(item.get(name), list) for name in ("references", "captions")):
        return Layout("coco-captions", "answers", "captions", "a caption beside those of people", whole=True)
    if isinstance(item.get("image"), str) and set(item) <= _PICTURED:
        return Layout("coco-captions", "answers", "captions", "captions beside their pictures", whole=True)
    if set(item) <= {"image_id", "caption", "id", "image", "file_name", "model"}:
        return Layout("coco-captions", "answers", "captions", "COCO captions: image_id and caption")
    return None


def _rankings(item: Mapping[str, Any], names: frozenset[str]) -> Layout | None:
    if _LISTED & names and _RELEVANT & names:
        return Layout("rankings", "answers", "retrieval", "what each query retrieved, and what is relevant", whole=True)
    if _QUERY & names:
        if _DOCUMENT & names:
            if _is_beir(item, names):
                return Layout(
                    "trec", "references", "retrieval", "BEIR's qrels: query-id, corpus-id and a grade as score"
                )
            if _RELEVANCE & names:
                return Layout("trec", "references", "retrieval", "qrels: query, document, relevance")
            return Layout("trec", "answers", "retrieval", "a run: query, document, score")
        if _LISTED & names:
            return Layout("rankings", "answers", "retrieval", "what each query retrieved")
    if _are_rankings(item):
        texts = "texts, where rankings hold ids; captions go in as COCO results"
        held = texts if are_texts(item.values()) else "rankings by query"
        return Layout("rankings", "answers", "retrieval", f"a JSON object of {held}")
    return None


def _is_beir(item: Mapping[str, Any], names: frozenset[str]) -> bool:
    """Whether a row has the columns of BEIR's qrels and a grade: the scores of a run are no small whole numbers."""
    scores = [str(value) for name, value in item.items() if normal(name) == "score"]
    return names == _BEIR and all(re.fullmatch(r"-?\d", score) for score in scores)


def _are_rankings(item: Mapping[str, Any]) -> bool:
    """Whether the values are {id: score} or lists of ids, some of them maybe empty, null or with a score that is none."""
    scored = [value for value in item.values() if isinstance(value, Mapping)]
    listed = {query: value for query, value in item.items() if isinstance(value, list)}
    ids = [one for value in listed.values() for one in value]
    n_null = sum(value is None for value in item.values())
    if len(scored) + len(listed) + n_null < len(item) or not all(isinstance(one, (str, int)) for one in ids):
        return False
    if 2 * sum(normal(query) in KNOWN_NAMES for query in listed) > len(item):
        return False  # a frame that says it all in lists
    scores = [type(score) in (int, float) for value in scored for score in value.values()]
    n_good, n_bad = sum(scores) + len(ids), scores.count(False)
    return n_good > n_bad or (bool(scored) and not ids and not scores and len(scored) == len(item))


def _speech(names: frozenset[str]) -> Layout | None:
    if _HEARD & names or (_PREDICTED & names and _TRANSCRIPT & names):
        whole = bool(_SAID & names)
        return Layout(
            "speech", "answers", "speech", "transcripts beside what was said" if whole else "transcripts", whole
        )
    if _UTTERANCE & names and _SAID & names:
        return Layout("speech", "references", "speech", "what was said, by utterance")
    return None
