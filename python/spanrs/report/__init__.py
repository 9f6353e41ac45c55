"""Results for people. These modules look at results only; nothing is counted here."""
