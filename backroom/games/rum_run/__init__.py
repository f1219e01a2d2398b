"""Rum Run: build roads of dominoes to the stills in the forest, and sow barrels home along them."""
