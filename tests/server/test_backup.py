"""Backups of a running server, restoring them, and what `backroom doctor` finds."""

import contextlib
import gzip

import pytest
from databases import DATABASES, database
from serving import TOY, served
from sqlalchemy import update

from backroom.engine.options import BadOption
from backroom.server.backup import backup, restore
from backroom.server.doctor import examine
from backroom.server.storage.database import engine_of, whole_url
from backroom.server.storage.journal import Entry
from backroom.server.storage.schema import entries, metadata


def contents(db):
    """All rows of a database."""
    engine = engine_of(whole_url(db))
    with engine.connect() as conn:
        found = {table.name: sorted(map(repr, conn.execute(table.select()).all())) for table in metadata.sorted_tables}
    engine.dispose()
    return found


@pytest.mark.parametrize("kind", DATABASES)
@pytest.mark.parametrize("to", DATABASES)
def test_a_restore_drill(kind, to, tmp_path):
    """A backup of a running server, restored elsewhere, also into the other kind of database, is complete."""
    (tmp_path / "new").mkdir()
    with database(kind, tmp_path) as db, database(to, tmp_path / "new") as new:
        with served(db) as server:
            ann = server.guest("Ann")
            tables = [ann.make(TOY, seats=2, **{"seat-1": "random"}) for _ in range(3)]
            for table in tables:
                server.rested(table)
            before = contents(db)
            server.do(server.services.store.append("interrupted", [Entry("say", text="x", number=1)]))
            head = backup(db, tmp_path / "b.gz")
            assert head.rows["tables"] == 3
            assert (tmp_path / "b.gz").stat().st_mode & 0o777 == 0o600  # it has the server's secrets
            ann.do(tables[0], "say", text="later")  # the server goes on
        found = restore(tmp_path / "b.gz", new)
        assert (found.tables, found.wrong) == (3, {})
        assert found.lines > 0
        assert contents(new) == before
        with served(new) as server:
            ann.url = server.url
            assert server.live(tables[1]).config.id == tables[1]
        assert {one.says for one in examine(db) if one.what == "leftovers"} == {"1 entry of interrupted imports"}
        assert "leftovers" not in {one.what for one in examine(new)}
        assert all(finding.is_well for finding in examine(new) if finding.what in ("database", "journals", "clock"))
        with pytest.raises(BadOption, match="not empty"):
            restore(tmp_path / "b.gz", new)


def test_what_cannot_be_backed_up_or_restored_is_said(tmp_path):
    with served(tmp_path / "t.db"):
        pass
    db = str(tmp_path / "t.db")
    backup(db, tmp_path / "b.gz")
    with pytest.raises(BadOption, match="there already"):
        backup(db, tmp_path / "b.gz")
    with pytest.raises(BadOption, match="no database"):
        backup(str(tmp_path / "none.db"), tmp_path / "c.gz")
    (tmp_path / "no.gz").write_bytes(b"no")
    whole = gzip.decompress((tmp_path / "b.gz").read_bytes())
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"\n".join(whole.split(b"\n")[:1]) + b"\n"))
    for name, why in (("no.gz", "no backup"), ("cut.gz", "not whole"), ("none.gz", "No such file")):
        with pytest.raises(BadOption, match=why):
            restore(tmp_path / name, str(tmp_path / f"{name}.db"))
    assert {path.name for path in tmp_path.glob("*.gz.db")} <= {"cut.gz.db"}  # only of what began like a backup


def test_a_damaged_backup_is_refused_in_a_sentence(tmp_path):
    with served(tmp_path / "a.db") as server:
        server.guest().make(TOY, **{"seat-1": "random"})
    backup(str(tmp_path / "a.db"), tmp_path / "good.gz")
    good = (tmp_path / "good.gz").read_bytes()
    head, rest = gzip.decompress(good).split(b"\n", 1)
    damaged = [good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1 :] for at in range(0, len(good), len(good) // 20)]
    damaged += [gzip.compress(b"\n".join([head, row, rest])) for row in (b"5", b"[1]", b'[["x"],{}]', b"\xff")]
    refused = 0
    for number, data in enumerate(damaged):
        (tmp_path / "bad.gz").write_bytes(data)
        with contextlib.suppress(BadOption):  # what gzip itself does not mind, such as a time, is no damage
            restore(tmp_path / "bad.gz", str(tmp_path / f"{number}.db"))
            continue
        refused += 1
    assert refused > 20


def test_the_doctor_finds_what_is_wrong(tmp_path):
    db = str(tmp_path / "t.db")
    assert [finding.is_well for finding in examine(db)] == [False]
    with served(db) as server:
        ann = server.guest("Ann")
        table = ann.make(TOY, seats=2, **{"seat-1": "random"})
        server.rested(table)
        mine = (entries.c.table_id == table) & (entries.c.number == 2)
        change = update(entries).where(mine).values(number=99, at=10**15)
        server.do(server.services.store.write(lambda conn: conn.execute(change)))
    found = {finding.what: finding for finding in examine(db)}
    assert not found["journals"].is_well
    assert "entry 2 is missing" in found["table"].says
    assert not found["clock"].is_well
    assert found["schema"].is_well
