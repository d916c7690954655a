"""Runs and qrels in every form that they come in, and what is wrong with them."""

from __future__ import annotations

import gzip
import json

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.formats import Notices, ReadOptions, open_records
from handler.formats.tasks import _runs
from handler.samples import RankingSample, Unreadable

RUN = {"q1": {"a": 0.9, "b": 0.8}, "q2": {"c": 0.5, "a": 0.75}, "q9": {"a": 1.0}}
QRELS = {"q1": {"b": 1}, "q2": {"a": 2, "x": 0}, "q3": {"c": 1}}
ROWS = [(query, document, score) for query, found in RUN.items() for document, score in found.items()]
JUDGED = [(query, document, grade) for query, grades in QRELS.items() for document, grade in grades.items()]


def trec_run(rows, tag="bm25"):
    return "".join(
        f"{query} Q0 {document} {place} {score} {tag}\n" for place, (query, document, score) in enumerate(rows)
    )


def trec_qrels():
    return "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in JUDGED)


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


RUNS = {
    "run.trec": trec_run(ROWS),
    "run.txt": trec_run(ROWS).replace(" ", "\t"),
    "run.csv": "query_id,doc_id,score,run\n" + "".join(f"{q},{d},{s},bm25\n" for q, d, s in ROWS),
    "run.tsv": "qid\tdocid\trank\tscore\tmodel\n" + "".join(f"{q}\t{d}\t1\t{s}\tbm25\n" for q, d, s in ROWS),
    "run.json": json.dumps(RUN),
    "indented.json": json.dumps(RUN, indent=1),
    "rows.jsonl": lines(*({"query_id": q, "doc_id": d, "score": s} for q, d, s in ROWS)),
    "records.jsonl": lines(*({"qid": q, "ranked": list(f), "scores": list(f.values())} for q, f in RUN.items())),
    "hits.jsonl": lines(
        *({"query_id": q, "results": [{"doc_id": d, "score": s} for d, s in f.items()]} for q, f in RUN.items())
    ),
    "scored.json": json.dumps([{"query": q, "retrieved": f} for q, f in RUN.items()]),
}
RELEVANT = {
    "qrels.trec": trec_qrels(),
    "qrels.tsv": "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{g}\n" for q, d, g in JUDGED),
    "qrels.csv": "query_id,doc_id,relevance\n" + "".join(f"{q},{d},{g}.0\n" for q, d, g in JUDGED),
    "qrels.json": json.dumps(QRELS),
    "qrels.jsonl": lines(*({"query_id": q, "relevant": g} for q, g in QRELS.items())),
}


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return str(path)


def read(path, notices=None, **options):
    return list(open_records(path, ReadOptions(**options), notices or Notices()))


def joined(tmp_path, run, qrels, notices=None):
    return read(write(tmp_path, "run.trec", run), notices, references=write(tmp_path, "qrels.trec", qrels))


def facts(sample):
    return (sample.sample_id, sample.answer, sample.ranked, sample.scores, dict(sample.relevant))


EXPECTED = [
    ("q1", "a, b", ("a", "b"), (0.9, 0.8), {"b": 1}),
    ("q2", "a, c", ("c", "a"), (0.5, 0.75), {"a": 2, "x": 0}),
    ("q9", "a", ("a",), (1.0,), {}),
    ("q3", None, (), (), {"c": 1}),
]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_reads_the_same_in_every_form(tmp_path, name):
    qrels = write(tmp_path, "qrels.trec", RELEVANT["qrels.trec"])
    samples = read(write(tmp_path, name, RUNS[name]), references=qrels)
    assert [facts(one) for one in samples] == EXPECTED
    assert [one.index for one in samples] == [0, 1, 2, 3]
    assert {one.assistant_id for one in samples} <= {"bm25", "unknown"}
    assert [one.references for one in samples] == [("b",), ("a",), (), ("c",)]


@pytest.mark.parametrize("name", RELEVANT)
def test_qrels_read_the_same_in_every_form(tmp_path, name):
    qrels = write(tmp_path, name, RELEVANT[name])
    samples = read(write(tmp_path, "run.trec", RUNS["run.trec"]), references=qrels)
    assert [facts(one) for one in samples] == EXPECTED


def test_ranked_lists_and_single_ids_whose_numbers_are_their_text(tmp_path):
    run = write(tmp_path, "run.json", json.dumps({"1": [4, "img1"], "2": ["img2"]}))
    qrels = write(tmp_path, "qrels.json", json.dumps({"1": "img1", "2": ["img2", 7]}))
    samples = read(run, references=qrels)
    assert [facts(one) for one in samples] == [
        ("1", "4, img1", ("4", "img1"), (), {"img1": 1}),
        ("2", "img2", ("img2",), (), {"img2": 1, "7": 1}),
    ]


def test_records_that_say_themselves_what_is_relevant(tmp_path):
    records = [
        {"id": 1, "query": "a red bus", "ranked": ["a", "b"], "positives": "b", "tags": {"camera": 7}},
        {"id": 2, "query": "two cats", "ranked": [], "positives": {"c": 2}},
        {"id": 3, "query": "no answer", "ranked": None, "positives": ["d"]},
    ]
    report = evaluate(write(tmp_path, "records.jsonl", lines(*records)), group_by=["camera"])
    rows = {row["sample_id"]: row for row in report.samples}
    assert [rows[name]["metrics"]["retrieval.ranking"]["score"] for name in "123"] == [0.5, 0, 0]
    assert rows["1"]["columns"] == {"question": "a red bus"}
    assert {one["code"] for one in report["warnings"]} == {"empty_answer", "query_not_run"}
    groups = {one["value"]: one["mrr"] for one in report["metrics"]["retrieval.ranking"]["groups"]}
    assert groups == {"7": 0.5, "": 0}


def test_the_detected_format_and_roles_are_told_though_the_files_are_swapped(tmp_path):
    run, qrels = (write(tmp_path, name, text) for name, text in (("r", RUNS["run.trec"]), ("q", trec_qrels())))
    swapped = evaluate(qrels, references=run)["metrics"]["retrieval.ranking"]["overall"]
    assert swapped == evaluate(run, references=qrels)["metrics"]["retrieval.ranking"]["overall"]
    assert swapped["mrr"] == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_each_run_of_a_file_owes_an_answer_to_every_query(tmp_path):
    text = trec_run([("q1", "b", 1)], "one") + trec_run([("q2", "a", 1), ("q3", "c", 1)], "two")
    report = evaluate(write(tmp_path, "runs.trec", text), references=write(tmp_path, "q.json", json.dumps(QRELS)))
    found = {one["assistant_id"]: one for one in report["metrics"]["retrieval.ranking"]["sessions"]}
    assert {name: (one["mrr"], one["n_unanswered"]) for name, one in found.items()} == {
        "one": (pytest.approx(1 / 3), 2),
        "two": (pytest.approx(2 / 3), 1),
    }


def test_a_run_in_several_files_of_one_folder_is_one_run(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    whole = evaluate(write(tmp_path, "run.trec", RUNS["run.trec"]), references=write(tmp_path, "q", trec_qrels()))
    for number, row in enumerate(ROWS):  # q1's two rows lie in two files
        with gzip.open(folder / f"part-{number}.tsv.gz", "wt") as part:
            part.write(trec_run([row]))
    parts = evaluate(folder, references=tmp_path / "q")
    assert parts["metrics"] == whole["metrics"]


def test_rows_in_any_order_while_they_can_be_held(tmp_path):
    apart = [ROWS[0], ROWS[2], ROWS[4], ROWS[1], ROWS[3]]
    samples = joined(tmp_path, trec_run(apart), trec_qrels())
    assert [facts(one) for one in samples] == EXPECTED


def test_rows_too_far_apart_are_refused_with_the_line_and_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(_runs, "MAX_HELD_ROWS", 2)
    assert [facts(one) for one in joined(tmp_path, trec_run(ROWS), trec_qrels())] == EXPECTED
    with pytest.raises(InputError, match=r"query 'q1' comes again.*sort -s -k1,1") as caught:
        joined(tmp_path, trec_run([*ROWS, ("q1", "c", 0.1)]), trec_qrels())
    assert (caught.value.line, caught.value.file) == (6, str(tmp_path / "run.trec"))
    by_turns = [("q1", "a", 0.9), ("q2", "a", 0.8), ("q1", "b", 0.7), ("q2", "b", 0.6)]  # q2 leaves at the third row
    with pytest.raises(InputError, match="query 'q2' comes again") as caught:
        joined(tmp_path, trec_run(by_turns), trec_qrels())
    assert caught.value.line == 4


def test_rows_without_scores_are_ordered_by_rank(tmp_path):
    table = "query_id,doc_id,rank\nq1,a,2\nq1,b,1\nq2,a,1\n"
    samples = read(write(tmp_path, "run.csv", table), references=write(tmp_path, "q", trec_qrels()))
    assert facts(samples[0])[1:4] == ("b, a", ("b", "a"), ())


def test_scores_win_over_ranks_that_say_otherwise_and_it_is_told(tmp_path):
    notices = Notices()
    distances = "q1 Q0 a 1 0.1 m\nq1 Q0 b 2 0.7 m\nq2 Q0 a 1 0.5 m\nq2 Q0 c 2 0.5 m\n"
    samples = joined(tmp_path, distances, trec_qrels(), notices)
    assert samples[0].answer == "b, a"
    assert notices.examples["rank_and_score_differ"] == ["query 'q1'"]


@pytest.mark.parametrize(
    ("record", "field", "reason"),
    [
        ({"query_id": "q1", "doc_id": "b", "score": "high"}, "score", "'high', not a finite number"),
        ({"query_id": "q1", "doc_id": "b", "score": "NaN"}, "score", "not a finite number"),
        ({"query_id": "q1", "doc_id": "b", "score": "inf"}, "score", "not a finite number"),
        ({"query_id": "q1", "doc_id": "b", "score": True}, "score", "true, not a finite number"),
        ({"query_id": "q1", "doc_id": "b", "score": None}, "score", "missing (query 'q1'), and other documents"),
        ({"query_id": "q1", "doc_id": ""}, "doc_id", "is missing or empty"),
        ({"query_id": None, "doc_id": "b"}, "query_id", "is missing or empty"),
        ({"query_id": "q1", "ranked": ["a", "b"], "scores": [1]}, "scores", "holds 1 number for 2 documents"),
        ({"query_id": "q1", "ranked": ["a", None]}, "ranked[1]", "is missing or empty"),
        ({"query_id": "q1", "ranked": ["a", 7, True]}, "ranked[2]", "is true, not an id"),
        ({"query_id": "q1", "ranked": [{"doc_id": "a", "score": 1}, {"doc_id": "b"}]}, "ranked", "scores for 1 of 2"),
        ({"query_id": "q1", "ranked": [{"name": "a"}]}, "ranked[0]", "has no doc_id"),
        ({"q1": {"a": "x"}}, "['q1']['a']", "'x', not a finite number"),
    ],
)
def test_what_cannot_be_read_is_a_row_of_errors(tmp_path, record, field, reason):
    first = {"query_id": "q1", "doc_id": "a", "score": 1.5} if "doc_id" in record else {"query_id": "q2", "ranked": []}
    run = write(tmp_path, "run.jsonl", lines(first, record))
    found = read(run, references=write(tmp_path, "q", trec_qrels()))
    bad = [one for one in found if isinstance(one, Unreadable)]
    assert [(one.line, one.field) for one in bad] == [(2, field)]
    assert reason in bad[0].reason
    if field != "query_id":
        assert "q1" in bad[0].reason
        assert "q1" not in {one.sample_id for one in found if isinstance(one, RankingSample) and one.answer is None}


def test_something_else_than_an_object_is_a_row_of_errors(tmp_path):
    run = write(tmp_path, "run.json", json.dumps([{"query_id": "q1", "ranked": ["b"]}, ["q2"]]))
    bad = read(run, references=write(tmp_path, "q", trec_qrels()))[1]
    assert isinstance(bad, Unreadable)
    assert bad.reason == "a list where an object is expected"


@pytest.mark.parametrize(
    ("qrels", "line", "match"),
    [
        ("q1 0 a 1\nq1 0 a 2\n", 2, "query 'q1' has two grades for 'a': 1 and 2"),
        ("q1 0 a 1\nq1 0 b\n", 2, "line 2 has 3 fields: a qrels file has 4"),
        ("query_id,doc_id,relevance\nq1,a,0.5\n", 2, "relevance is '0.5', not a whole number"),
        ("query_id,doc_id,relevance\nq1,a,yes\n", 2, "relevance is 'yes', not a whole number"),
        ("query_id,doc_id,relevance\nq1,,1\n", 2, "doc_id is missing or empty"),
        ('{"q1": {"a": null}}', 1, r"\['q1'\]\['a'\] is null, not a whole number"),
        ('{"q1": [["a"]]}', 1, r"\['q1'\] is a list, not an id"),
        ("{}", None, "nothing in this file that says what is relevant"),
    ],
)
def test_qrels_must_be_whole(tmp_path, qrels, line, match):
    with pytest.raises(InputError, match=match) as caught:
        joined(tmp_path, RUNS["run.trec"], qrels)
    assert (caught.value.line, caught.value.file) == (line, str(tmp_path / "qrels.trec"))


def test_the_same_judgement_twice_counts_once(tmp_path):
    assert [facts(one) for one in joined(tmp_path, RUNS["run.trec"], trec_qrels() * 2)] == EXPECTED


def test_two_rankings_of_one_query_are_both_scored_and_told(tmp_path):
    notices = Notices()
    run = write(tmp_path, "run.jsonl", lines(*({"query_id": "q1", "ranked": [one]} for one in "ab")))
    samples = read(run, notices, references=write(tmp_path, "q", trec_qrels()))
    assert [one.ranked for one in samples if one.sample_id == "q1"] == [("a",), ("b",)]
    assert notices.counts["duplicate_sample_id"] == 1


def test_columns_of_other_names(tmp_path):
    run = write(tmp_path, "run.csv", "query_id,doc_id,picture,score\nq1,x,b,1\n")
    samples = read(run, references=write(tmp_path, "q", trec_qrels()), mapping={"answer": "picture"})
    assert samples[0].ranked == ("b",)


def test_a_run_without_qrels_is_refused(tmp_path):
    with pytest.raises(InputError, match="--references"):
        read(write(tmp_path, "run.trec", RUNS["run.trec"]))
