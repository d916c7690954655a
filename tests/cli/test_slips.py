"""What a first call gets wrong: places that are taken, options without a value, a folder where a file is meant."""

from __future__ import annotations

import pytest

from handler import evaluate
from handler.cli import main
from handler.errors import RequestError

TABLE = "session_id,sample_id,answer,reference\ncam-1,f1,A dog runs.,A dog is running.\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.csv").write_text(TABLE)
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("output", "folder", "file"),
    [
        (".", "one.csv", "one.csv"),
        ("one.csv", "one.csv/one.csv", "one.csv"),
        ("notes.txt/x", "notes.txt/x/one.csv", "notes.txt"),
    ],
)
def test_results_in_the_way_of_a_file_are_refused_with_a_folder_to_name(place, capsys, output, folder, file):
    assert main(["evaluate", "one.csv", "--metrics", "captions", "--output", output]) == 2
    shown = capsys.readouterr().err
    assert f"results would go into '{folder}', and '{file}' is a file, not a folder" in shown
    assert "Name another folder, e.g. --output ./scenescore-results" in shown
    assert (place / "one.csv").read_text() == TABLE


@pytest.mark.parametrize("name", ["a" * 300, "写" * 120])
def test_results_under_a_name_too_long_for_a_folder_are_refused(place, capsys, name):
    assert main(["evaluate", "one.csv", "--metrics", "captions", "--output", name]) == 2
    assert "File name too long" in (shown := capsys.readouterr().err)
    assert "unexpected" not in shown


def test_a_folder_where_a_file_is_meant_is_told(place, capsys):
    assert main(["evaluate", "one.csv", "--output", "out"]) == 0
    capsys.readouterr()
    assert main(["report", "out/one.csv", "--format", "md", "--output", "folder"]) != 0
    assert "folder: this is a folder, not a file. Name a file in it" in capsys.readouterr().err
    assert main(["doctor", "one.csv", "--output", "folder"]) == 2
    assert "neither a .csv nor a .jsonl file. Name one, e.g. --output pairs.csv" in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["doctor", "evaluate", "calibrate"])
@pytest.mark.parametrize("given", ["", "vision.claims,"])
def test_a_metric_without_a_name_is_refused(place, capsys, verb, given):
    assert main([verb, "one.csv", "--metrics", given]) == 2
    assert "a metric without a name is asked for. `scenescore metrics` lists those there are" in capsys.readouterr().err


def test_doctor_says_which_folder_it_made(place, capsys):
    assert main(["doctor", "one.csv", "--metrics", "captions", "--output", "new/pairs.csv"]) == 0
    assert "; the folder new is new)" in capsys.readouterr().out
    assert main(["doctor", "one.csv", "--metrics", "captions", "--output", "new/more.csv"]) == 0
    shown = capsys.readouterr().out
    assert "Written: new/more.csv" in shown
    assert "is new" not in shown


def test_inspect_describes_a_folder_of_clips_as_one(place, capsys):
    for name in ("a cat", "a dog", "a red car"):
        (place / "folder" / f"{name}-0.mp4").write_bytes(b"\x00" * 10)
    assert main(["inspect", "folder"]) == 0
    shown = capsys.readouterr().out
    assert "file         folder (30 bytes)" in shown
    assert "clips        folder/a cat-0.mp4 to folder/a red car-0.mp4" in shown
    assert "3 videos in 1 session" in shown
    assert "Next: scenescore evaluate folder --detector DIR" in shown


def test_a_question_ends_in_one_mark(place, capsys):
    (place / "near.jsonl").write_text('{"answr": "A dog runs.", "reference": "A dog is running."}\n')
    assert main(["evaluate", "near.jsonl", "--metrics", "captions"]) == 2
    assert "answer is missing; did you mean 'answr'? Mend the file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("field", "given", "hint"),
    [
        ("group_by", "camera", r"group_by: input should be a valid list, got 'camera'\. Write \['camera'\]$"),
        ("metrics", "vision", r"Write \['vision'\]$"),
        ("metrics", 7, r"metrics: input should be a valid list, got 7$"),
    ],
)
def test_a_word_where_a_list_is_meant_is_shown_as_a_list(place, field, given, hint):
    with pytest.raises(RequestError, match=hint):
        evaluate("one.csv", **{field: given})


def test_inspect_says_what_columns_without_a_metric_are_for(place, capsys):
    (place / "judged.csv").write_text(
        "camera,answer,reference,human_verdict\ngate,A dog runs.,A dog is running.,same\n"
    )
    assert main(["inspect", "judged.csv"]) == 0
    shown = capsys.readouterr().out
    assert "fields no metric reads, kept for --group-by: camera, human_verdict" in shown
    assert "Next: scenescore evaluate judged.csv   (then calibrate: human_verdict holds people's verdicts)" in shown
    assert main(["inspect", "one.csv"]) == 0
    assert capsys.readouterr().out.endswith("Next: scenescore evaluate one.csv\n")
