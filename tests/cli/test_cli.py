"""The terminal as a person meets it: exit codes, one line on stderr, silence in pipes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from handler.cli import main
from tests.conftest import EXAMPLE

pytestmark = pytest.mark.model


def call(*arguments, **options):
    command = [sys.executable, "-m", "handler.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)


@pytest.fixture
def run(capsys):
    """`call` inside this process, which has everything loaded."""

    def run(*arguments):
        code = main([*map(str, arguments)])
        return subprocess.CompletedProcess(arguments, code, *capsys.readouterr())

    return run


def test_evaluate_prints_the_packaged_example(model, tmp_path):
    done = call("evaluate", EXAMPLE, "--output", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0.559  cam-entrance-01 / frame_001" in done.stdout
    assert "0.291  cam-entrance-01 / frame_002" in done.stdout
    assert re.search(r"cam-entrance-01 / argos-gpt4o +0\.425 +-1\.000 to 1\.000 +0\.291 +0\.559 +2 +low", done.stdout)
    assert re.search(r"100\.0% +34\.2% to 100\.0% +2 +0\.75 +2 +unreliable", done.stdout)
    again = call("evaluate", EXAMPLE, "--output", tmp_path)
    assert "already done" in again.stdout
    assert again.stdout.replace(" (already done; --force scores again)", "") == done.stdout


def test_json_is_the_report_and_nothing_else(model, tmp_path):
    done = call("evaluate", EXAMPLE, "--output", tmp_path, "--json")
    report = json.loads(done.stdout)
    assert done.stderr == ""
    assert report == json.loads(next(tmp_path.rglob("report.json")).read_text())


@pytest.mark.parametrize(
    ("arguments", "code", "line"),
    [
        (["evaluate", "nowhere.json"], 2, r"scenescore: nowhere.json: .*no such.*"),
        (
            ["evaluate", EXAMPLE, "--threshold", "x"],
            2,
            r"scenescore: .*--threshold: invalid float value: 'x'.*--help.*",
        ),
        (["evaluate", EXAMPLE, "--threshold", "nan"], 2, r"scenescore: threshold: .*"),
        (["evaluate", EXAMPLE, "--metrics", "similarty"], 2, r"scenescore: there is no metric 'similarty'.*"),
        (["evaluate", EXAMPLE, "--mode", "compat:pope"], 2, r"scenescore: vision.* has no mode compat:pope.*"),
        (["evaluate", EXAMPLE, "--option", "speed=1"], 2, r"scenescore: --option 'speed=1' names no metric.*"),
        (["evaluate", EXAMPLE, "--map", "answer"], 2, r"scenescore: --map 'answer' is not NAME=VALUE"),
        (
            ["evaluate", EXAMPLE, "--precision", "int8", "--model", "nowhere"],
            2,
            r"scenescore: nowhere-int8: there is no int8 model.*export mpnet --precision int8.*",
        ),
        (
            ["evaluate", EXAMPLE, "--model", "nowhere"],
            2,
            r"scenescore: nowhere: there is no exported model.*export mpnet.*",
        ),
        (["evaluate", EXAMPLE, "--threads", "0"], 2, r"scenescore: --threads must be at least 1"),
        (["evaluat"], 2, r"scenescore: there is no verb 'evaluat'. Did you mean `scenescore evaluate`\?.*"),
    ],
)
def test_wrong_calls_exit_2_with_one_line(run, model, tmp_path, monkeypatch, arguments, code, line):
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.returncode == code
    assert done.stdout == ""
    assert re.fullmatch(line + r"\n", done.stderr), done.stderr


def test_a_refused_file_names_file_line_and_field(model, tmp_path):
    path = tmp_path / "frames.jsonl"
    path.write_text('{"assistant": "x", "ground_truth_assistant": "y"}\n{"assistant": "x", "qa_id": "f2"}\n')
    done = call("evaluate", path, "--output", tmp_path / "out")
    assert done.returncode == 2
    assert done.stderr.startswith(f"scenescore: {path.name}:2")
    assert "ground_truth_assistant" in done.stderr
    assert done.stderr.count("\n") == 1


def test_our_own_fault_is_exit_3_without_a_traceback(monkeypatch, capsys):
    monkeypatch.setattr("handler.cli.metrics.list_metrics", lambda: 1 / 0)
    assert main(["metrics"]) == 3
    shown = capsys.readouterr().err
    assert "unexpected ZeroDivisionError" in shown
    assert "Traceback" not in shown


def test_a_reader_that_goes_away_is_no_error():
    done = subprocess.run(
        f"{sys.executable} -m handler.cli metrics --json | head -c 1",
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_inspect_says_what_to_type_next(run, tmp_path):
    done = run("inspect", EXAMPLE)
    assert done.returncode == 0
    assert "2 frames in 1 session\n" in done.stdout
    assert f"Next: scenescore evaluate {EXAMPLE}" in done.stdout
    table = tmp_path / "a table.csv"
    table.write_text("frame;answer;reference\n1;A dog;\n2;;A cat\n")
    shown = run("inspect", table).stdout
    assert "columns split by semicolons" in shown
    assert f"scenescore evaluate '{table}'" in shown
    assert json.loads(run("inspect", EXAMPLE, "--json").stdout)["n_samples"] == 2


def test_metrics_lists_every_metric(run):
    found = json.loads(run("metrics", "--json").stdout)["metrics"]
    assert {"vision.similarity", "vision.hallucination"} <= {one["name"] for one in found}
    text = run("metrics").stdout
    assert all(one["name"] in text for one in found)


def test_selfcheck_passes_here_and_fails_on_a_damaged_model(model, tmp_path):
    done = call("selfcheck", "--json")
    assert done.returncode == 0
    facts = json.loads(done.stdout)
    assert facts["largest_deviation"] <= 1e-5
    assert facts["files_intact"] is True
    assert facts["export_verified"] is True
    shutil.copytree(model, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "model.onnx.data").open("r+b") as file:
        file.seek(200_000_000)
        byte = file.read(1)[0]
        file.seek(200_000_000)
        file.write(bytes([byte ^ 0x40]))
    broken = call("selfcheck", "--model", tmp_path)
    assert broken.returncode == 2
    assert "model.onnx.data: the content is not what the card says" in broken.stderr


def test_without_the_export_extra_the_message_says_what_to_type(tmp_path):
    """An installation that cannot import optimum: the run-time package alone, on a path of its own."""
    code = "import sys; sys.modules['optimum'] = None; from handler.cli import main; sys.exit(main(['evaluate', 'x.json']))"
    environment = {key: value for key, value in os.environ.items() if key != "SCENESCORE_MODEL"}
    environment["XDG_CACHE_HOME"] = str(tmp_path / "none")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2
    assert "pip install 'scenescore[export]' && scenescore export mpnet" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_model_folder_that_somebody_named_is_never_filled(tmp_path):
    done = call("evaluate", EXAMPLE, env={**os.environ, "SCENESCORE_MODEL": str(tmp_path / "typo")})
    assert (done.returncode, (tmp_path / "typo").exists()) == (2, False)
    assert "there is no exported model in this folder" in done.stderr


def test_nothing_scored_is_said_loudly(run, model, tmp_path):
    path = tmp_path / "half.json"
    path.write_text('[{"answer": "A dog.", "Mensch": "Ein Hund."}]')
    done = run("evaluate", path, "--output", tmp_path / "out", "--on-missing", "skip")
    assert "NOTHING WAS SCORED: 1 × no reference to compare with." in done.stdout
    shown = run("inspect", path).stdout
    assert "no frame has references; say where:" in shown
    assert "--map references=COLUMN (there is: Mensch); --questions FILE or --references FILE where" in shown


def test_groups_that_nobody_has_are_warned_about(run, model, tmp_path):
    done = run("evaluate", EXAMPLE, "--output", tmp_path, "--group-by", "colour,session_id", "--json")
    report = json.loads(done.stdout)
    assert next(one for one in report["warnings"] if one["code"] == "unknown_group")["examples"] == [
        "colour (there is: session_id, assistant_id, language)"
    ]
    groups = report["metrics"]["vision.similarity"]["groups"]
    assert [(one["by"], one["value"]) for one in groups] == [("colour", ""), ("session_id", "cam-entrance-01")]


def test_the_reference_that_counted_is_the_one_shown(run, model, tmp_path):
    path = tmp_path / "two.json"
    path.write_text('[{"answer": "A dog runs.", "references": ["A cat.", "A dog is running."]}]')
    done = run("evaluate", path, "--output", tmp_path / "out")
    assert "0.984  two / 1\n         model : A dog runs.\n         person: A dog is running." in done.stdout


def test_stdin_and_folders_are_inputs(model, tmp_path):
    done = call("evaluate", "-", "--output", tmp_path / "out", "--json", input=EXAMPLE.read_text())
    assert json.loads(done.stdout)["counts"]["n_samples"] == 2
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.json").write_bytes(EXAMPLE.read_bytes())
    for _ in range(2):  # the second time its own results lie in the folder
        done = call("evaluate", tmp_path / "in", "--output", tmp_path / "in" / "results", "--force", "--json")
        assert json.loads(done.stdout)["counts"]["n_samples"] == 2
    assert "2 frames in 1 session" in call("inspect", tmp_path / "in").stdout


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["evaluate", "x.json", "--tresh", "0.5"], "there is no argument '--tresh'. Did you mean --threshold?"),
        (
            ["calibrate", "x.json", "--label", "verdict"],
            "there is no argument '--label'. See `scenescore calibrate --help`",
        ),
        (["evaluate", "x.json", "--threshold", "7"], "threshold: input should be less than or equal to 1, got 7.0"),
    ],
)
def test_slips_are_answered_with_the_right_word(run, arguments, hint):
    assert hint in run(*arguments).stderr


def test_a_full_disk_is_not_our_fault():
    command = f"{sys.executable} -m handler.cli metrics > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "scenescore: cannot write: No space left on device\n"


def test_version_and_help():
    assert call("--version").stdout.startswith("scenescore ")
    shown = call("--help").stdout
    for verb in ("evaluate", "metrics", "inspect", "export", "selfcheck"):
        assert verb in shown


def test_the_last_lines_say_where_to_look_and_what_to_do_next(run, model, tmp_path):
    shown = run("evaluate", EXAMPLE, "--output", tmp_path).stdout.splitlines()[-4:]
    assert [line.split(":")[0] for line in shown] == ["Results", "Page", "Why", "Next"]
    page = Path(shown[1].split()[1])
    assert page.read_text().startswith("<!doctype html>")
    assert shown[2].split()[1:6] == ["scenescore", "evaluate", str(EXAMPLE), "--metrics", "vision.claims"]
    assert shown[3].split()[1:4] == ["scenescore", "calibrate", str(EXAMPLE)]


def test_the_next_step_can_be_typed_as_it_stands(run, model, tmp_path):
    labelled = tmp_path / "labelled.csv"
    labelled.write_text("frame,said,truth,human_verdict\n1,a dog,a cat,different\n")
    mapped = ["--map", "answer=said", "--map", "references=truth"]
    last = run("evaluate", labelled, *mapped, "--output", tmp_path / "out").stdout.splitlines()[-1]
    assert last.startswith(
        f"Next:    scenescore calibrate {labelled} --map answer=said --map references=truth   (the thr"
    )
    nothing = run("evaluate", labelled, "--map", "answer=said", "--on-missing", "skip", "--output", tmp_path / "out")
    assert "Next:" not in nothing.stdout


def test_an_unknown_format_is_said_whatever_else_is_wrong(run, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"answer": "Yes"}')
    done = run("evaluate", tmp_path / "a.jsonl", "--questions", tmp_path / "a.jsonl", "--format", "bogus")
    assert (done.returncode, "unknown format 'bogus'. Formats: auto, fair-forge" in done.stderr) == (2, True)
