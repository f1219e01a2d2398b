"""Rum Run: roads of dominoes to the stills in the forest, and barrels sown home along them."""
