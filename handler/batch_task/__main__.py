"""`python -m handler.batch_task`."""

import sys

from handler.batch_task import main

sys.exit(main())
