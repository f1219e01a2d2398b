"""Storage: the database, the journals of tables, migrations, and notifications between processes."""
