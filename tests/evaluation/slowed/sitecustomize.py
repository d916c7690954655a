"""Makes an evaluation slow and its saves frequent, in this process and its workers, and notes what is scored."""

import os
import sys
import time

if "SLOWED_LOG" in os.environ and "pip" not in sys.argv[0]:
    from handler.evaluation import _run
    from handler.reports import _parts

    _parts.SAVE_EVERY_S = 0.1
    _run.CHUNK = 10
    settle = _run.Evaluation._settle

    def slowly(self, chunk, *, writer, after):
        settle(self, chunk, writer=writer, after=None)
        with open(os.environ["SLOWED_LOG"], "a") as log:
            log.write("".join(f"{sample.index}\n" for sample in chunk.samples))
        time.sleep(0.03)
        after()

    _run.Evaluation._settle = slowly
