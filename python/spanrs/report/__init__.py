"""Tables, frames and pages for people; nothing here knows what a result is."""
