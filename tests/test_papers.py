"""The papers tell the truth: what they name exists, and what exists is named.

Each check is a function from a text to complaints, so that it can be shown a paper with a mistake in it.
"""

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from fullhouse.cli import main
from fullhouse.config import SETTINGS

ROOT = Path(__file__).parents[1]
IGNORED = [".git", *(line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split())]


def _files() -> Iterator[Path]:
    """Everything that is or will be committed."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not any(fnmatch(name, pattern) for pattern in IGNORED)]
        yield from (Path(folder, name) for name in names)


PAPERS = sorted(path for path in _files() if path.suffix == ".md")
each_paper = pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())

# --- settings

_LIKE_A_SETTING = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_NOT_OURS = {"XDG_DATA_HOME"}


def strange_settings(text: str) -> list[str]:
    """Names that look like a setting and are none."""
    return sorted(set(_LIKE_A_SETTING.findall(text)) - {setting.name for setting in SETTINGS} - _NOT_OURS)


def undocumented_settings(text: str) -> list[str]:
    """Settings without a row of their own, with the right default. `–` stands for none."""
    rows = [f"| `{s.name}` | {f'`{s.default}`' if s.default else '–'} | " for s in SETTINGS]
    return [row for row in rows if text.count(f"\n{row}") != 1]


@each_paper
def test_settings_that_are_named_exist(paper: Path) -> None:
    assert strange_settings(paper.read_text()) == []


def test_every_setting_has_its_row_in_operations() -> None:
    text = (ROOT / "docs/operations.md").read_text()
    assert undocumented_settings(text) == []
    assert undocumented_settings(text.replace("| `FULLHOUSE_PORT` | `8000`", "| `FULLHOUSE_PORT` | `80`"))
    assert undocumented_settings(text.replace("| `SMTP_FROM` |", "| `SMTP_SENDER` |"))
    assert strange_settings("Set `AMPQ_URL` or FULLHOUSE_PORT.") == ["AMPQ_URL"]


# --- the map


def mapped(architecture: str) -> set[str]:
    """The paths in the first drawing of ARCHITECTURE.md: names, then two spaces, then what they are."""
    drawing = architecture.split("```")[1]
    paths: set[str] = set()
    parents: list[str] = []
    for line in filter(None, drawing.splitlines()):
        depth = (len(line) - len(line.lstrip())) // 2
        names = line.strip().split("  ")[0].split()
        parents[depth:] = [names[0]]
        paths |= {"".join(parents[:depth]) + name for name in names}
    return paths


def wrong_in_map(architecture: str) -> list[str]:
    paths = mapped(architecture)
    missing = [path for path in paths if not (ROOT / path).exists() or path.endswith("/") != (ROOT / path).is_dir()]
    house = ROOT / "src/fullhouse"
    rooms = {f"src/fullhouse/{path.parent.relative_to(house)}/" for path in house.glob("*/__init__.py")}
    modules = {f"src/fullhouse/{path.name}" for path in house.glob("[!_]*.py")}
    return sorted(missing) + sorted((rooms | modules) - paths)


def test_the_map_shows_what_is_there() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    assert wrong_in_map(text) == []
    assert wrong_in_map(text.replace("  config.py ", "  confgi.py ")) == [
        "src/fullhouse/confgi.py",
        "src/fullhouse/config.py",
    ]
    assert wrong_in_map(text.replace("  accounts/ ", "  kit/      ")) == ["src/fullhouse/accounts/"]


# --- commands


def _commands(text: str) -> Iterator[str]:
    """Lines of code, in blocks and between backticks."""
    parts = re.split(r"^ *```.*$", text, flags=re.MULTILINE)
    for block in parts[1::2]:
        yield from (line.strip() for line in block.splitlines())
    for prose in parts[::2]:
        yield from re.findall(r"`([^`\n]+)`", prose)


def unknown_targets(text: str) -> list[str]:
    known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = [m[1] for line in _commands(text) if (m := re.match(r"(?:[A-Z]+=\S+ )*make ([a-z]+)", line))]
    return [target for target in named if target not in known]


def unknown_commands(text: str) -> list[str]:
    found = []
    for line in _commands(text):
        if m := re.match(r"(?:\S+=\S+ )*(?:\.venv/bin/)?fullhouse ([a-z].*)", line):
            words = shlex.split(m[1].partition("#")[0])
            verbs = [word for word in words[:2] if not word.startswith("-")]
            flags = {word for word in words if word.startswith("--")}
            about = _help(verbs)
            if about is None or not flags <= set(re.findall(r"--[a-z-]+", about)):
                found.append(line)
    return found


def _help(verbs: list[str]) -> str | None:
    """What the command line says about a command; None if it knows none of that name."""
    with (
        contextlib.redirect_stdout(io.StringIO()) as said,
        contextlib.redirect_stderr(io.StringIO()),
        pytest.raises(SystemExit) as end,
    ):
        main.main([*verbs, "--help"])
    return said.getvalue() if end.value.code == 0 else None


@each_paper
def test_commands_exist(paper: Path) -> None:
    text = paper.read_text()
    assert unknown_targets(text) == []
    assert unknown_commands(text) == []


def test_commands_that_the_program_advises_exist() -> None:
    advice = "\n".join(path.read_text() for path in sorted((ROOT / "src").rglob("*.py")))
    assert unknown_targets(advice) == []
    assert unknown_commands(advice) == []


def test_a_command_that_does_not_exist_is_noticed() -> None:
    text = "Call `make run` or `make rum`.\n```sh\nmake all   # everything\n```\n"
    assert unknown_targets(text) == ["all", "rum"]
    good = ["fullhouse serve --no-worker", "X=1 .venv/bin/fullhouse org create a 'A B'", "fullhouse key"]
    bad = ["fullhouse server", "fullhouse org destroy a", "fullhouse serve --quick"]
    assert unknown_commands("\n".join(f"`{line}`" for line in (*good, *bad))) == bad


# --- links

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def broken_links(text: str, paper: Path) -> list[str]:
    return [link for link in _LINK.findall(text) if ":" not in link and not _resolves(link, paper)]


def _resolves(link: str, paper: Path) -> bool:
    path, _, anchor = link.partition("#")
    target = (paper.parent / path) if path else paper
    if not target.exists():
        return False
    if line := re.fullmatch(r"L(\d+)", anchor):
        return int(line[1]) <= len(target.read_text().splitlines())
    return not anchor or anchor in _anchors(target.read_text())


def _anchors(text: str) -> set[str]:
    """Headings as forges name them in addresses."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_paper
def test_links_lead_somewhere(paper: Path) -> None:
    assert broken_links(paper.read_text(), paper) == []


def test_a_broken_link_is_noticed() -> None:
    text = "[a](README.md) [b](README.md#install-and-start) [c](READYOU.md) [d](README.md#nowhere) [e](https://example.org)"
    text += " [f](Makefile#L1) [g](Makefile#L9999)"
    assert broken_links(text, ROOT / "x.md") == ["READYOU.md", "README.md#nowhere", "Makefile#L9999"]


# --- what a repository must not know

_REGISTRY = re.compile(r"(?:pypi|pythonhosted|npmjs|yarnpkg|crates)\.(?:org|com|io)\b|--(?:extra-)?index-url[ =]h")
_MACHINE = re.compile(rf"(?<![\w./]){re.escape(str(ROOT))}\b/|/(?:home|Users)/(?!ada\b)\w|(?<![\w.])/(?:root)/")


def leaks(text: str, *, lock: bool = False) -> list[str]:
    """Registries' addresses and paths of somebody's machine. `/home/ada` is an example; a lock file has no address."""
    address = re.compile(r"\w+://\S+") if lock else _REGISTRY
    return [match[0] for pattern in (address, _MACHINE) for match in pattern.finditer(text)]


def test_no_file_knows_a_registry_or_a_machine() -> None:
    found: dict[str, list[str]] = {}
    for path in _files():
        with contextlib.suppress(UnicodeDecodeError):
            if wrong := leaks(path.read_text(), lock=path.suffix == ".lock"):
                found[path.relative_to(ROOT).as_posix()] = wrong
    assert found == {}


def test_a_leak_is_noticed() -> None:
    registry = ".".join(("https://pypi", "org"))
    assert leaks(f"see {registry}/project") == [registry.removeprefix("https://")]
    assert leaks("a==1 @ https://example.org/a.whl", lock=True) == ["https://example.org/a.whl"]
    assert leaks(f"cd {ROOT}/src") == [f"{ROOT}/"]
    assert leaks("/".join(("", "Users", "eve", "x")))
