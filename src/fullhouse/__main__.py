import sys

from fullhouse.cli import main

sys.exit(main())
