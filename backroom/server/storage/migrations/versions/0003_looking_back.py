"""Stored analyses, the rating after each result, and the time of each rating's last change."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "analyses",
        sa.Column("table_id", sa.String(32), primary_key=True),
        sa.Column("found", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    for name in ("mu_before", "mu", "sigma"):
        op.add_column("results", sa.Column(name, sa.Float))
    op.create_index("results_by_who", "results", ["who", "at"])
    op.add_column("ratings", sa.Column("at", sa.BigInteger))


def downgrade() -> None:
    op.drop_column("ratings", "at")
    op.drop_index("results_by_who", "results")
    for name in ("mu_before", "mu", "sigma"):
        op.drop_column("results", name)
    op.drop_table("analyses")
