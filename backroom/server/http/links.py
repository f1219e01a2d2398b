"""Links: compression of text for addresses, and QR codes."""

import base64
import binascii
import zlib

import segno
from markupsafe import Markup

from backroom.server.errors import Refused

PACKED = "~"
"""The first character of packed text."""
PLAIN = 60
"""Simple texts up to this length are not packed."""
MOST = 64 * 1024
"""The longest text that is unpacked."""


def packed(text: str) -> str:
    """A text in a form short enough for an address."""
    if len(text) <= PLAIN and text.replace("-", "").isalnum() and text.isascii():
        return text
    return PACKED + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpacked(text: str) -> str:
    """The text of a packed form; Refused if it is not valid."""
    if not text.startswith(PACKED):
        return text
    try:
        packed = base64.urlsafe_b64decode(text[1:] + "=" * (-len(text[1:]) % 4))
        reader = zlib.decompressobj()
        found = reader.decompress(packed, MOST)
        if not reader.eof:
            raise ValueError
        return found.decode()
    except (binascii.Error, zlib.error, ValueError):
        raise Refused("this link is damaged: not all of it has arrived", 422, "unreadable") from None


def qr(address: str) -> Markup:
    """An address as a QR code: SVG to put into a page, dark on light in every theme."""
    return Markup(segno.make_qr(address, error="m").svg_inline(border=2, dark="#000", light="#fff", omitsize=True))
