"""Documents to print: a Typst template and its data become a PDF. Our own fonts only: it looks the same anywhere.

Typst runs in this process and reads no file but the template's; the data travels as one JSON text, so that nothing in
it is ever taken for a command.
"""

from pathlib import Path
from typing import Any

import msgspec
import typst

_FONTS = typst.Fonts(
    include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(Path(__file__).with_name("fonts"))]
)


def pdf(template: bytes, data: Any) -> bytes:
    """Takes a few milliseconds: call it in a thread."""
    text = msgspec.json.encode(data).decode().replace("\u202f", "\u00a0")  # our fonts lack the narrow one
    compiler = typst.Compiler(template, font_paths=_FONTS, sys_inputs={"data": text})
    made = compiler.compile(format="pdf")
    assert isinstance(made, bytes)
    return made
