"""Fixtures for the tests of the server."""

import pytest
from serving import served, with_toy


@pytest.fixture(scope="module", autouse=True)
def toy():
    with with_toy():
        yield


@pytest.fixture(scope="module")
def server(toy, tmp_path_factory):
    """One server for the tests of a file."""
    with served(tmp_path_factory.mktemp("house") / "tables.db") as found:
        yield found
