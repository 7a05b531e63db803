"""Texts of any length, never the same twice: plain words, each of them one token of the bundled model."""

import random

WORDS = """
the small dog found an old book under a green tree and took it home before dark while seven tall men
stood near that river with bread water salt fish for their long road to another city because her
brother had never seen snow or heard music so late at night when people sleep they walk over stone
bridge into forest where cold wind moves every leaf but no bird sings
""".split()  # noqa: SIM905 - easier to read as a text


def text(n_words: int, seed: object) -> str:
    """So many words, drawn by the seed; neighbours may repeat themselves only in texts longer than the list."""
    draw = random.Random(repr(seed))
    if n_words <= len(WORDS):
        return " ".join(draw.sample(WORDS, n_words))
    return " ".join(draw.choices(WORDS, k=n_words))
