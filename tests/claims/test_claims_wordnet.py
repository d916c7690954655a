"""The lexicon: built from WordNet's files, byte for byte the same again, and looked up at run time."""

import io
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import numpy as np
import pytest

from handler.claims._lexicon import relation_of_forms
from handler.claims._slot_types import Relation
from handler.claims._wordnet import lexicon, readings
from handler.errors import InputError
from model_export.claims.lexicon import build_lexicon, main, write_lexicon
from model_export.claims.wordnet_files import read_wordnet

ROOT = Path(__file__).parents[2]
NOTICE = "  1 This software is free.  \n  2 Copyright 2006 by Nobody.  \n"
FILES = {
    "data.noun": NOTICE
    + "00000100 05 n 01 animal 0 001 ~ 00000200 n 0000 | a living thing  \n"
    + "00000200 05 n 02 dog 0 domestic_dog 0 001 @ 00000100 n 0000 | it barks  \n"
    + "00000300 18 n 01 Rex 0 001 @i 00000200 n 0000 | one dog  \n"
    + "00000400 04 n 01 run 0 001 + 00000500 v 0101 | a run  \n",
    "data.verb": NOTICE + "00000500 38 v 01 run 0 001 + 00000400 n 0101 01 + 02 00 | move fast  \n",
    "data.adj": NOTICE
    + "00000600 00 a 01 wet 0 002 ! 00000700 a 0101 & 00000800 a 0000 | with water  \n"
    + "00000700 00 a 01 dry 0 001 ! 00000600 a 0101 | without water  \n"
    + "00000800 00 s 01 damp(p) 0 001 & 00000600 a 0000 | a little wet  \n",
    "data.adv": NOTICE,
    "index.noun": "animal n 1 1 ~ 1 1 00000100  \ndog n 1 1 @ 1 1 00000200  \ndomestic_dog n 1 1 @ 1 0 00000200  \n"
    "rex n 1 1 @i 1 0 00000300  \nrun n 1 1 + 1 0 00000400  \n",
    "index.verb": "run v 1 1 + 1 1 00000500  \n",
    "index.adj": "damp a 1 1 & 1 0 00000800  \ndry a 1 1 ! 1 1 00000700  \nwet a 1 2 ! & 1 1 00000600  \n",
    "index.adv": "",
    "noun.exc": "dogges dog\nmen man\n",
    "verb.exc": "ran run\n",
    "adj.exc": "",
    "adv.exc": "",
    "cntlist.rev": "dog%1:05:00:: 1 42\nrun%2:38:00:: 1 7\nrun%2:38:04:: 2 5\nwet%3:00:00:: 1 9\ndamp%5:00:00:wet:00 1 2\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "latin-1")
    return tmp_path


def words(arrays: dict, name: str) -> list[str]:
    return arrays[name].tobytes().decode().split("\n")


def test_words_are_kept_and_phrases_and_names_are_not(folder):
    arrays = build_lexicon(read_wordnet(folder))
    assert words(arrays, "words") == ["animal", "damp", "dog", "dry", "run", "wet"]
    assert arrays["n_entries"].tolist() == [1, 1, 1, 1, 2, 1]
    assert arrays["pos"].tolist() == [0, 2, 0, 2, 0, 1, 2]  # run: noun, then verb
    assert arrays["count"].tolist() == [0, 2, 42, 0, 0, 12, 9]
    assert words(arrays, "irregular") == ["dogges", "ran"]  # men: of a word that is not here
    assert arrays["irregular_entry"].tolist() == [2, 5]


def test_relations_are_kept_between_words_and_between_senses(folder):
    arrays = build_lexicon(read_wordnet(folder))
    assert arrays["n_antonyms"].tolist() == [0, 0, 0, 1, 0, 0, 1]
    assert arrays["antonyms"].tolist() == [6, 3]  # dry: wet; wet: dry
    assert arrays["n_derived"].tolist() == [0, 0, 0, 0, 1, 1, 0]
    assert arrays["derived"].tolist() == [5, 4]
    assert arrays["field"].tolist() == [5, 5, 4, 38, 0, 0, 0]  # animal, dog, run, run, wet, dry, damp
    assert arrays["n_hypernyms"].tolist() == [0, 1, 0, 0, 0, 0, 0]
    assert arrays["hypernyms"].tolist() == [0]
    assert arrays["similar"].tolist() == [6, 4]


def test_the_same_files_give_the_same_bytes(folder, tmp_path, capsys):
    outputs = [tmp_path / "a" / "lexicon.npz", tmp_path / "b" / "lexicon.npz"]
    for output in outputs:
        assert main(["--wordnet", str(folder), "--output", str(output)]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    assert capsys.readouterr().out.splitlines() == [str(output) for output in outputs]
    notice = (tmp_path / "a" / "WORDNET-LICENSE.txt").read_text("utf-8")
    assert "This software is free.\nCopyright 2006 by Nobody.\n" in notice
    assert "Princeton University" in notice


def test_a_debian_package_holds_the_same(folder, tmp_path):
    package = tmp_path / "wordnet-base.deb"
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:xz") as tar:
        for name in FILES:
            tar.add(folder / name, f"./usr/share/wordnet/{name}")
    members = [("debian-binary", b"2.0\n"), ("data.tar.xz", content.getvalue())]
    package.write_bytes(
        b"!<arch>\n"
        + b"".join(
            f"{name:<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
            for name, data in members
        )
    )
    write_lexicon(read_wordnet(package), tmp_path / "package" / "lexicon.npz")
    write_lexicon(read_wordnet(folder), tmp_path / "folder" / "lexicon.npz")
    assert (tmp_path / "package" / "lexicon.npz").read_bytes() == (tmp_path / "folder" / "lexicon.npz").read_bytes()


def test_what_is_missing_is_named(folder, tmp_path, capsys):
    (folder / "cntlist.rev").unlink()
    assert main(["--wordnet", str(folder), "--output", str(tmp_path / "out.npz")]) == 2
    assert "cntlist.rev" in capsys.readouterr().err
    (tmp_path / "no.deb").write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match="Debian package"):
        read_wordnet(tmp_path / "no.deb")


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("men", {"n": "man"}),
        ("stopped", {"v": "stop", "a": "stopped"}),
        ("bigger", {"a": "big"}),
        ("glasses", {"n": "glass", "v": "glass"}),
        ("flies", {"n": "fly", "v": "fly"}),
        ("boxes", {"n": "box", "v": "box"}),
        ("customer", {"n": "customer"}),  # no comparative of "custom"
        ("qwrtz", {}),
        ("狗", {}),
    ],
)
def test_base_forms(form, expected):
    assert {one.pos: one.lemma for one in readings(form)} == expected


@pytest.mark.parametrize(
    ("word", "other", "expected", "turned"),
    [
        ("man", "men", Relation.SAME, Relation.SAME),
        ("sofa", "couch", Relation.SYNONYM, Relation.SYNONYM),
        ("truck", "lorry", Relation.SYNONYM, Relation.SYNONYM),
        ("dog", "animal", Relation.BROADER, Relation.NARROWER),
        ("arrival", "arrive", Relation.DERIVED, Relation.DERIVED),
        ("wet", "dry", Relation.OPPOSITE, Relation.OPPOSITE),
        ("wet", "arid", Relation.OPPOSITE, Relation.OPPOSITE),
        ("opens", "closed", Relation.OPPOSITE, Relation.OPPOSITE),
        ("boy", "girl", Relation.OPPOSITE, Relation.OPPOSITE),
        ("guitar", "violin", Relation.SIBLING, Relation.SIBLING),
        ("knife", "telephone", Relation.NONE, Relation.NONE),
        ("狗", "dog", Relation.NONE, Relation.NONE),
    ],
)
def test_relations_of_words(word, other, expected, turned):
    assert relation_of_forms(word, other) is expected
    assert relation_of_forms(other, word) is turned


def test_the_lexicon_that_ships_is_whole():
    lists = lexicon()
    assert 70_000 < len(lists.words) < 90_000
    assert lists.words == sorted(lists.words)
    assert lists.first_entry[-1] == len(lists.pos) == len(lists.count)
    assert max(lists.senses.values) < len(lists.field)
    assert len(lists.hypernyms.starts) == len(lists.field) + 1
    assert max(np.diff(np.asarray(lists.senses.starts))) <= 4
    notice = (ROOT / "handler/claims/data/WORDNET-LICENSE.txt").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in notice


MEASURE = """
import resource, time, numpy
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
from handler.claims._analysis import analyse
analyse("A man walks.")
print(time.process_time() - start, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_the_first_use_is_quick_and_small():
    done = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True, cwd=ROOT)
    seconds, mebibytes = map(float, done.stdout.split())
    assert seconds < 1.0  # 0.1 s on a quiet core
    assert mebibytes < 60


def test_looking_up_is_cheap_even_when_nothing_is_remembered():
    forms = lexicon().words[::100]
    readings.cache_clear()
    start = time.process_time()
    for form in forms:
        readings(form)
    assert (time.process_time() - start) / len(forms) < 1e-3  # some 10 µs
