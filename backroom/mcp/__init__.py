"""The door for agents that speak: a server of the Model Context Protocol, with tables to play at."""
