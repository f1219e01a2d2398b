"""Run (Fevga), the Greek backgammon in which nobody is hit."""
