"""What a stage of a model is, and how its arrays are declared, once, to be saved, checked and read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from seedtopic.base.arrays import Described
from seedtopic.base.errors import InputError
from seedtopic.seeds import BoundSeeds
from seedtopic.text.counts import KnownWords

if TYPE_CHECKING:
    from seedtopic.base.engine import Blocks
    from seedtopic.model.evidence import Evidence
    from seedtopic.model.run import Run
    from seedtopic.model.stages.documents import Documents

Array = NDArray[np.float64]
Arrays = Mapping[str, NDArray[Any]]

LARGEST = 1e30  # far beyond anything learned, and its products are still numbers in float64


@dataclass(frozen=True)
class Form:
    """The form of an array in a model folder."""

    shape: str = ""  # the names of its sizes, such as ``"classes words"``
    kind: str = "f"  # the kinds of its numbers as numpy calls them
    least: float = -LARGEST  # the range of its numbers
    most: float = LARGEST

    def fits(self, described: Described, sizes: dict[str, int]) -> bool:
        """Return whether an array has this form; sizes whose names are new are noted."""
        names, shape = self.shape.split(), described.shape
        if np.dtype(described.dtype).kind not in self.kind or len(names) != len(shape):
            return False
        for name, size in zip(names, shape, strict=True):
            may_be_none = len(names) == 1 or name == "documents"
            if name.isdigit():
                if size != int(name):
                    return False
            elif sizes.setdefault(name, size) != size or (size == 0 and not may_be_none):
                return False
        return True

    def holds(self, array: NDArray[Any]) -> bool:
        """Return whether the numbers are in their range."""
        return not array.size or bool(array.min() >= self.least and array.max() <= self.most)


WHOLE = Form(kind="iu", least=0)


def probability(shape: str) -> Form:
    """Return the form of probabilities."""
    return Form(shape, least=0.0, most=1.0 + 1e-5)


def likely(shape: str) -> Form:
    """Return the form of probabilities whose logarithms are taken."""
    return Form(shape, least=1e-36, most=1.0 + 1e-5)


def weight(shape: str) -> Form:
    """Return the form of numbers from 0 on."""
    return Form(shape, least=0.0)


def stored(form: Form, name: str = "", *, optional: bool = False) -> Any:
    """Declare a field that is an array of a model folder; its name there is that of the field and "_"."""
    metadata = {"form": form, "name": name}
    return field(default=None, metadata=metadata) if optional else field(metadata=metadata)


def part(*kinds: type[Stored], optional: bool = False) -> Any:
    """Declare a field that has stored fields of its own, of the first kind that a folder has."""
    metadata = {"kinds": kinds}
    return field(default=None, metadata=metadata) if optional else field(metadata=metadata)


def linked(find: Callable[[Context], Any]) -> Any:
    """Declare a field that is not saved, since the rest of the model has it: a stage, seeds, options."""
    return field(repr=False, metadata={"find": find})


def _forms_of(of: Field[Any]) -> dict[str, Form]:
    """Return the form of a stored field by its name in a folder; nothing for others."""
    return {of.metadata["name"] or f"{of.name}_": of.metadata["form"]} if "form" in of.metadata else {}


class Stored:
    """A frozen dataclass, some of whose fields are arrays of a model folder; see `stored`."""

    @classmethod
    def array_names(cls) -> set[str]:
        """Return the names of all arrays that it may have."""
        own = {name for one in fields(cls) for name in _forms_of(one)}  # type: ignore[arg-type]
        return own.union(*(kind.array_names() for _, kinds in cls._parts() for kind in kinds))

    @classmethod
    def forms(cls, present: Collection[str]) -> dict[str, Form]:
        """Return the forms of its arrays in a folder that has arrays of these names."""
        forms: dict[str, Form] = {}
        for one in fields(cls):  # type: ignore[arg-type]
            required = one.default is MISSING
            forms |= {name: form for name, form in _forms_of(one).items() if required or name in present}
            kinds = one.metadata.get("kinds", ())
            there = [kind for kind in kinds if not kind.array_names().isdisjoint(present)]
            for kind in there[:1] or (kinds[-1:] if required else ()):
                forms |= kind.forms(present)
        return forms

    @classmethod
    def restored(cls, arrays: Arrays, context: Context) -> Self:
        """Return what was saved, from arrays whose forms are right."""
        values: dict[str, Any] = {}
        for one in fields(cls):  # type: ignore[arg-type]
            for name in _forms_of(one):
                array = arrays.get(name)
                values[one.name] = array.item() if array is not None and not array.ndim else array
        for name, kinds in cls._parts():
            there = (kind for kind in kinds if not kind.array_names().isdisjoint(arrays))
            values[name] = next((kind.restored(arrays, context) for kind in there), None)
        return cls.within(context, **values)

    @classmethod
    def within(cls, context: Context, **values: Any) -> Self:
        """Return one with these values, and what the rest of the model has."""
        links = {one.name: one.metadata.get("find") for one in fields(cls)}  # type: ignore[arg-type]
        return cls(**{name: find(context) for name, find in links.items() if find is not None}, **values)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what is saved, by its name in a model folder."""
        arrays: dict[str, NDArray[Any]] = {}
        for one in fields(self):  # type: ignore[arg-type]
            value = getattr(self, one.name)
            if value is not None and "kinds" in one.metadata:
                arrays |= value.arrays()
            elif value is not None:
                arrays |= {name: np.asarray(value) for name in _forms_of(one)}
        return arrays

    @classmethod
    def _parts(cls) -> Iterator[tuple[str, tuple[type[Stored], ...]]]:
        for one in fields(cls):  # type: ignore[arg-type]
            if "kinds" in one.metadata:
                yield one.name, one.metadata["kinds"]


class Stage(Stored):
    """A step of a model: it learns from documents, and then labels others, or changes their labels.

    A stage is a frozen dataclass. What of it is saved, is declared by `stored`, and what it takes from other
    stages, by `linked`.
    """

    replaces: ClassVar[bool] = False  # whether it labels by itself; others change what was said before
    gives_several: ClassVar[bool] = False  # whether its probabilities tell several labels of a document
    optional: ClassVar[bool] = False  # whether a model may do without it

    @classmethod
    def learn(cls, run: Run) -> tuple[Self | None, Blocks] | None:
        """Return the stage and the blocks of documents as it labels them; None if it is not taken."""
        raise NotImplementedError

    def apply(self, documents: Documents, posterior: Array) -> Array:
        """Return the label distributions of documents, given those by the stages before."""
        return posterior

    def evidence(
        self, documents: Documents, posterior: Array, so_far: Evidence, label: int, rival: int
    ) -> Evidence:
        """Split the log-odds that `apply` gives one document into its words and the rest."""
        if self.replaces:
            raise NotImplementedError
        return so_far

    def trimmed(self) -> Self:
        """Return the stage without what only labelling needs, for a model in which later stages label."""
        return self

    def relinked(self, context: Context) -> Self:
        """Return the stage in a model whose other stages were changed."""
        links = {one.name: one.metadata["find"] for one in fields(self) if "find" in one.metadata}  # type: ignore[arg-type]
        return replace(self, **{name: find(context) for name, find in links.items()})  # type: ignore[type-var]


S = TypeVar("S", bound=Stage)


@dataclass(frozen=True, kw_only=True)
class Context:
    """What the stages of a model have in common."""

    classes: NDArray[Any]  # the categories in the order of the seeds
    seeds: BoundSeeds  # the seeds, as columns of counts; None in a model that learns from labels alone
    vocabulary: KnownWords  # the word of each column
    stop_words: frozenset[str]  # words that are not counted
    options: Any  # the parameters that decide how the stages learn and label
    stages: tuple[Stage, ...] = ()  # those that were taken, in their order

    @property
    def none_label(self) -> str | None:
        """The label of documents that belong to no category; None where all do."""
        return getattr(self.options, "none_label", None)

    @property
    def gives_several(self) -> bool:
        """Whether several labels of a document can be told."""
        return any(stage.gives_several for stage in self.stages)

    def get(self, kind: type[S]) -> S | None:
        """Return the stage of a kind; None if it was not taken."""
        return next((stage for stage in self.stages if isinstance(stage, kind)), None)

    def __getitem__(self, kind: type[S]) -> S:
        stage = self.get(kind)
        if stage is None:
            raise KeyError(kind.__name__)
        return stage


def check_forms(forms: Mapping[str, Form], described: Mapping[str, Described], sizes: dict[str, int]) -> None:
    """Refuse arrays that are not those of a model, or do not fit one another."""
    missing = [name for name in forms if name not in described]
    unknown = [name for name in described if name not in forms]
    if missing or unknown:
        which = f"{missing[0]} is missing" if missing else f"{unknown[0]} is in no such model"
        raise InputError(f"it is damaged: {which}.")
    for name, form in forms.items():
        if not form.fits(described[name], sizes):
            shape = " x ".join(map(str, described[name].shape)) or "1"
            raise InputError(
                f"it is damaged: {name} has the form {shape} of {described[name].dtype}, which does not fit."
            )
