"""Gates: what the expressions mean, how the interval counts, and that nothing passes by accident."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handler import aws, evaluate
from handler.decisions.checks import Check, checks_markdown, junit
from handler.decisions.gates import check_gates, gates_document, parse_gate, render_gates
from handler.errors import RequestError
from handler.evaluation import EvaluationRequest
from handler.jobs import Clock, answer, make_job
from handler.settings import Settings


def summary(rate, low=None, high=None, **more):
    intervals = {"rate": {"low": low, "high": high, "level": 0.95, "method": "wilson"} if low is not None else None}
    return {"rate": rate, "n_scored": 100, "skipped": {}, "band": "low", "intervals": intervals, **more}


REPORT = {
    "counts": {"n_samples": 100, "n_sessions": 2, "n_unreadable": 3},
    "metrics": {
        "vision.hallucination": {
            "overall": summary(0.12, 0.08, 0.17, n_frames=100, threshold=0.75),
            "groups": [
                {"by": "camera", "value": "7", **summary(0.30, 0.20, 0.40)},
                {"by": "camera", "value": "north ]=> 8", **summary(0.05, 0.01, 0.09)},
            ],
            "sessions": [{"session_id": "cam-1", "assistant_id": "gpt", **summary(0.1, 0.05, 0.2)}],
        },
        "retrieval.ranking": {
            "overall": {"recall@10": 0.5, "mrr": None, "n_scored": 0, "skipped": {"no_relevant": 4}, "intervals": {}},
            "groups": [],
            "sessions": [],
        },
        "vision.claims": {
            "overall": {"claims": {"rate": 0.4}, "n_scored": 9, "skipped": {}, "intervals": {}},
            "groups": [],
            "sessions": [],
        },
    },
}


def outcomes(*gates, gate_on="sure"):
    return [one.outcome for one in check_gates(REPORT, gates, gate_on=gate_on)]


@pytest.mark.parametrize(
    ("limit", "sure", "point", "doubt"),
    [  # the rate is 0.12, its interval 0.08 to 0.17
        ("> 0.05", "failed", "failed", "failed"),
        ("> 0.10", "open", "failed", "failed"),
        ("> 0.15", "open", "open", "failed"),
        ("> 0.17", "passed", "passed", "passed"),
        (">= 0.17", "open", "open", "failed"),
        ("< 0.05", "passed", "passed", "passed"),
        ("< 0.10", "open", "open", "failed"),
        ("< 0.15", "open", "failed", "failed"),
        ("< 0.20", "failed", "failed", "failed"),
        ("<= 0.17", "failed", "failed", "failed"),
        ("== 0.12", "failed", "failed", "failed"),
        ("== 0.10", "passed", "passed", "passed"),
        (">10%", "open", "failed", "failed"),
        (">1e-2", "failed", "failed", "failed"),
    ],
)
def test_the_interval_counts_by_the_rule_asked_for(limit, sure, point, doubt):
    gate = f"vision.hallucination.rate{limit}"
    assert [outcomes(gate, gate_on=rule) for rule in ("sure", "point", "doubt")] == [[sure], [point], [doubt]]


def test_figures_of_every_kind_are_found():
    found = check_gates(
        REPORT,
        [
            "retrieval.ranking.recall@10 < 0.4",
            "vision.claims.claims.rate > 0.5",
            "hallucination.n_frames < 10",
            "counts.n_unreadable > 0",
            "retrieval.ranking.skipped.no_relevant > 3",
            "retrieval.ranking.skipped.never_seen > 0",
        ],
    )
    assert [(one.found.value, one.outcome) for one in found] == [
        (0.5, "passed"),
        (0.4, "passed"),
        (100, "passed"),
        (3, "failed"),
        (4, "failed"),
        (0, "passed"),
    ]


def test_groups():
    assert outcomes("vision.hallucination.rate[camera=7] > 0.1") == ["failed"]
    assert outcomes("vision.hallucination.rate[camera=north ]=> 8] > 0.1") == ["passed"]
    assert outcomes("vision.hallucination.rate [ camera = * ] > 0.1") == ["failed", "passed"]
    assert outcomes("vision.hallucination.rate[session_id=cam-1] > 0.3") == ["passed"]


def test_a_null_figure_fails_with_its_reason():
    one = check_gates(REPORT, ["retrieval.ranking.mrr < 0.1"])[0]
    assert one.outcome == "failed"
    assert one.reason == "the figure is null: nothing was scored (skipped: 4 no relevant)"


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        (
            "vision.hallucination.rates > 0.1",
            r"no figure 'vision\.hallucination\.rates'\. Did you mean vision\.halluc.*\.rate\?",
        ),
        ("vision.hallucination.share > 0.1", r"There is: vision\.hallucination\.rate, vision\.hallucination\.n_scored"),
        (
            "vision.claims.contradiction_rate > 0.1",
            r"There is: vision\.claims\.claims\.rate, vision\.claims\.n_scored$",
        ),
        ("ranking.recal@10 > 0.1", r"Did you mean retrieval\.ranking\.recall@10\?"),
        ("vision.hallucination.contradiction_rate > 0.1", r"Did you mean vision\.hallucination\.rate\?"),
        ("vision.hallucination.scored > 5", r"Did you mean vision\.hallucination\.n_scored\?"),
        ("retrieval.ranking.recal@10 > 0.1", r"Did you mean retrieval\.ranking\.recall@10"),
        ("vision.hallucination.band > 0.1", r"no figure"),
        ("vision.hallucination.intervals > 0.1", r"no figure"),
        ("pope.accuracy < 0.9", r"no figure 'pope\.accuracy'\. It was not evaluated: add --metrics pope"),
        ("vision.hallucination.rate[camera=8] > 0.1", r"no camera '8' in the report"),
        ("vision.hallucination.rate[weather=fog] > 0.1", r"no summaries by 'weather'.*--group-by weather"),
        ("counts.n_unreadable[camera=7] > 1", r"of the whole report"),
    ],
)
def test_what_the_report_does_not_have_is_an_error_with_the_nearest_name(gate, message):
    with pytest.raises(RequestError, match=message):
        check_gates(REPORT, [gate])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "rate > 1",
        "a.b",
        "a.b >",
        "a.b > x",
        "a.b > nan",
        "a.b > inf",
        "a.b != 1",
        "a.b = 1",
        "a.b[=7] > 1",
        "> 1",
        "a.b[c=7 > 1",
        5,
    ],
)
def test_what_is_no_gate_is_refused(text):
    with pytest.raises(RequestError, match=r"is no gate|no figure|no number|no tag"):
        parse_gate(text)


@given(
    st.from_regex(r"[a-z_]{1,9}(\.[a-z_@0-9]{1,9}){1,3}", fullmatch=True),
    st.sampled_from([">", ">=", "<", "<=", "=="]),
    st.floats(allow_nan=False, allow_infinity=False),
    st.none() | st.tuples(st.from_regex(r"[a-z_ ]{0,5}[a-z]", fullmatch=True), st.text(max_size=9)),
)
def test_an_expression_is_read_as_it_was_written(key, op, limit, group):
    inside = f"[{group[0]}={group[1]}]" if group else ""
    found = parse_gate(f" {key} {inside} {op} {limit!r} ")
    assert (found.key, found.op, found.limit) == (key, op, limit)
    assert (found.by, found.value) == ((group[0].strip(), group[1].strip()) if group else (None, None))


def test_the_terminal_says_the_verdict_first_and_names_the_rule_and_method():
    text = render_gates(check_gates(REPORT, ["vision.hallucination.rate>0.1", "counts.n_unreadable>0"]), "sure")
    lines = text.splitlines()
    assert lines[0] == "GATES FAILED: 1 of 2"
    assert lines[1] == "  failed  counts.n_unreadable > 0: 3 (no interval: the figure itself counts)"
    assert lines[2] == (
        "  open    vision.hallucination.rate > 0.1: 0.12 (95 % interval 0.08 to 0.17, wilson), on both sides of the limit"
    ).replace("95 %", "95%")
    assert "--gate-on" in text


CHECKS = [
    Check("vision.hallucination", 'rate[camera=<b>"7"&\x1b[31m\u202e] > 0.1', "failed", "0.3 | `x` @everyone\n# no"),
    Check("pope", "pope.accuracy < 0.9", "open", "]]> \ud800 on both sides"),
    Check("pope", "pope.f1 < 0.9", "passed", "0.95"),
]


def test_junit_holds_a_case_per_check_and_survives_any_text():
    data = junit("gates <&>", CHECKS)
    root = ElementTree.fromstring(data)
    suite = root.find("testsuite")
    assert (root.tag, suite.get("name")) == ("testsuites", "gates <&>")
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["3", "1", "0", "0"]
    cases = suite.findall("testcase")
    assert [case.get("classname") for case in cases] == ["vision.hallucination", "pope", "pope"]
    assert [[child.tag for child in case] for case in cases] == [["failure"], ["system-out"], ["system-out"]]
    assert cases[0].get("name") == 'rate[camera=<b>"7"&\ufffd[31m\u202e] > 0.1'
    assert cases[0][0].get("message") == "0.3 | `x` @everyone # no"
    assert cases[1][0].text == "open: ]]> \ufffd on both sides"


def test_markdown_keeps_hostile_text_in_its_cell():
    text = checks_markdown("gates", CHECKS)
    rows = [line for line in text.splitlines() if line.startswith("| :")]
    assert text.startswith("## gates: 1 of 3 failed\n")
    assert len(rows) == 3
    assert [row.count("|") for row in rows] == [4, 4, 4]
    assert not re.search(r"<b>|`x`|@everyone|\x1b", text)


def test_requests_carry_gates_that_change_no_result():
    plain = EvaluationRequest.parse({"input": "x"})
    gated = EvaluationRequest.parse({"input": "x", "fail_if": ["speech.wer.wer>0.2"], "gate_on": "point"})
    assert plain.identity({}, {}) == gated.identity({}, {})
    with pytest.raises(RequestError, match=r"fail_if: .*is no gate"):
        EvaluationRequest.parse({"input": "x", "fail_if": ["wer"]})


PAIRS = [{"hypothesis": "turn off the lights", "reference": "turn on the lights"}] * 4


@pytest.fixture
def told(monkeypatch, tmp_path):
    """An installation whose event bus keeps what it is told (moto's bus is in tests/aws)."""
    events = []
    monkeypatch.setattr(aws, "put_event", lambda bus, kind, detail: events.append((kind, detail)))
    return Settings(model=tmp_path / "none", output=str(tmp_path / "out"), event_bus="bus"), events


def test_an_evaluation_on_aws_tells_the_bus_and_cloudwatch(told, monkeypatch, capsys):
    settings, events = told
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "scenescore")
    request = {"sessions": PAIRS, "metrics": ["speech.wer"], "fail_if": ["speech.wer.wer>0.2", "speech.wer.cer>0.9"]}
    code, body = answer(EvaluationRequest.parse(request), settings, Clock())
    assert (code, body["gates"]["passed"], body["gates"]["n_failed"]) == (200, False, 1)
    assert [kind for kind, _ in events] == ["Gates Checked", "Evaluation Finished"]
    detail = events[0][1]
    assert (detail["passed"], detail["location"]) == (False, body["location"])
    assert [one["outcome"] for one in detail["gates"]] == ["failed", "passed"]
    printed = capsys.readouterr().out
    assert '"metric":"speech.wer","GatesFailed":[1.0]' in printed.replace(" ", "")
    assert "CloudWatchMetrics" in printed
    assert "lights" not in printed


def test_other_gates_on_a_finished_result_are_told_again_without_scoring(told):
    settings, events = told
    request = {"sessions": PAIRS, "metrics": ["speech.wer"]}
    for gates in (["speech.wer.wer>0.2"], ["speech.wer.wer>0.5"], ["speech.wer.wer>0.5"]):
        answer(EvaluationRequest.parse({**request, "fail_if": gates}), settings, Clock())
    assert [detail["passed"] for kind, detail in events if kind == "Gates Checked"] == [False, True]
    names = {make_job(EvaluationRequest.parse({**request, **more}), settings).id for more in ({}, {"fail_if": []})}
    assert len(names) == 1


def test_a_gate_on_a_figure_that_is_not_there_does_not_pass(told):
    settings, events = told
    request = {"sessions": PAIRS, "metrics": ["speech.wer"], "fail_if": ["speech.wer.were>0.2"]}
    code, body = answer(EvaluationRequest.parse(request), settings, Clock())
    assert (code, body["gates"]["passed"]) == (200, False)
    assert "Did you mean speech.wer.wer" in events[0][1]["error"]


def test_gates_hold_in_python():
    report = evaluate(PAIRS, metrics=["speech.wer"])
    results = check_gates(report, ["speech.wer.wer>0.2", "speech.wer.wer>0.3"])
    assert [one.outcome for one in results] == ["failed", "passed"]
    assert gates_document(results, "sure")["n_failed"] == 1
