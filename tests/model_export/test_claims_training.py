"""How the judge is trained: parts by image, pairs made by rule, tables with the same bytes."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from handler.claims import LAYERS
from handler.claims._tables import CARD, load_tables, read_card
from handler.claims._trees import Model, Trees, log_odds
from handler.errors import InputError
from model_export.claims.encoding import Encodings
from model_export.claims.figures import edited_words
from model_export.claims.pairs import Triplet, part_of, read_sugarcrepe, sugarcrepe_pairs
from model_export.claims.rule_pairs import caption_pairs, context_pairs
from model_export.claims.tables import write_tables
from model_export.claims.templates import template_pairs

CAPTIONS = [
    (
        "A man in a red coat walks two dogs.",
        "Two dogs are walked by a man wearing a red coat.",
        "A man in a red coat walks two cats.",
    ),
    ("A woman holds an open umbrella.", "An open umbrella is held by a woman.", "A woman holds a closed umbrella."),
    (
        "Three boats lie left of the bridge.",
        "To the left of the bridge are three boats.",
        "Three boats lie right of the bridge.",
    ),
    ("A cat is sleeping on the sofa.", "On the couch a cat is asleep.", "A cat is sleeping under the sofa."),
]


@pytest.fixture(scope="module")
def triplets():
    """Four captions under names of images until every one is of the train part."""
    names = iter(name for name in (f"{number:012}.jpg" for number in range(100)) if part_of(name) == "train")
    return [Triplet(next(names), "replace_att", *texts) for texts in CAPTIONS]


def test_parts_are_by_image_and_close_to_seven_one_two():
    parts = [part_of(f"{number:012}.jpg") for number in range(20_000)]
    shares = [parts.count(part) / len(parts) for part in ("train", "dev", "test")]
    assert shares == pytest.approx([0.7, 0.1, 0.2], abs=0.015)


def test_four_pairs_a_triplet_each_once(triplets):
    pairs = list(sugarcrepe_pairs([*triplets, triplets[0]], "train"))
    assert len(pairs) == 4 * len(triplets)
    assert {(pair.reference, pair.answer): pair.contradicts for pair in pairs[:4]} == {
        CAPTIONS[0][:2]: False,
        (CAPTIONS[0][0], CAPTIONS[0][2]): True,
        (CAPTIONS[0][1], CAPTIONS[0][2]): True,
        (CAPTIONS[0][1], CAPTIONS[0][0]): False,
    }
    assert list(sugarcrepe_pairs(triplets, "test")) == []


def test_files_are_found_by_either_name_and_a_missing_one_is_named(tmp_path):
    row = {"filename": "1.jpg", "caption": " A cat. ", "caption2": "One cat.", "negative_caption": "A dog."}
    for number, kind in enumerate(("replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj")):
        (tmp_path / f"{'scpp_' * (number % 2)}{kind}.json").write_text(json.dumps([row]))
    assert read_sugarcrepe(tmp_path)[1] == Triplet("1.jpg", "replace_obj", "A cat.", "One cat.", "A dog.")
    (tmp_path / "swap_obj.json").unlink()
    with pytest.raises(InputError, match=r"swap_obj\.json"):
        read_sugarcrepe(tmp_path)


def test_pairs_by_rule_are_repeatable_and_have_both_labels(triplets):
    pairs = list(caption_pairs(triplets, "train"))
    assert pairs == list(caption_pairs(triplets, "train"))
    assert {pair.contradicts for pair in pairs} == {True, False}
    assert {pair.group for pair in pairs} <= {one.image for one in triplets}
    assert list(caption_pairs(triplets, "test")) == []
    assert all(pair.answer != pair.reference for pair in pairs)


def test_a_sentence_in_context_is_labelled_by_itself(triplets):
    wrong = {negative.rstrip(".") for _, _, negative in CAPTIONS}
    for pair in list(context_pairs(triplets, "train"))[:60]:
        sentences = [text.rstrip(".") for text in re.split(r"(?<=\.) ", pair.answer)]
        assert len(sentences) == 3
        assert pair.contradicts == (sentences[pair.sentence] in wrong)


def test_templates_are_half_and_half_and_repeatable():
    pairs = list(template_pairs())
    assert pairs == list(template_pairs())
    assert 0.45 < np.mean([pair.contradicts for pair in pairs]) < 0.55
    assert {pair.kind for pair in pairs} == {"role", "direction"}


def test_the_edited_word_is_where_the_texts_differ():
    text, other = "A man walks two dogs.", "A man walks two cats."
    assert [text[start:end] for start, end in edited_words(text, other)] == ["dogs"]
    assert [text[start:end] for start, end in edited_words("The door is open.", "The door is not open.")]


def test_encodings_are_kept_and_a_stopped_run_goes_on(encoder, tmp_path):
    texts = ["A red car.", "Zwei Hunde 🐕 schlafen.", "A man sits."]
    Encodings(encoder, tmp_path, layers=LAYERS).add(texts[:2])
    again = Encodings(encoder, tmp_path, layers=LAYERS)
    again.add(texts)
    direct = encoder.read(
        texts, LAYERS, lambda _, tokens: (tokens.spans, {n: v.copy() for n, v in tokens.layers.items()})
    )
    for text in texts:
        spans, layers = direct[text][1]
        assert again[text].spans == spans
        assert all(np.array_equal(again[text].layers[number], layers[number]) for number in LAYERS)


def test_the_same_tables_give_the_same_bytes(tmp_path):
    trees = Trees(
        roots=np.array([0], np.int32),
        feature=np.array([2, 0, 0], np.int32),
        limit=np.array([0.5, 0, 0]),
        children=np.array([1, 2, 1, 1, 2, 2], np.int32),
        value=np.array([0, -1.0, 1.0]),
        base=0.5,
        depth=1,
    )
    means = {layer: np.full(768, layer, np.float32) for layer in LAYERS}
    for name in ("a.npz", "b.npz"):
        model = Model(trees, np.array([0.0, 1.0, 2.0]), 0.25)
        write_tables(tmp_path / name, means=means, rarity={"dog": 40, "avocet": 255}, model=model)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert log_odds(model, np.array([[9.0, 1.0, 0.5]])) == pytest.approx([0.7 * (0.5 - 1.0) + 0.3 * 2.25])


def test_what_ships_fits_together():
    from handler.claims._features import FEATURES

    tables = load_tables()
    assert tables.features == FEATURES
    assert len(tables.model.weights) == len(FEATURES)
    assert int(tables.model.trees.feature.max()) < len(FEATURES)
    assert CARD.with_name("judge.npz").stat().st_size < 200_000
    assert tables.rarity["dog"] < tables.rarity["avocado"] <= 1.0
    card = read_card()
    assert 0.5 < card["threshold"] < 1.0
    assert {one["licence"].split(",")[0] for one in card["data"]} <= {"CC BY 4.0", "Apache-2.0", "WordNet licence"}
    notice = CARD.with_name("NOTICE").read_text()
    assert all(name in notice for name in ("SugarCrepe++", "COCO", "CC BY 4.0"))


def test_the_figures_are_printed_and_recorded(model, encoder, tmp_path, capsys, monkeypatch):
    from model_export.claims import evaluate

    row = {"id": "1", "kind": "colour", "reference": "A red car waits.", "paraphrase": "A crimson car is waiting."}
    row |= {"contradiction": "A blue car waits.", "contradiction_reworded": "A blue automobile is waiting."}
    rows = [row, row | {"id": "2"}, row | {"id": "3"}]
    (tmp_path / "triplets.jsonl").write_text("\n".join(json.dumps(one) for one in rows))
    card = tmp_path / "card.json"
    card.write_text('{"figures": {"dev": {"auc": 1.0}}}')
    monkeypatch.setattr(evaluate, "CARD", card)
    options = ["--model", str(model), "--triplets", str(tmp_path / "triplets.jsonl"), "--cache", str(tmp_path / "kept")]
    assert evaluate.main([*options, "--record"]) == 0
    printed = capsys.readouterr().out
    assert "AUC, minimal edits                           1.000" in printed
    figures = json.loads(card.read_text())["figures"]
    assert figures["triplets"]["first claim names the edited word"] == 1.0
    assert figures["dev"] == {"auc": 1.0}
    assert evaluate.main([*options[:2], "--sugarcrepe", str(tmp_path), "--cache", str(tmp_path / "kept")]) == 2
    assert "replace_att.json" in capsys.readouterr().err
