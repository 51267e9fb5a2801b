"""What requests and responses contain, as pydantic models: for checks, and for the API description."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    InstanceOf,
    JsonValue,
    Tag,
    ValidationError,
    create_model,
    model_validator,
)
from typing_extensions import TypedDict

from seedtopic.model.drift import Signal
from seedtopic.seeds.category import MOST_WEIGHT
from seedtopic.text.identity import normal
from seedtopic.web.errors import Refusal
from seedtopic.web.limits import Limits

MOST_CATEGORIES, MOST_WORDS, MOST_IN_A_NAME, MOST_IN_AN_ANSWER = 500, 1000, 200, 1000
TEXTS: list[JsonValue] = [
    "the team won the game",
    "a goal in the game",
    "the bank cut its rate",
    "rate of the bank",
]

STRICT = ConfigDict(strict=True, extra="forbid")
_LIST, _OBJECT = "<list>", "<object>"  # branches of a category, which are no part of a place
_KINDS: dict[type, str] = {
    str: "a text", list: "a list", dict: "an object", bool: "true or false", type(None): "null",
    int: "a number", float: "a number",
}  # fmt: skip
_EXPECTED = {
    "is_instance_of": "a text", "list_type": "a list", "dict_type": "an object", "model_type": "an object",
    "bool_type": "true or false", "float_type": "a number", "union_tag_not_found": "a list or an object",
}  # fmt: skip


def _of_known_keys(value: Any, fields: Sequence[str]) -> Any:
    """Refuse an unknown key at once: pydantic would list all of them, and a body may have a million."""
    unknown = next((key for key in value if key not in fields), None) if isinstance(value, dict) else None
    if unknown is not None:
        raise ValueError(f"has the unknown key {unknown!r:.40}: use {', '.join(fields)}")
    return value


def _not_above(value: Any, most: int) -> Any:
    """Refuse an object with too many entries before any of them is looked at."""
    if isinstance(value, dict) and len(value) > most:
        raise ValueError(f"has {len(value):,} entries, more than {most:,}")
    return value


# `InstanceOf`, since pydantic refuses half of a surrogate pair in a `str`, which JSON may contain.
Name = Annotated[InstanceOf[str], Field(min_length=1, max_length=MOST_IN_A_NAME)]
Words = Annotated[list[Name], Field(max_length=MOST_WORDS, fail_fast=True)]
Weight = Annotated[float, Field(gt=0, le=MOST_WEIGHT)]


class Table(TypedDict, total=False):
    """A category as in a seeds file."""

    __pydantic_config__ = STRICT  # type: ignore[misc]

    words: Words
    weights: Annotated[
        dict[Name, Weight],
        Field(max_length=MOST_WORDS),
        BeforeValidator(partial(_not_above, most=MOST_WORDS)),
    ]
    exclude: Words
    parent: Name


_TABLE = BeforeValidator(partial(_of_known_keys, fields=list(Table.__annotations__)))
Category = Annotated[
    Annotated[Words, Tag(_LIST)] | Annotated[Table, _TABLE, Tag(_OBJECT)],
    Discriminator(lambda value: {list: _LIST, dict: _OBJECT}.get(type(value))),
]


class _Body(BaseModel):
    model_config = STRICT

    @model_validator(mode="before")
    @classmethod
    def _known(cls, value: Any) -> Any:
        return _of_known_keys(value, list(cls.model_fields))


class PredictRequest(_Body):
    """The body of a request to `/predict`; `within` adds the limits of a server."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"texts": TEXTS[:1]}]})

    texts: list[InstanceOf[str]] = Field(description="The texts to label.")
    all_probabilities: bool = Field(False, description="Whether to return the probability of every category.")
    all_labels: bool = Field(False, description="Whether to return all labels of each text.")


class LabelRequest(PredictRequest):
    """The body of a request to `/label`; `within` adds the limits of a server."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"texts": TEXTS, "seeds": {"sports": ["game", "team"], "money": ["bank"]}}]
        }
    )

    seeds: Annotated[
        dict[Name, Category],
        Field(
            min_length=2,
            max_length=MOST_CATEGORIES,
            description="The words of each category, or an object as in a seeds file: "
            "words, weights, exclude, parent.",
        ),
        BeforeValidator(partial(_not_above, most=MOST_CATEGORIES)),
    ]
    none_label: Name = Field("", description="The label of texts that belong to no category.")
    stop_words: Name = Field("english", description="The language of the stop words.")


def _not_blank(value: str) -> str:
    if not normal(value):
        raise ValueError("is blank: leave it out")
    return value


# May name several categories.
Said = Annotated[InstanceOf[str], Field(max_length=MOST_IN_AN_ANSWER), AfterValidator(_not_blank)]
Known = Annotated[InstanceOf[str], Field(max_length=MOST_IN_A_NAME)]


class OneAnswer(_Body):
    """What somebody said of a text; `within` adds the limits of a server."""

    text: InstanceOf[str] = Field(description="The text, whole.")
    answer: Said = Field(
        description="Its category, several joined by ';', '(none of these)', '(skipped)', or '(withdrawn)'."
    )
    id: Known = Field("", description="The id of the document.")
    by: Known = Field("", description="Who says so.")


class AnswersRequest(_Body):
    """The body of a request to `/answers`; `within` adds the limits of a server."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"answers": [{"text": TEXTS[0], "answer": "sports", "id": "7", "by": "anna"}]}]
        }
    )

    answers: list[OneAnswer] = Field(description="The answers, each with text and answer, id and by.")


Shape = TypeVar("Shape", bound=BaseModel)


@lru_cache(maxsize=16)
def within(shape: type[Shape], limits: Limits) -> type[Shape]:
    """Return the model of a request with the limits of a server."""
    text = Annotated[InstanceOf[str], Field(max_length=limits.most_characters)]
    if issubclass(shape, AnswersRequest):
        about = Annotated[text, AfterValidator(_not_blank), Field(description="The text, whole.")]
        one = create_model("OneAnswer", __base__=OneAnswer, __doc__=OneAnswer.__doc__, text=(about, ...))
        several = shape.model_fields["answers"]
        sizes = Field(max_length=limits.most_texts, fail_fast=True, description=several.description)
        answers = Annotated[list[one], sizes]  # type: ignore[valid-type]
        return create_model(shape.__name__, __base__=shape, __doc__=shape.__doc__, answers=(answers, ...))
    least = 2 if issubclass(shape, LabelRequest) else 0
    sizes = Field(min_length=least, max_length=limits.most_texts, fail_fast=True)
    texts = Annotated[list[text], sizes, Field(description="The texts to label.")]
    return create_model(shape.__name__, __base__=shape, __doc__=shape.__doc__, texts=(texts, ...))


def read(shape: type[Shape], value: Any) -> Shape:
    """Check the value of a body, and refuse one of another shape with a sentence about its first error."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        raise Refusal(422, _sentence(error.errors(include_url=False)[0])) from None


def _sentence(error: Any) -> str:
    """Say what is wrong with a body, and where."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    loc = [part for part in error["loc"] if part not in (_LIST, _OBJECT)]
    where = f"a key of {_place(loc[:-2])}" if loc[-1:] == ["[key]"] else _place(loc)
    if kind == "missing":
        return f"{_place(loc[:-1])} has no {loc[-1]!r}."
    if kind == "value_error":
        return f"{where} {context['error']}."
    if kind == "greater_than":
        return f"{where} is not above {context['gt']:g}."
    if kind == "less_than_equal":
        return f"{where} is above {context['le']:,.0f}."
    if kind in ("too_short", "too_long"):
        size = f"{len(value):,} {'characters' if isinstance(value, str) else 'entries'}"
        if kind == "too_short":
            return f"{where} has {size}, fewer than {context['min_length']:,}."
        return f"{where} has {size}, more than {context['max_length']:,}."
    return f"{where} is {_KINDS[type(value)]}, not {_EXPECTED[kind]}."


def _place(loc: Sequence[Any]) -> str:
    return "".join([str(loc[0]), *(f"[{part!r:.40}]" for part in loc[1:])]) if loc else "the body"


class Error(BaseModel):
    """What is wrong, and how to mend it."""

    error: str


class Labels(BaseModel):
    """Lists in the order of the texts, with null for a text that is blank or has no known word.

    Where somebody has answered a text, the label is that answer.
    """

    model_config = STRICT

    labels: list[str | None] = Field(description="The most probable category.")
    probabilities: list[float | None] = Field(description="Its probability.")
    runners_up: list[str | None] = Field(description="The second best category.")
    runner_up_probabilities: list[float | None] = Field(description="Its probability.")
    margins: list[float | None] = Field(description="The difference of the two probabilities.")
    sources: list[Literal["confirmed", "labelled", "none"]] = Field(
        description="Who gave the label: somebody, the model, or nobody, where there is none."
    )
    paths: list[str | None] = Field([], description="The path to the label, where categories have parents.")
    none_probabilities: list[float | None] = Field(
        [], description="The probability of no category, if the model gives it."
    )
    all_labels: list[list[str] | None] = Field([], description="All labels of a text, if requested.")
    categories: list[str] = Field([], description="All categories, if all probabilities are requested.")
    all_probabilities: list[list[float] | None] = Field([], description="In the order of categories.")
    warnings: list[str] = Field([], description="Problems of the seeds; only from /label.")


class Unnamed(BaseModel):
    """An answer that is kept, but names no category of the model."""

    answer: str
    near: list[str] = Field(description="Categories that are spelled like it.")


class Recorded(BaseModel):
    """What became of answers."""

    model_config = STRICT

    new: int = Field(description="How many were new: what the same person has said last is not added again.")
    unnamed: list[Unnamed] = Field(description="Those that name no category; they are kept all the same.")


class Health(BaseModel):
    """Whether predictions are available."""

    status: Literal["ready", "no model"]


class Model(BaseModel):
    """The model of a server."""

    name: str
    categories: list[str]
    words: int
    all_labels: bool


class Version(BaseModel):
    """Versions of the server and its model."""

    seedtopic: str
    model: Model | None


class Share(BaseModel):
    """The share of a label among the documents of the fit, and among the texts since."""

    fit: float
    now: float


class Window(BaseModel):
    """Texts that are compared with those of the fit."""

    look_again: bool
    documents: int
    fitted: int = Field(description="Documents of the fit.")
    shares: dict[str, Share]
    labels: Signal
    probability: Signal
    unknown_words: Signal
    enough: bool = Field(description="Whether there are enough texts to judge.")


class Drift(BaseModel):
    """How texts differ from those of the fit."""

    known: bool = Field(description="Whether the model remembers its fit.")
    window: int = Field(description="How many texts are compared together.")
    last: Window | None = Field(description="The last full window; null before it.")
    now: Window | None = Field(description="The texts since then.")
