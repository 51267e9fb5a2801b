from typing import Any

def multiply(
    first: int,
    last: int,
    size: int,
    n_columns: int,
    data: Any,
    indices: Any,
    pointers: Any,
    dense: Any,
    product: Any,
) -> None: ...
