"""`scenescore report`: a page, Markdown or a table of a finished folder, local or on S3, without scoring."""

from __future__ import annotations

import csv
import html
import io
import json
import re

import pytest

from handler import evaluate, storage
from handler.cli import main
from handler.reports import update_latest
from handler.reports.page import csv_lines, markdown
from handler.reports.page._markdown import plain
from handler.samples import Sample
from tests.reports.made_results import HOSTILE, frames, make_result
from tests.reports.seen_pages import CALIBRATION, COMPARISON
from tests.s3_fixtures import BUCKET

SIMILARITIES = [0.9, 0.1, 0.8, -0.2]


@pytest.fixture
def folder(tmp_path):
    make_result(tmp_path / "frames.jsonl" / "c-1", frames(4, n_sessions=2), SIMILARITIES)
    return tmp_path / "frames.jsonl" / "c-1"


def test_the_page_is_made_again_as_evaluate_made_it(folder, capsys):
    before = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"Report: {folder}/report.html\n"
    assert (folder / "report.html").read_bytes() == before
    assert main(["report", str(folder), "--output", str(folder.parent / "new" / "page.html")]) == 0
    assert (folder.parent / "new" / "page.html").read_bytes() == before


def test_the_folder_above_means_its_newest_result(folder, capsysbinary):
    make_result(folder.parent / "c-2", frames(3), [0.5, 0.6, 0.7])
    update_latest(str(folder.parent / "c-2"), "c")
    assert main(["report", str(folder.parent), "--format", "md"]) == 0
    assert b"3 frames in 3 sessions." in capsysbinary.readouterr().out
    assert main(["report", str(folder / "report.json"), "--format", "md"]) == 0
    assert b"4 frames in 2 sessions." in capsysbinary.readouterr().out


@pytest.mark.parametrize("server", ["seaweedfs_server"])
def test_a_result_on_s3(server, request, use, folder, capsys):
    client = use(request.getfixturevalue(server))
    place = f"s3://{BUCKET}/{folder.parents[1].name}/report"
    for name in ("report.json", "samples.jsonl", "errors.jsonl"):
        storage.write_bytes(f"{place}/{name}", (folder / name).read_bytes())
    assert main(["report", place]) == 0
    assert capsys.readouterr().out == f"Report: {place}/report.html\n"
    assert storage.read_bytes(f"{place}/report.html") == (folder / "report.html").read_bytes()
    head = client.head_object(Bucket=BUCKET, Key=f"{folder.parents[1].name}/report/report.html")
    assert head["ContentType"] == "text/html; charset=utf-8"  # else a browser would save it instead of showing it


def test_what_is_no_result_is_named(tmp_path, folder, capsys):
    assert main(["report", str(tmp_path / "nothing")]) == 2
    assert re.fullmatch(r"scenescore: .*nothing: there is no result here\. .*latest\.json\n", capsys.readouterr().err)
    failed = tmp_path / "failed"
    failed.mkdir()
    (failed / "error.json").write_text(json.dumps({"message": "answer is missing", "line": 3}))
    assert main(["report", str(failed)]) == 2
    assert "nothing was scored: answer is missing" in capsys.readouterr().err
    (folder / "samples.jsonl").unlink()
    assert main(["report", str(folder)]) == 2
    assert "the result is not complete" in capsys.readouterr().err
    assert main(["report", str(folder), "--format", "pdf"]) == 2


def test_rows_as_a_table(folder, capsysbinary):
    assert main(["report", str(folder), "--format", "csv"]) == 0
    text = capsysbinary.readouterr().out.decode()
    assert text.count("\r\n") == 5
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(rows[0])[:5] == ["index", "session_id", "assistant_id", "sample_id", "tags.light"]
    assert [float(row["vision.similarity.score"]) for row in rows] == SIMILARITIES
    assert [row["vision.hallucination.is_hallucination"] for row in rows] == ["false", "true", "false", "true"]
    assert rows[0]["vision.similarity.n_tokens"] == "9; 9"


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "＝"])
def test_no_cell_is_a_formula(start):
    text = f"{start}HYPERLINK(1)"
    row = {"index": 0, "session_id": text, "assistant_id": "a", "sample_id": "-1", "tags": {text: text}, "metrics": {}}
    head, line = csv.reader(io.StringIO("".join(csv_lines(lambda: [row])), newline=""))
    assert line == ["0", f"'{text}", "a", "'-1", f"'{text}"]
    assert head[-1] == f"tags.{text}"  # the prefix is ours


def test_markdown_is_a_summary(folder, capsysbinary):
    assert main(["report", str(folder), "--format", "md"]) == 0
    text = capsysbinary.readouterr().out.decode()
    # 2 of 4 below 0.75; Wilson's interval of 2 in 4 is 15.0 % to 85.0 % (Newcombe 1998, by hand)
    assert "| vision.hallucination | Share of frames below the threshold | **50.0%** | 15.0% to 85.0% |" in text
    assert "Somebody, number 3, runs past a gate at night." in text
    tables = re.findall(r"(?:^\|.*\|\n?)+", text, re.MULTILINE)
    for table in tables:
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_texts_in_markdown_do_nothing(tmp_path):
    odd = [
        *HOSTILE,
        "a | b",
        "@everyone look at #12",
        "[x](https://example.org) ![y](z) `code` **bold** www.example.org",
    ]
    samples = [Sample(i, text, text, text, text, (text,)) for i, text in enumerate(odd)]
    _, report = make_result(tmp_path, samples, [0.1] * len(odd), input={"name": odd[0]})
    text = re.sub(r"&#\d+;", "_", markdown(report))  # a numeric entity is its character, as text
    for acting in ("<script", "<img", "@everyone", "#12", "https://", "](", "`code`", "**bold**", "www.example"):
        assert acting not in text
    assert plain("a | b\n\nc") == "a &#124; b c"
    tables = [line.count("|") for line in text.splitlines() if line.startswith("|")]
    assert set(tables) == {5, 6, 7}  # worst samples, sessions, figures: no cell of a text broke out


def test_a_comparison_and_a_calibration_beside_a_result_and_alone(folder, tmp_path, capsys):
    compared, calibrated = tmp_path / "c" / "comparison.json", tmp_path / "calibration.json"
    compared.parent.mkdir()
    compared.write_text(json.dumps(COMPARISON))
    calibrated.write_text(json.dumps(CALIBRATION))
    assert main(["report", str(folder), "--with", str(compared), "--with", str(calibrated)]) == 0
    html = (folder / "report.html").read_text()
    assert 'id="comparison"' in html
    assert 'id="calibration"' in html
    for place, page in (
        (compared.parent, tmp_path / "c" / "comparison.html"),
        (calibrated, tmp_path / "calibration.html"),
    ):
        assert main(["report", str(place)]) == 0
        assert 'id="main"' in page.read_text()
    capsys.readouterr()
    assert main(["report", str(folder), "--with", str(folder / "report.json")]) == 2
    assert "its schema is none of" in capsys.readouterr().err
    assert main(["report", str(calibrated), "--format", "csv"]) == 2
    assert main(["report", str(folder / "samples.jsonl"), "--format", "md"]) == 0
    edited = json.loads(json.dumps(CALIBRATION))
    edited["metrics"]["vision.similarity"]["threshold"] = 0.5
    for content in (edited, {"schema": CALIBRATION["schema"]}):
        calibrated.write_text(json.dumps(content))
        for arguments in ([str(calibrated)], [str(folder), "--with", str(calibrated)]):
            assert main(["report", *arguments]) == 2
            assert "changed after it was written" in capsys.readouterr().err
    calibrated.write_text('{"schema": "else/1"}')
    assert main(["report", str(calibrated)]) == 2
    assert "there is no page for 'else/1'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda rows: rows[:-20], "samples.jsonl:4: the row cannot be read"),
        (lambda rows: b"".join(rows.splitlines(keepends=True)[:3]), "3 rows found where the report counts 4"),
    ],
)
def test_damaged_rows_are_named(folder, capsys, damage, said):
    rows = folder / "samples.jsonl"
    rows.write_bytes(damage(rows.read_bytes()))
    assert main(["report", str(folder)]) == 2
    assert said in capsys.readouterr().err


def test_a_comparison_says_what_to_mind_and_over_what_it_was_tested(tmp_path, capsys):
    entry = {**COMPARISON["comparisons"][0], "unit": "sample", "slices": []}
    entry["interval"] = {"low": -0.1, "high": 0.1, "level": 0.95, "method": "cluster-t"}
    path = tmp_path / "comparison.json"
    document = {**COMPARISON, "comparisons": [entry], "warnings": [{"code": "one_session", "message": "mind <this>"}]}
    path.write_text(json.dumps(document))
    assert main(["report", str(path)]) == 0
    page = (tmp_path / "comparison.html").read_text()
    assert "Student's t over samples" in html.unescape(page)
    assert "Student's t over sessions" not in html.unescape(page)
    assert "mind &lt;this&gt;" in page


def test_the_markdown_of_a_judge_says_what_an_agreement_means(tmp_path, capsys):
    """Of 8 items people call 6 good; the judge calls all good: agreement and the best constant judge 6/8, kappa 0."""
    items = [{"id": n, "judge": "good", "human": "good" if n < 6 else "bad"} for n in range(8)]
    report = evaluate(items, output=tmp_path)
    assert main(["report", report.location, "--format", "md"]) == 0
    text = capsys.readouterr().out
    assert plain(report["metrics"]["judge.agreement"]["overall"]["summary"]) in text
    assert "| Best constant judge | 75.0% |" in text
    assert "| Cohen's kappa | 0.000 |" in text
