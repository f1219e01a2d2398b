"""RunAway Train: throw your suitcases off a train without a driver, and get off in time."""
