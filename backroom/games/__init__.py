"""The games of the house, one folder each; a folder put here is in the registry, and so are those of other packages."""

from backroom.engine.registry import register_folder, register_installed

register_folder(__name__, __path__)
register_installed()
