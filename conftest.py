"""How all tests run: the same examples every time, however slow the machine."""

from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

collect_ignore = ["backroom/new"]
"""The template of `backroom new` is no game in the registry: tests/test_new.py makes one of it and runs its tests."""
