"""Run (Fevga), the Greek backgammon without hitting."""
