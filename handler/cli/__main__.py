"""`python -m handler.cli`."""

import sys

from handler.cli import main

sys.exit(main())
