"""Rankings as people really write them: lists in cells, no query ids, distances, empty results, swapped files."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.errors import InputError
from handler.formats import Notices, ReadOptions, detect, open_records
from handler.formats.tasks import _rankings, _runs
from handler.formats.tasks._ranking_values import are_texts
from handler.samples import Unreadable

BEIR = "query-id\tcorpus-id\tscore\n"


@pytest.fixture
def read(tmp_path):
    """Writes a run, and qrels where there are any; gives the records and the notices."""

    def reading(run, qrels=None):
        paths = [tmp_path / "run", tmp_path / "qrels"]
        for path, content in zip(paths, (run, qrels), strict=True):
            if content is not None:
                path.write_text(content if isinstance(content, str) else json.dumps(content))
        notices = Notices()
        options = ReadOptions(references=str(paths[1]) if qrels is not None else None)
        return list(open_records(str(paths[0]), options, notices)), notices

    return reading


def cell(value):
    return '"' + value.replace('"', '""') + '"'


@pytest.mark.parametrize("ranked", ['["a", "b"]', "['a', 'b']", "('a', 'b')", "{'a': 2, 'b': 1}", '{"a": 2, "b": 1}'])
@pytest.mark.parametrize("relevant", ["b", '["b"]', "['b']", "{'b'}", '{"b": 1, "c": 0}'])
def test_lists_in_cells_are_read_in_json_and_as_python_prints_them(read, ranked, relevant):
    (sample,), _ = read(f"query_id,ranked,relevant\n1,{cell(ranked)},{cell(relevant)}\n")
    assert (sample.ranked, {one for one, grade in sample.relevant.items() if grade}) == (("a", "b"), {"b"})


@pytest.mark.parametrize(
    "ranked", ["a|b", "a b c", "a;b", "a,b", "['a' 'b']", "[a, b]", "{'a', 'b'}", "[nan, 'a']", "[1 2]"]
)
def test_a_cell_that_may_be_another_list_is_refused_with_its_field(read, ranked):
    (problem,), _ = read(f"query_id,ranked,relevant\n1,{cell(ranked)},b\n")
    assert isinstance(problem, Unreadable)
    assert (problem.line, problem.field) == (2, "ranked")
    assert "list" in problem.reason


def test_python_sets_are_relevant_and_not_ranked():
    overall = evaluate([{"query_id": 1, "ranked": ("b", "a"), "relevant": {"a", "c"}}])
    assert overall["metrics"]["retrieval.ranking"]["overall"]["mrr"] == 0.5
    with pytest.raises(InputError, match="ranked is a set, which has no order"):
        evaluate([{"query_id": 1, "ranked": {"b", "a"}, "relevant": ["a"]}])


def test_records_without_a_query_id_are_numbered(read):
    records = [{"ranked": ["a"], "relevant": ["a"]}, {"ranked": ["a", "b"], "relevant": ["b"], "tags": {"camera": 7}}]
    samples, notices = read("\n".join(map(json.dumps, records)))
    assert [(one.sample_id, one.ranked, dict(one.relevant)) for one in samples] == [
        ("1", ("a",), {"a": 1}),
        ("2", ("a", "b"), {"b": 1}),
    ]
    assert not notices.counts
    run, qrels = ("\n".join(json.dumps({name: one[name]}) for one in records) for name in ("ranked", "relevant"))
    assert [(one.sample_id, one.ranked, dict(one.relevant)) for one in read(run, qrels)[0]] == [
        ("1", ("a",), {"a": 1}),
        ("2", ("a", "b"), {"b": 1}),
    ]


def test_grades_of_trec_files_may_have_a_point_and_no_fraction(read):
    run = "1 Q0 a 1 2.0 s\n1 Q0 b 2 1.0 s\n"
    (sample,), _ = read(run, "1 0 a 1.0\n1 0 b 2.000e+00\n")
    assert sample.relevant == {"a": 1, "b": 2}
    for line, qrels in enumerate(("1 0 a 0.5\n1 0 b 1\n", "1 0 b 1\n1 0 a 0.5\n", "1 0 b 1\n1 0 c 1\n1 0 a yes\n"), 1):
        with pytest.raises(InputError, match="not a whole number") as caught:
            read(run, qrels)
        assert caught.value.line == line
    with pytest.raises(InputError, match="relevance is 'yes'") as caught:
        read(run, "1 0 a yes\n1 0 b 1\n1 0 c 1\n")
    assert caught.value.line == 1


def test_a_first_line_that_is_broken_does_not_turn_a_run_into_a_table(read):
    samples, _ = read("1 Q0 a 1 nan s\n1 Q0 b 2 1.0 s\n1 Q0 c 3 0.5 s\n", "1 0 b 1\n")
    assert samples[0].reason == "score is 'nan', not a finite number (query '1')"
    assert samples[1].ranked == ("b", "c")


@pytest.mark.parametrize(
    "record",
    [
        {"query_id": "q", "ranked": ["a", "b"], "scores": [0.1, 0.2], "relevant": "a"},
        {"query_id": "q", "ranked": [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.2}], "relevant": "a"},
    ],
)
def test_distances_beside_a_ranked_list_are_told(read, record):
    assert read(json.dumps(record))[1].examples["rank_and_score_differ"] == ["query 'q'"]
    assert not read(json.dumps({**record, "ranked": {"a": 0.1, "b": 0.2}, "scores": None}))[1].counts


def test_what_a_run_in_json_may_hold_beside_rankings(read):
    qrels = {name: {"c": 1} for name in ("query", "model", "answer", "none", "null", "bad")}
    run = {"query": {"c": 1}, "model": {"c": 0.5}, "answer": {"x": 2, "c": 1}, "none": {}, "null": None}
    samples, _ = read({**run, "bad": {"a": None, "c": 1}}, qrels)
    assert samples.pop().reason == "['bad']['a'] is null, not a finite number (query 'bad')"
    assert [(one.sample_id, one.answer) for one in samples] == [
        ("query", "c"),
        ("model", "c"),
        ("answer", "x, c"),
        ("none", ""),
        ("null", None),
    ]
    lists, _ = read({"0": [], "label": ["c"]}, {"0": ["c"], "label": ["c"]})
    assert [(one.sample_id, one.answer) for one in lists] == [("0", ""), ("label", "c")]
    (empty,), _ = read({"1": {}}, {"1": {"c": 1}})
    assert (empty.sample_id, empty.answer, empty.ranked) == ("1", "", ())


def test_a_query_that_comes_twice_in_an_object_is_told(read):
    (sample,), notices = read('{"1": {"b": 5.0},\n"1": {"a": 3.0}}', {"1": {"a": 1}})
    assert sample.ranked == ("a",)
    assert notices.examples["duplicate_key"] == ["'1' comes twice in one object; the last value counts (line 2)"]


def test_captions_by_picture_are_no_rankings(read):
    with pytest.raises(InputError, match=r"texts, not of ids: captions go in as COCO results.*image_id"):
        read({"1": ["a dog"], "2": ["a cat runs"]}, {"1": ["a dog", "the dog"], "2": ["one cat"]})
    with pytest.raises(InputError, match="captions go in as COCO results"):
        read({"1": ["a dog"], "2": ["a cat runs"]})
    named, _ = read(json.dumps({"query_id": 1, "ranked": ["a dog", "a cat"], "relevant": ["a cat"]}))
    assert named[0].ranked == ("a dog", "a cat")


def test_the_first_hundred_texts_say_whether_they_are_captions():
    half = ["a dog"] * 50 + ["a.jpg"] * 50
    assert not are_texts([half, ["a cat"]])
    assert are_texts([["a cat"], half])


def test_ids_that_never_match_are_told_and_bad_rankings_are_not(read):
    _, notices = read({"1": ["a.jpg"], "2": ["b.jpg"]}, {"1": ["a"], "2": ["b"]})
    assert notices.examples["nothing_judged"] == ["run 'unknown': 'a.jpg' was retrieved, 'a' is judged"]
    assert not read({"1": ["a.jpg"], "2": ["b"]}, {"1": ["a"], "2": ["b"]})[1].counts
    assert not read({"1": ["x"]}, {"1": {"x": 0, "a": 1}})[1].counts
    assert not read({"1": [], "9": ["x"]}, {"1": ["a"]})[1].counts


def test_swapped_files_are_told_where_they_cannot_be_turned_back(read):
    with pytest.raises(InputError, match=r"not a whole number.*the two files are swapped"):
        read({"1": {"a": 1}}, {"1": {"a": 1.5, "b": 1.0}})
    assert read({"1": {"a": 1}}, {"1": {"a": 150, "b": 140}})[1].counts["looks_swapped"] == 1
    assert not read({"1": {"a": 150, "b": 140}}, {"1": {"a": 1}})[1].counts
    assert not read({"1": {"a": 0.5, "b": 1}}, {"1": {"a": 100}})[1].counts
    assert not read({"1": {"a": 1}}, {"1": {"a": 10}})[1].counts  # a grade may be 10


def test_beirs_qrels_are_told_from_a_run_by_their_grades(read, tmp_path):
    run, qrels = f"{BEIR}1\ta\t11.5\n1\tb\t0.25\n", f"{BEIR}1\tb\t1\n"
    for files in ((run, qrels), (qrels, run)):
        (sample,), _ = read(*files)
        assert (sample.ranked, sample.relevant) == (("a", "b"), {"b": 1})
    with pytest.raises(InputError, match="this file holds references, no answers: BEIR's qrels"):
        detect(str(tmp_path / "run"))


def test_ranks_that_cannot_order_rows(read):
    head, qrels = "query_id,doc_id,rank\n", "1 0 b 1\n"
    samples, _ = read(f"{head}1,a,x\n1,b,1\n", qrels)
    assert (samples[0].field, samples[0].line) == ("rank", 2)
    for rows in ("1,a,1\n1,b,1\n", "1,a,2\n1,b,\n"):
        (sample,), notices = read(head + rows, qrels)
        assert (sample.ranked, notices.examples["unclear_ranks"]) == (("a", "b"), ["query '1'"])
    assert not read("query_id,doc_id\n1,a\n1,b\n", qrels)[1].counts
    assert not read("query_id,doc_id,rank,score\n1,a,1,2\n1,b,1,1\n", qrels)[1].counts


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        ("query_id,doc_id,score\n1.0,2.0,3\n", "query_id,doc_id,relevance\n1,2,1\n"),
        ({"1": [2]}, {"1.0": {"2.0": 1}}),
        ("1 Q0 2 1 3 s\n", '{"query_id": 1.0, "relevant": [2.0]}'),
    ],
)
def test_whole_numbers_with_a_point_are_the_same_ids(read, run, qrels):
    (sample,), _ = read(run, qrels)
    assert (sample.sample_id, sample.ranked, sample.relevant) == ("1", ("2",), {"2": 1})


def test_ranked_objects_need_no_scores_but_all_or_none(read):
    (sample,), _ = read({"query_id": 1, "ranked": [{"doc_id": "b"}, {"doc_id": "a", "score": None}], "relevant": ["a"]})
    assert (sample.ranked, sample.scores) == (("b", "a"), ())
    (problem,), _ = read({"query_id": 1, "ranked": [{"doc_id": "b"}, {"doc_id": "a", "score": 1}], "relevant": ["a"]})
    assert problem.reason == "ranked has scores for 1 of 2 documents (query '1')"


def test_five_documents_are_shown_best_first(read):
    (sample,), _ = read({"1": ["a", "b", "c", "d", "e"]}, {"1": ["a"]})
    assert sample.answer == "a, b, c, d, e"
    (sample,), _ = read({"1": {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}}, {"1": ["a"]})
    assert sample.answer == "f, e, d, c, b, …"


def test_more_rows_than_are_held_in_memory_are_refused(read, monkeypatch):
    run, qrels = "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n", "1 0 a 1\n1 0 b 1\n"
    monkeypatch.setattr(_runs, "MAX_JOINED", 3)
    monkeypatch.setattr(_rankings, "MAX_JOINED", 2)
    assert read(run, qrels)[0][0].ranked == ("a", "b", "c")
    monkeypatch.setattr(_runs, "MAX_JOINED", 2)
    with pytest.raises(InputError, match=r"run:3: query '1' has more than 2 rows"):
        read(run, qrels)
    monkeypatch.setattr(_rankings, "MAX_JOINED", 1)
    with pytest.raises(InputError, match="qrels: more than 1 judgements"):
        read(run, qrels)
