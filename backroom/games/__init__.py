"""The games of the house, one folder each; a folder put here is in the registry."""

from backroom.engine.registry import register_folder

register_folder(__name__, __path__)
