"""Booze Barons: three mobs and three to nine bootleggers, each hiding what he carries."""
