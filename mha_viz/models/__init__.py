"""A model and a text in, an attention record out: transformers lives here and nowhere else."""
