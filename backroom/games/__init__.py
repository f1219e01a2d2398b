"""The games, one folder each. Every folder here is registered, and so are the games of other installed packages."""

from backroom.engine.registry import register_folder, register_installed

register_folder(__name__, __path__)
register_installed()
