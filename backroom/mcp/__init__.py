"""A Model Context Protocol server, with which language-model agents play at tables."""
