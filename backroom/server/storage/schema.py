"""The schema of the database: its tables, and the migration that made the newest of them."""

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, MetaData, String, Table, Text

SCHEMA = "0004"
"""The newest migration, as the database names it."""

metadata = MetaData()
people = Table(
    "people",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("kept", String(80), unique=True),  # the case-folded name, once a password protects it
    Column("password", String(200)),
    Column("made", BigInteger, nullable=False),
    Column("look", String(160)),  # the appearance of a protected name, the same for lookalikes in any alphabet
    Index("people_by_look", "look"),
)
ended_sessions = Table(
    "ended_sessions",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("at", BigInteger, nullable=False),
)
tokens = Table(
    "tokens",
    metadata,
    Column("hash", String(64), primary_key=True),
    Column("person", String(32), nullable=False, index=True),
    Column("made", BigInteger, nullable=False),
)
tables = Table(
    "tables",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("options", Text, nullable=False),
    Column("start", Text),
    Column("seed", Text),
    Column("seed_hash", String(64)),
    Column("terms", Text, nullable=False),
    Column("maker", String(32)),
    Column("is_public", Boolean, nullable=False),
    Column("stage", String(10), nullable=False),
    Column("company", Text, nullable=False),  # who sits where, for the lobby
    Column("made", BigInteger, nullable=False),
    Index("tables_in_the_lobby", "is_public", "stage", "made"),
)
entries = Table(
    "entries",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(10), nullable=False),
    Column("seat", Integer),
    Column("text", Text, nullable=False),
    Column("who", String(32)),
    Column("key", String(80)),
    sqlite_with_rowid=False,
)
sittings = Table(
    "sittings",
    metadata,
    Column("person", String(32), primary_key=True),
    Column("table_id", String(32), primary_key=True),
)
visits = Table(
    "visits",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("person", String(32), primary_key=True),
    Column("lines", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)
ratings = Table(
    "ratings",
    metadata,
    Column("game", String(40), primary_key=True),
    Column("who", String(40), primary_key=True),
    Column("name", String(40), nullable=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("at", BigInteger),  # when it last changed
)
results = Table(
    "results",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("who", String(40)),
    Column("name", String(40), nullable=False),
    Column("score", Float, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("mu_before", Float),  # the rating before the game, if it was rated
    Column("mu", Float),  # the rating after the game
    Column("sigma", Float),
    Index("results_by_who", "who", "at"),
)
analyses = Table(
    "analyses",
    metadata,
    Column("table_id", String(32), primary_key=True),
    Column("found", Text, nullable=False),  # JSON, compressed, in base 64
    Column("at", BigInteger, nullable=False),
)
facts = Table("facts", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))
