import sys

from fullhouse.cli.main import main

sys.exit(main())
