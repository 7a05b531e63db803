"""A small language model of our own, from its text to its weights: a class can watch its heads being born."""
