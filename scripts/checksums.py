"""Checks or writes src/fullhouse/db/checksums.txt: the checksum of each released migration, without its comments.

python scripts/checksums.py           exits 1 if a migration is not listed, or has another checksum
python scripts/checksums.py --write   adds new migrations; a listed checksum is never replaced
"""

import sys
from pathlib import Path

from fullhouse.kit.db.migrate import CHECKSUMS, FOLDER, read_checksums, read_migrations


def main(arguments: list[str], folder: Path = FOLDER) -> int:
    page = folder / CHECKSUMS
    there = {m.name: m.checksum for m in read_migrations(folder)}
    before = dict(read_checksums(page))
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
