"""Links: text that would be too long in an address is packed, and an address as a code to scan."""

import base64
import binascii
import zlib

import segno
from markupsafe import Markup

from backroom.server.errors import Refused

PACKED = "~"
"""What packed text begins with."""
PLAIN = 60
"""Texts up to this length stay readable."""
MOST = 64 * 1024
"""No packed text is longer."""


def packed(text: str) -> str:
    """A text as it can stand in an address."""
    if len(text) <= PLAIN and text.replace("-", "").isalnum() and text.isascii():
        return text
    return PACKED + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpacked(text: str) -> str:
    """The same, read back; Refused if that is no text."""
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
