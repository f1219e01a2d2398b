"""The sizes of screens that tests look at."""

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1200, "height": 800}
