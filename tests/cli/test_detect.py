"""`scenescore detect` as a person meets it: files, folders, S3, what is skipped and what is named."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from handler import storage
from handler.cli import main
from handler.cli._pictures import show
from handler.errors import InputError
from handler.models.dense import CaptionOptions, DenseCaptioner
from handler.video import read_detections

Image = pytest.importorskip("PIL.Image", reason="reading pictures needs the images extra")


def pixels(seed, height=60, width=80):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.fixture
def pictures(tmp_path):
    """A folder with two pictures, one of them deeper, and files that are none."""
    folder = tmp_path / "pictures"
    (folder / "more").mkdir(parents=True)
    Image.fromarray(pixels(1)).save(folder / "one.png")
    Image.fromarray(pixels(2, 96, 64)).save(folder / "more" / "two.BMP")
    (folder / "notes.txt").write_text("no picture")
    return folder


@pytest.fixture
def detect(tiny_grit, tmp_path, capsys):
    """Run the verb in this process; gives exit code, stdout and stderr."""

    def run(*arguments, output=tmp_path / "out"):
        words = ["detect", *map(str, arguments), "--model", str(tiny_grit), "--output", str(output), "--threads", "1"]
        code = main(words)
        shown = capsys.readouterr()
        return code, shown.out, shown.err

    return run


def written(folder):
    return {one.source: one for one in (read_detections(str(path)) for path in folder.glob("*.json"))}


def test_a_folder_becomes_one_file_per_picture(detect, pictures, tmp_path, tiny_grit):
    code, out, err = detect(pictures)
    assert (code, err) == (0, "")
    assert "2 pictures looked at" in out
    assert f"Detections: {tmp_path / 'out'}" in out
    found = written(tmp_path / "out")
    assert set(found) == {str(pictures / "one.png"), str(pictures / "more" / "two.BMP")}
    captioner = DenseCaptioner(tiny_grit, provider="cpu", threads=1)
    one = found[str(pictures / "one.png")]
    assert one.frames[0].detections == captioner.caption([pixels(1), pixels(2, 96, 64)])[0] != ()
    assert one.frames[0].pts is None
    assert (one.sampling.n, one.sampling.rule, one.sampling.indices) == (1, "image", (0,))
    assert (one.size, one.resize) == ((80, 60), "none")
    assert one.detector.signature == captioner.signature()
    assert one.detector.card["sha256"] == captioner.card.sha256


def test_the_table_shows_each_pictures_best_box(detect, pictures, tmp_path):
    _, out, _ = detect(pictures / "one.png")
    best = written(tmp_path / "out")[str(pictures / "one.png")].frames[0].detections[0]
    (line,) = (line for line in out.splitlines() if "one.png" in line)
    assert f"{best.box_score:.3f}" in line
    for words in (best.object, best.caption):
        assert (words or "(none)").split()[0] in line


def test_what_is_there_is_skipped_and_said(detect, pictures, tmp_path, monkeypatch):
    first = detect(pictures)[1]
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    Image.fromarray(pixels(3)).save(pictures / "three.png")
    (pictures / "same.png").write_bytes((pictures / "one.png").read_bytes())  # another name, the same picture
    code, out, err = detect(pictures)
    assert (code, err) == (0, "")
    assert "1 picture looked at, 3 already there and skipped" in out
    assert all(path.stat().st_mtime_ns == time for path, time in files.items())
    assert len(list((tmp_path / "out").iterdir())) == 3
    assert next(line for line in first.splitlines() if "one.png" in line) in out
    monkeypatch.setattr(DenseCaptioner, "_network", None)  # nothing new: the graphs are not even loaded
    assert detect(pictures)[0] == 0


@pytest.mark.parametrize("change", [("--score-threshold", "0.6"), ("--max-detections", "2"), ("--input-rule", "demo")])
def test_another_rule_is_another_file(detect, pictures, tmp_path, change):
    detect(pictures / "one.png")
    code, out, _ = detect(pictures / "one.png", *change)
    assert code == 0
    assert "1 picture looked at;" in out
    assert len(list((tmp_path / "out").iterdir())) == 2


def test_options_reach_the_captioner(detect, pictures, tmp_path, tiny_grit):
    detect(pictures / "one.png", "--score-threshold", "0.55", "--max-detections", "3", "--input-rule", "demo")
    (one,) = written(tmp_path / "out").values()
    options = CaptionOptions(score_threshold=0.55, max_detections=3, input_rule="demo")
    assert one.frames[0].detections == DenseCaptioner(tiny_grit, threads=1).caption([pixels(1)], options)[0]
    assert (one.size, one.resize) == ((80, 60), "demo")


def test_unreadable_pictures_are_named_and_the_run_goes_on(detect, pictures, tmp_path):
    (pictures / "broken.jpg").write_bytes(b"no picture")
    whole = (pictures / "one.png").read_bytes()
    (pictures / "cut.png").write_bytes(whole[: len(whole) // 2])
    Image.fromarray(np.zeros((1100, 2000, 3), np.uint8)).save(pictures / "huge.png")
    code, out, err = detect(pictures, tmp_path / "nowhere.png")
    assert code == 0
    assert "2 pictures looked at, 4 unreadable" in out
    lines = err.splitlines()
    assert len(lines) == 4
    for name, words in {
        "broken.jpg": "cannot read the picture: no kind of picture that is known here",
        "cut.png": "cannot read the picture",
        "huge.png": "2000x1100 px are more than",
        "nowhere.png": "there is no such file",
    }.items():
        assert any(name in line and words in line for line in lines), (name, lines)


def test_nothing_readable_is_exit_2(detect, tmp_path):
    (tmp_path / "broken.jpg").write_bytes(b"")
    code, out, err = detect(tmp_path / "broken.jpg")
    assert code == 2
    assert "0 pictures looked at, 1 unreadable; 0 boxes" in out
    assert err.splitlines()[-1].startswith("scenescore: no picture could be read")
    (tmp_path / "empty").mkdir()
    assert detect(tmp_path / "empty")[0] == 2


def test_json_is_a_document_and_nothing_else(detect, pictures, tmp_path):
    code, out, err = detect(pictures, tmp_path / "nowhere.png", "--json")
    document = json.loads(out)
    assert code == 0
    assert err.count("\n") == 1
    assert document["provider"] == "cpu"
    states = {one["picture"].rsplit("/", 1)[1]: one["state"] for one in document["pictures"]}
    assert states == {"one.png": "detected", "two.BMP": "detected", "nowhere.png": "unreadable"}
    for one in document["pictures"][:2]:
        assert one["n_detections"] == len(read_detections(one["file"]).frames[0].detections)
    assert document["pictures"][2]["reason"] == "there is no such file"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--score-threshold", "1.5"], "scenescore: a score lies in 0..1, not 1.5"),
        (["--max-detections", "0"], "scenescore: max_detections must be a whole number from 1, got 0"),
        (["--threads", "0"], "scenescore: threads must be a whole number from 1, got 0"),
        (["--input-rule", "coco"], "scenescore: argument --input-rule: invalid choice"),
        (["--model", "nowhere"], "scenescore: nowhere: there is no exported model in this folder. Export one with"),
    ],
)
def test_wrong_calls_exit_2_with_one_line(pictures, tiny_grit, capsys, arguments, line):
    assert main(["detect", str(pictures), "--model", str(tiny_grit), *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(line)
    assert shown.err.count("\n") == 1


def test_cuda_is_refused_where_it_is_not(detect, pictures):
    import onnxruntime

    if "CUDAExecutionProvider" in onnxruntime.get_available_providers():
        pytest.skip("this ONNX Runtime has CUDA")
    code, _, err = detect(pictures, "--provider", "cuda")
    assert code == 2
    assert "this ONNX Runtime runs on the CPU only" in err


def test_without_pillow_it_says_what_to_install(detect, pictures, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.delitem(sys.modules, "PIL.Image")
    code, _, err = detect(pictures)
    assert code == 2
    assert "scenescore[images]" in err


def test_s3_pictures_to_s3_detections(weed, folder, detect, pictures):
    for name in ("one.png", "more/two.BMP"):
        storage.write_bytes(f"{folder}/in/{name}", (pictures / name).read_bytes())
    storage.write_bytes(f"{folder}/in/notes.txt", b"no picture")
    code, out, err = detect(f"{folder}/in", output=f"{folder}/out")
    assert (code, err) == (0, "")
    assert "2 pictures looked at" in out
    files = [one.location for one in storage.list_objects(f"{folder}/out/")]
    assert {read_detections(file).source for file in files} == {f"{folder}/in/one.png", f"{folder}/in/more/two.BMP"}
    assert "2 already there and skipped" in detect(f"{folder}/in", output=f"{folder}/out")[1]
    assert "1 already there and skipped" in detect(f"{folder}/in/one.png", output=f"{folder}/out")[1]


def encoded(picture, kind, **options):
    import io

    stream = io.BytesIO()
    picture.save(stream, kind, **options)
    return stream.getvalue()


def test_pictures_of_all_modes_become_rgb():
    grey = Image.fromarray(np.full((4, 6), 77, np.uint8))
    assert (show(encoded(grey, "PNG"), "grey") == 77).all()
    clear = Image.new("RGBA", (6, 4), (1, 2, 3, 0))
    assert show(encoded(clear, "PNG"), "clear")[0, 0].tolist() == [1, 2, 3]
    palette = Image.new("RGB", (6, 4), (255, 0, 0)).quantize(4)
    assert show(encoded(palette, "GIF"), "palette")[0, 0].tolist() == [255, 0, 0]


def test_a_picture_is_turned_as_its_camera_was():
    frame = pixels(4, 4, 6)
    picture = Image.fromarray(frame)
    turned = picture.getexif()
    turned[0x0112] = 6  # the camera lay on its side: show it turned by 90 degrees clockwise
    found = show(encoded(picture, "PNG", exif=turned), "turned")
    assert np.array_equal(found, np.rot90(frame, -1))


def test_a_picture_that_would_fill_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    with pytest.raises(InputError, match="cannot read the picture"):
        show(encoded(Image.new("L", (15, 10)), "PNG"), "bomb.png")
