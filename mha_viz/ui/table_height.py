"""How high a table is that shows all its rows: its place is kept free before the browser can draw it."""

ROW_HEIGHT, BORDER = 35, 3  # pixels; the head is a row, too


def table_height(n_rows: int, most: int | None = None) -> int:
    """Pixels for so many rows and the head, at most so many."""
    height = ROW_HEIGHT * (n_rows + 1) + BORDER
    return height if most is None else min(height, most)
