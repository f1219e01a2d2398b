"""Rummy Runners: two to four players meld sets of cards, and what lies before them claims land."""
