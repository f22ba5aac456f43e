"""Agent kinds behind one contract, failures and their classifier tables."""
