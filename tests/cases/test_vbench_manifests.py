"""VBench's own prompts as a manifest."""

from __future__ import annotations

import json

from handler.formats import Notices, ReadOptions, open_records


def test_every_prompt_of_vbench_is_understood(cases, tmp_path):
    rows = json.loads((cases / "10-vbench/full-info-subset/VBench_full_info_subset.json").read_text())
    path = tmp_path / "info.json"
    path.write_text(json.dumps([{**row, "video_list": [f"{row['prompt_en']}-0.mp4"]} for row in rows]))
    found = list(open_records(str(path), ReadOptions(), Notices()))
    assert len(found) == 72
    asks = {
        "color": "color",
        "object_class": "object",
        "multiple_objects": "object",
        "spatial_relationship": "object_a",
    }
    for one in found:
        assert getattr(one, asks[one.dimensions[0]]), one.prompt
