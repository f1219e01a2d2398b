"""No index of the keys of entries: each table knows its own keys, and an index is half of what a move writes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

NAME = "entries_table_id_key_key"
"""What PostgreSQL calls the constraint; SQLite has no name for it, and copies the table."""


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint(NAME, "entries")
    else:
        _copy()


def downgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.create_unique_constraint(NAME, "entries", ["table_id", "key"])
    else:
        _copy(sa.UniqueConstraint("table_id", "key"))


def _copy(*constraints: sa.UniqueConstraint) -> None:
    op.rename_table("entries", "former_entries")
    op.create_table(
        "entries",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("who", sa.String(32)),
        sa.Column("key", sa.String(80)),
        *constraints,
        sqlite_with_rowid=False,
    )
    columns = "table_id, number, at, kind, seat, text, who, key"
    op.execute(f"insert into entries ({columns}) select {columns} from former_entries order by table_id, number")
    op.drop_table("former_entries")
