"""Question sets: the choice of absent objects, counted by hand, and the way from a set to a score."""

from __future__ import annotations

import json

import pytest

from handler import evaluate
from handler.cli import main
from handler.errors import InputError, RequestError
from handler.questions import Picture, co_occurrence, pope_questions, read_pictures, read_sequences, sequence_questions

PICTURES = [
    Picture("p1", ("person", "dog", "ball")),
    Picture("p2", ("person", "dog", "frisbee")),
    Picture("p3", ("person", "car", "bus")),
    Picture("p4", ("cat", "sofa", "person")),
    Picture("p5", ("dog", "car", "tree")),
]
TABLE = """sequence_id,object,image,identity,colour,text,size
s1,shirt,a.jpg,1,blue,PARIS,large
s1,shirt,b.jpg,2,red,,small
s1,shirt,c.jpg,1,blue,PARIS,large
s2,cup,d.jpg,1,white,,
s2,cup,e.jpg,1,white,,
"""


def absent(questions):
    """{picture: [objects asked about that are not there]}."""
    found: dict[str, list[str]] = {}
    for one in questions:
        if one["label"] == "no":
            found.setdefault(one["image"], []).append(one["object"])
    return found


def test_popular_objects_are_the_most_frequent_ones_that_are_not_there():
    """Frequencies by hand: person 4, dog 3, car 2, all others 1, in alphabetical order."""
    assert absent(pope_questions(PICTURES, "popular")) == {
        "p1": ["car", "bus", "cat"],
        "p2": ["car", "ball", "bus"],
        "p3": ["dog", "ball", "cat"],
        "p4": ["dog", "car", "ball"],
        "p5": ["person", "ball", "bus"],
    }


def test_adversarial_objects_are_those_seen_most_with_the_one_asked_about():
    counts = co_occurrence(PICTURES)
    assert counts["person"] == {"dog": 2, "ball": 1, "frisbee": 1, "car": 1, "bus": 1, "cat": 1, "sofa": 1}
    assert counts["car"] == {"person": 1, "bus": 1, "dog": 1, "tree": 1}
    found = absent(pope_questions(PICTURES, "adversarial"))
    # ball, frisbee, bus, tree are only seen with objects that are there: then any absent object may come.
    assert found["p1"][:2] == ["bus", "car"]
    assert found["p2"][:2] == ["ball", "car"]
    assert found["p3"][:2] == ["dog", "tree"]
    assert found["p5"][:2] == ["person", "bus"]


def test_every_adversarial_choice_has_the_highest_count_of_those_left():
    pictures = [
        Picture(f"{n}", tuple(dict.fromkeys(f"o{(n * n * k + k * k) % 13}" for k in range(1, 8)))) for n in range(40)
    ]
    counts = co_occurrence(pictures)
    objects = {one.image: one.objects for one in pictures}
    questions = pope_questions(pictures, "adversarial", per_image=2)
    used: dict[str, set[str]] = {}
    for present, other in zip(questions[::2], questions[1::2], strict=True):
        seen = used.setdefault(present["image"], set())
        left = {
            name: n
            for name, n in counts[present["object"]].items()
            if name not in objects[present["image"]] and name not in seen
        }
        if left:
            assert left[other["object"]] == max(left.values())
        seen.add(other["object"])


@pytest.mark.parametrize("sampling", ["random", "popular", "adversarial"])
def test_a_set_is_half_yes_and_never_asks_twice(sampling):
    questions = pope_questions(PICTURES, sampling, seed=3)
    assert len(questions) == 30
    assert [one["label"] for one in questions] == ["yes", "no"] * 15
    assert len({(one["image"], one["object"]) for one in questions}) == 30
    objects = {one.image: one.objects for one in PICTURES}
    for one in questions:
        assert (one["object"] in objects[one["image"]]) == (one["label"] == "yes")


def test_one_seed_gives_one_set_and_the_same_pictures_for_all_samplings():
    sets = [pope_questions(PICTURES, sampling, n_images=3, seed=7) for sampling in ("random", "popular", "adversarial")]
    assert len({tuple(sorted({one["image"] for one in questions})) for questions in sets}) == 1
    assert pope_questions(PICTURES, "random", seed=7) == pope_questions(PICTURES, "random", seed=7)
    assert pope_questions(PICTURES, "random", seed=7) != pope_questions(PICTURES, "random", seed=8)


def test_the_article_changes_before_a_vowel_and_nothing_else_does():
    """POPE's own script turns "image" into "imange"."""
    pictures = [Picture("p", ("apple", "cat")), Picture("q", ("dog", "egg"))]
    texts = [one["text"] for one in pope_questions(pictures, "popular", per_image=2)]
    assert texts[0] == "Is there an apple in the image?"
    assert texts[2] == "Is there a cat in the image?"


def test_too_few_pictures_are_refused():
    with pytest.raises(RequestError, match="with at least 4 objects"):
        pope_questions(PICTURES, "random", per_image=4)
    with pytest.raises(RequestError, match="nearly every object"):
        pope_questions([Picture("p", ("a", "b"))], "random", per_image=1)


def test_thirty_questions_by_hand_from_coco_instances_to_the_score(tmp_path, capsys):
    """A model that sees persons, dogs and cars everywhere, and nothing else."""
    names = sorted({name for one in PICTURES for name in one.objects})
    coco = {
        "images": [{"id": n, "file_name": one.image} for n, one in enumerate(PICTURES)],
        "annotations": [
            {"image_id": n, "category_id": names.index(name), "segmentation": [[1, 2]], "bbox": [0, 0, 1, 1]}
            for n, one in enumerate(PICTURES)
            for name in (*one.objects, one.objects[0])
        ],
        "categories": [{"id": n, "name": name} for n, name in enumerate(names)],
    }
    source = tmp_path / "instances.json"
    source.write_text(json.dumps(coco))
    assert read_pictures(str(source)) == PICTURES
    assert main(["questions", "pope", str(source), "--name", "coco", "--output", str(tmp_path)]) == 0
    assert "coco_pope_adversarial.json: 30 questions about 5 pictures" in capsys.readouterr().out
    questions = [json.loads(line) for line in (tmp_path / "coco_pope_popular.json").read_text().splitlines()]
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps(
                {
                    "question_id": one["question_id"],
                    "answer": "Yes" if one["object"] in ("person", "dog", "car") else "No",
                }
            )
            + "\n"
            for one in questions
        )
    )
    code = main(
        [
            "evaluate",
            str(answers),
            "--questions",
            str(tmp_path / "coco_pope_popular.json"),
            "--output",
            str(tmp_path / "o"),
        ]
    )
    assert code == 0
    assert "coco_pope_popular / unknown" in capsys.readouterr().out
    overall = evaluate(answers, questions=tmp_path / "coco_pope_popular.json")["metrics"]["pope"]["overall"]
    # There: 4 persons, 3 dogs, 2 cars of 15. Absent: car, car, dog, dog, car, person of 15 (see the popular set above).
    assert (overall["tp"], overall["fn"], overall["fp"], overall["tn"]) == (9, 6, 6, 9)
    ratios = {name: overall[name] for name in ("accuracy", "precision", "recall", "f1", "yes_ratio", "label_yes_ratio")}
    assert ratios == pytest.approx(
        {"accuracy": 0.6, "precision": 0.6, "recall": 0.6, "f1": 0.6, "yes_ratio": 0.5, "label_yes_ratio": 0.5}
    )


def test_object_lists_are_read_from_lines_and_tables(tmp_path):
    lines = tmp_path / "objects.jsonl"
    lines.write_text("".join(json.dumps({"image": one.image, "objects": one.objects}) + "\n" for one in PICTURES))
    table = tmp_path / "objects.csv"
    table.write_text("image,objects\n" + "".join(f'{one.image},"{", ".join(one.objects)}"\n' for one in PICTURES))
    assert read_pictures(str(lines)) == read_pictures(str(table)) == PICTURES
    lines.write_text('{"image": "a", "objects": 3}\n{"image": "b", "objects": []}\n')
    with pytest.raises(InputError, match="not a list of names") as caught:
        read_pictures(str(lines))
    assert caught.value.line == 1


def test_a_table_of_attributes_becomes_gated_sequences(tmp_path, capsys):
    table = tmp_path / "shirts.csv"
    table.write_text(TABLE)
    assert main(["questions", "sequences", str(table), "--output", str(tmp_path)]) == 0
    assert "2 sequences" in capsys.readouterr().out
    path = tmp_path / "shirts_sequences.jsonl"
    first, second = [json.loads(line) for line in path.read_text().splitlines()]
    assert first["coarse"] == {
        "question": "How many different shirts are in these images?",
        "type": "count",
        "answer": "2",
    }
    asked = {(one["question"], one["answer"]) for one in first["fine"]}
    assert ("Is the shirt in the first image blue?", "yes") in asked
    assert ("Is the shirt in the second image blue?", "no") in asked
    assert ("Does the shirt in the third image carry the text PARIS?", "yes") in asked
    assert ("Is the size of the shirt in the second image small?", "yes") in asked
    assert ("Do the first and the second image show the same shirt?", "no") in asked
    assert (
        len(first["fine"]) == 3 * 2 + 2 + 3 * 2 + 2
    )  # colours, texts (one value only: no other to ask about), sizes, pairs
    # No other colour of a cup: another sequence's serves.
    assert {one["answer"] for one in second["fine"] if one["attribute"] == "colour"} == {"yes", "no"}
    answers = tmp_path / "answers.jsonl"
    answers.write_text(
        "".join(
            json.dumps({"sequence_id": one["sequence_id"], "coarse": "2", "fine": ["Yes"] * len(one["fine"])}) + "\n"
            for one in (first, second)
        )
    )
    overall = evaluate(answers, questions=path)["metrics"]["vlm2bench.hallucination"]["overall"]
    share = sum(one["answer"] == "yes" for one in first["fine"]) / len(first["fine"])
    assert overall["score_sum"] == pytest.approx(share)
    assert (overall["n_gated_out"], overall["n_sequences"]) == (1, 2)


def test_templates_of_ones_own(tmp_path):
    table = tmp_path / "shirts.csv"
    table.write_text(TABLE)
    sequences = read_sequences(str(table))
    (first, *_), _ = (one["fine"] for one in sequences_of(sequences, {"colour": "Is {object} {place} {value}?"}))
    assert first["question"] == "Is shirt first blue?"
    with pytest.raises(RequestError, match="cannot be filled in"):
        sequences_of(sequences, {"colour": "Is it {shade}?"})


def sequences_of(sequences, templates):
    return list(sequence_questions(sequences, templates=templates))


def coco(images, annotations):
    return json.dumps({"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "dog"}]})


def test_two_pictures_of_one_name_are_refused_and_one_that_comes_twice_counts_once(tmp_path):
    source = tmp_path / "instances.json"
    images = [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "a.jpg"}]
    source.write_text(coco(images, [{"image_id": 1, "category_id": 1}]))
    with pytest.raises(InputError, match=r"two pictures are called 'a\.jpg'"):
        read_pictures(str(source))
    source.write_text(coco([images[0], images[0]], [{"image_id": 1, "category_id": 1}]))
    assert read_pictures(str(source)) == [Picture("a.jpg", ("dog",))]


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("sequences", "sequence_id,object,image\n", "there are no rows in this table"),
        ("sequences", "[]", "there are no rows in this table"),
        ("pope", "[]", "there are no pictures in this file"),
        ("pope", coco([{"id": 1, "file_name": "a.jpg"}], []), "there are no annotations in this document: the list is"),
    ],
)
def test_a_source_with_nothing_in_it_is_one_line_and_exit_2(tmp_path, capsys, kind, text, words):
    source = tmp_path / "source"
    source.write_text(text)
    assert main(["questions", kind, str(source), "--output", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert not (tmp_path / "out").exists()
