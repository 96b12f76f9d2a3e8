"""Keeps src/fullhouse/db/checksums.txt true: what each migration was when it was released (its comments do not count).

python scripts/checksums.py           exits 1 if a migration is not listed, or is not what the list says
python scripts/checksums.py --write   adds new ones; a listed one is never listed anew
"""

import sys
from pathlib import Path

from fullhouse.kit.db.migrate import CHECKSUMS, FOLDER, found, listed


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    page = folder / CHECKSUMS
    there = {m.name: m.checksum for m in found(folder)}
    before = dict(listed(page))
    changed = [name for name in there if before.get(name, there[name]) != there[name]]
    if changed:
        print(f"{', '.join(changed)}: changed after release. Restore it, and write a new migration.")
        return 1
    if "--write" in arguments:
        page.write_text("".join(f"{checksum}  {name}\n" for name, checksum in there.items()))
    elif before != there:
        print(f"{page.name} is out of date: run `make schema`.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
