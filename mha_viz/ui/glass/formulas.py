"""The four steps in formulas with the sizes of the input, and in plain words."""

from mha_viz.core.layer_numbers import LayerNumbers

TITLES = ("1 · Project", "2 · Attend, in each head alone", "3 · Concatenate", "4 · Project back")
WORDS = (
    "Each head has three matrices of its own, and so its own view of the same words: a **query** is what a word searches for, "
    "a **key** what it can be found by, a **value** what it hands over.",
    "Each query is held against every key; the softmax turns a row of scores into shares that add up to 1; "
    "and the values are mixed in these shares.",
    "What the heads found is laid side by side: no head has seen another's numbers until now.",
    "One last matrix mixes what the heads found, and gives the model's width back.",
)
NOTES = (
    "Think of **detectives** at one scene: the evidence $X$ is the same for all, and each looks at it for another kind of clue.",
    "Think of a **look-up**: the query is the search term, the keys are the field that is searched, the values are the records that "
    "come back. Only, every record comes back, each in proportion to how well it fits.",
    "Think of **spotlights**: each head lights the sentence in its own way, and only here do the beams come together.",
    "",
)


def sizes(numbers: LayerNumbers, d_model: int) -> str:
    """The sizes of this input."""
    share = rf"d_{{\mathrm{{model}}}} / h = {numbers.d_head}"
    if numbers.n_heads * numbers.d_head != d_model:
        share = f"{numbers.d_head}"
    n_query, n_key = len(numbers.query_labels), len(numbers.key_labels)
    n = f"n = {n_query}" if n_query == n_key else rf"n_q = {n_query} \qquad n_k = {n_key}"
    groups = (
        "" if numbers.n_kv_heads == numbers.n_heads else rf" \qquad h_{{kv}} = {numbers.n_kv_heads}"
    )
    return (
        rf"{n} \qquad d_{{\mathrm{{model}}}} = {d_model} \qquad h = {numbers.n_heads}{groups} "
        rf"\qquad d_k = {share} \qquad d_v = {numbers.d_value}"
    )


def formulas(numbers: LayerNumbers, d_model: int, head: int) -> tuple[str, str, str, str]:
    """The formula of each step, a size below each matrix."""
    n_query, n_key = len(numbers.query_labels), len(numbers.key_labels)
    wide = numbers.n_heads * numbers.d_value
    kv_head = numbers.kv_head(head)
    parts = []
    for letter, what in (("Q", "query"), ("K", "key"), ("V", "value")):
        n, width = (n_query if letter == "Q" else n_key), numbers.width(what)
        own = head if letter == "Q" else kv_head
        parts.append(
            f"{_sized(f'{letter}_{{{head}}}', n, width)} = "
            + _linear(
                numbers,
                what,
                _sized("X", n, d_model),
                _sized(f"W_{{{own}}}^{{{letter}}}", d_model, width),
                f"b_{{{own}}}^{{{letter}}}",
            )
        )
    project = r" \qquad ".join(parts)
    products = _sized(f"Q_{{{head}}}", n_query, numbers.d_head) + _sized(
        rf"K_{{{head}}}^{{\top}}", numbers.d_head, n_key
    )
    attend = (
        rf"{_sized(_head(head), n_query, numbers.d_value)} = \mathrm{{softmax}}\!\left({_scores(numbers, products)}\right) "
        + _sized(f"V_{{{head}}}", n_key, numbers.d_value)
    )
    names = [_head(one) for one in range(min(numbers.n_heads, 2))]
    names += [r"\dots", _head(numbers.n_heads - 1)] if numbers.n_heads > 3 else []
    names += [_head(2)] if numbers.n_heads == 3 else []
    concat = (
        _sized(r"\mathrm{Concat}", n_query, wide)
        + r" = \big[\, "
        + r" \;\big|\; ".join(names)
        + r" \,\big]"
    )
    back = (
        _sized(r"\mathrm{Output}", n_query, d_model)
        + " = "
        + _linear(
            numbers,
            "output",
            _sized(r"\mathrm{Concat}", n_query, wide),
            _sized("W^{O}", wide, d_model),
            "b^{O}",
        )
    )
    return project, attend, concat, back


def extras(numbers: LayerNumbers) -> list[str]:
    """What this layer has besides the paper's steps, a sentence each, by what the matrices below show."""
    said = []
    if any(part.bias is not None for part in numbers.projections.values()):
        said.append("this model adds a learned bias $b$ to what it projects")
    if numbers.turning is not None:
        said.append(
            "queries and keys are turned by the position of their word (rotary positions): "
            "so their product depends on how far apart two words are; the angles are read off the model's own numbers"
        )
    if numbers.n_kv_heads != numbers.n_heads:
        shared = numbers.n_heads // numbers.n_kv_heads
        said.append(
            f"{shared} query heads share one key and value head (grouped heads): there are {numbers.n_kv_heads} of them"
        )
    return said


def beside_scores(numbers: LayerNumbers, head: int) -> list[str]:
    """What has a part in the softmax besides the scores: the mask, and a sink."""
    said = [_masked(numbers, head)]
    if numbers.sinks is not None:
        said.append(
            "This model has a learned sink: one more score in each row, which stands for no word, so that weights add up to less than 1."
        )
    return said


def _masked(numbers: LayerNumbers, head: int) -> str:
    may_attend = numbers.may_attend[head % len(numbers.may_attend)]
    forbidden = int((~may_attend).sum())
    if not forbidden:
        return "Nothing is masked here: every word may look at every word."
    return f"The mask forbids {forbidden} of {may_attend.size} pairs: their score becomes −∞, and their weight 0."


def _linear(numbers: LayerNumbers, what: str, x: str, weight: str, bias: str) -> str:
    part = numbers.projections.get(what)
    projected = f"{x}\\,{weight}" + ("" if part is None or part.bias is None else f" + {bias}")
    is_turned = numbers.turning is not None and what in {"query", "key"}
    return rf"\mathrm{{turn}}\!\left({projected}\right)" if is_turned else projected


def _scores(numbers: LayerNumbers, products: str) -> str:
    """What goes into the softmax, with all that this layer has; the mask is seen below."""
    scores = products
    if numbers.scaling != 1:
        scores = rf"{products} \cdot {numbers.scaling:.4g}"
    if numbers.is_scaled_by_root and numbers.d_head > 1:
        scores = rf"\frac{{{products}}}{{\sqrt{{{numbers.d_head}}}}}"
    if numbers.softcap is not None:
        cap = f"{numbers.softcap:.4g}"
        scores = rf"{cap} \tanh\!\left(\tfrac{{1}}{{{cap}}} {scores}\right)"
    if numbers.attn_bias is not None:
        scores += " + B"
    if numbers.temperature != 1:
        scores = rf"\frac{{1}}{{{numbers.temperature:.4g}}} \left({scores}\right)"
    return scores


def _sized(name: str, n_rows: int, n_columns: int) -> str:
    return rf"\underset{{{n_rows} \times {n_columns}}}{{{name}}}"


def _head(head: int) -> str:
    return rf"\mathrm{{head}}_{{{head}}}"
