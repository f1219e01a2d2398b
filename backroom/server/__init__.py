"""The table in the browser: people, tables and their journals, pages, streams and the wire for other programs."""
