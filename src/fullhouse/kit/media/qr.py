"""A text as a QR code, drawn as SVG. Pure."""

import io

import segno


def render_qr_svg(text: str, *, border: int = 2) -> bytes:
    drawn = io.BytesIO()
    code = segno.make(text, error="m", micro=False, boost_error=False)
    code.save(drawn, kind="svg", border=border, xmldecl=False, svgclass=None, lineclass=None, omitsize=True)
    return drawn.getvalue()
