"""Groups of options as parameters of a command, which typer does not know by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def expand_groups(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Replace each parameter that is a dataclass by the fields of that dataclass.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Size:
    ...     width: int
    ...     height: int = 2
    >>> def area(size: Size, times: int = 1) -> int:
    ...     return size.width * size.height * times
    >>> str(signature(expand_groups(area)))
    '(*, width: int, height: int = 2, times: int = 1)'
    >>> expand_groups(area)(width=3, height=4, times=2)
    24
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters = []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            parameters += _parameters_of(groups[name])
        else:
            parameters.append(parameter.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def run(**given: Any) -> int | None:
        for name, group in groups.items():
            given[name] = group(**{field.name: given.pop(field.name) for field in fields(group)})
        return command(**given)

    run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters_of(group: Any) -> list[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
