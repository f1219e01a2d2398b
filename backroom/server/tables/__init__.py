"""Tables: their state after the journal, what people and bots do at them, clocks, and messages to subscribers."""
