"""The server: people, tables and their journals, pages, streams, and the API for other programs."""
