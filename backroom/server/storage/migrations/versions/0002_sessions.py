"""Ended sessions, and the appearance of protected names."""

import sqlalchemy as sa
from alembic import op

from backroom.server.people.names import skeleton

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "ended_sessions",
        sa.Column("hash", sa.String(64), primary_key=True),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.add_column("people", sa.Column("look", sa.String(160)))
    op.create_index("people_by_look", "people", ["look"])
    conn = op.get_bind()
    people = sa.table("people", sa.column("id"), sa.column("name"), sa.column("kept"), sa.column("look"))
    for row in conn.execute(sa.select(people.c.id, people.c.name).where(people.c.kept.is_not(None))).all():
        conn.execute(people.update().where(people.c.id == row.id).values(look=skeleton(row.name)))


def downgrade() -> None:
    op.drop_index("people_by_look", "people")
    op.drop_column("people", "look")
    op.drop_table("ended_sessions")
