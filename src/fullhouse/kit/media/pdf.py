"""Documents to print: compiles a Typst template and its data to a PDF. Bundled fonts only: it looks the same anywhere.

Typst runs in this process and reads no file but the template; the data is passed as one JSON text, so that nothing in
it is ever interpreted as a command.
"""

from pathlib import Path
from typing import Any

import msgspec
import typst

_FONTS = typst.Fonts(
    include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(Path(__file__).with_name("fonts"))]
)


def render_pdf(template: bytes, data: Any) -> bytes:
    """Takes a few milliseconds: call it in a thread."""
    text = msgspec.json.encode(data).decode().replace("\u202f", "\u00a0")  # our fonts lack the narrow no-break space
    compiler = typst.Compiler(template, font_paths=_FONTS, sys_inputs={"data": text})
    document = compiler.compile(format="pdf")
    assert isinstance(document, bytes)
    return document
