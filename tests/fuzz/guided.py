"""`python -m tests.fuzz.guided [-max_total_time=60] [CORPUS]`: annotation readers led by coverage, with atheris (libFuzzer).

Needs `pip install atheris` (Linux). It starts from the whole files of the other fuzzer and
stops at the first exception without a name, leaving the input as crash-… in the current directory.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["handler.formats"]):
    importlib.import_module("handler.formats")

from handler.errors import ScenescoreError
from handler.evaluation._inputs import find_files, read_files
from handler.formats import Notices, ReadOptions, plan_of
from tests.faults.local import fast_folder
from tests.fuzz.seeds import seeds
from tests.fuzz.watch import check_refusal

SLOWEST_S = 5


def main() -> None:
    """Fuzz until libFuzzer stops."""
    with tempfile.TemporaryDirectory(dir=fast_folder()) as folder:
        path, corpus = Path(folder, "input"), Path(folder, "corpus")
        corpus.mkdir()
        for number, data in enumerate(data for seed in seeds() for data in seed.files.values()):
            (corpus / str(number)).write_bytes(data[:2000])

        def read(data: bytes) -> None:
            path.write_bytes(data)
            options = ReadOptions(on_missing="skip" if data[:1] == b"{" else "error")
            try:
                plan = plan_of([str(path)], options)
                for _ in read_files(tuple(find_files(str(path))), options, Notices(), plan):
                    pass
            except ScenescoreError as error:
                check_refusal(error)

        atheris.Setup([sys.argv[0], f"-timeout={SLOWEST_S}", "-max_len=4000", *sys.argv[1:], str(corpus)], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
