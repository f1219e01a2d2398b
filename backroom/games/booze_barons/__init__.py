"""Booze Barons: three mobs, three to nine bootleggers, and nobody says what he carries."""
