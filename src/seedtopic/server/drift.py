"""Whether the texts of requests are like those of the fit, one window of texts after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seedtopic.model import SeedClassifier
from seedtopic.model.drift import NO_LABEL, Drift, Fitted, Seen, drift
from seedtopic.server.log import Log
from seedtopic.server.metrics import head, labelled

WINDOW = 1000  # texts that are compared together


class DriftWatch:
    """Counts the labels of requests, and compares each thousand texts with the fit.

    Used by the event loop only, so no lock is needed. It keeps sums, so its memory does not grow.

    Attributes
    ----------
    log : callable
        Called with the event ``drift`` whenever a window is full.

    Examples
    --------
    >>> from seedtopic import SeedTopicClassifier
    >>> texts = ["the team won the game", "a goal in the game", "the bank cut its rate", "rate of the bank"]
    >>> model = SeedTopicClassifier({"sports": ["game", "team"], "money": ["bank"]}, random_state=0)
    >>> model = model.fit(texts)
    >>> watch = DriftWatch()
    >>> watch.note(model, Seen.of(*model.predict_all(["which rate?"])))
    >>> watch.state()["now"]["documents"], watch.state()["last"]
    (1, None)
    """

    def __init__(self) -> None:
        self.log: Log = lambda event, values: None
        self._model: SeedClassifier | None = None
        self._fitted: Fitted | None = None
        self._asked = False  # whether the model was asked what it remembers
        self._total = self._window = Seen.nothing(0)
        self._last: Drift | None = None

    def begin(self, model: SeedClassifier, fitted: Fitted | None = None) -> None:
        """Begin to count for a model, and ask it now what it remembers of its fit, unless that is given."""
        self._take(model)
        if fitted is not None:
            self._fitted, self._asked = fitted, True
        self._remembered()

    def note(self, model: SeedClassifier, seen: Seen) -> None:
        """Count the texts of a request; all counts begin anew with another model."""
        if model is not self._model:
            self._take(model)
        self._total.add(seen)
        self._window.add(seen)
        if len(self._window) >= WINDOW:
            self._last = self._compared(self._window)
            self._window = Seen.nothing(len(model.classes_))
            if self._last is not None:
                self.log("drift", _short(self._last))

    def state(self) -> dict[str, Any]:
        """Give the comparison of the last full window, and of the texts since then."""
        now = self._compared(self._window)
        return {
            "known": now is not None,
            "window": WINDOW,
            "last": None if self._last is None else self._last.as_dict(),
            "now": None if now is None else now.as_dict(),
        }

    def lines(self) -> Iterator[str]:
        """Yield the metrics, as text for Prometheus."""
        fitted = self._remembered()
        if self._model is None or fitted is None:
            return
        total = self._total
        yield from head("labels_total", "counter", "Texts by their label.")
        for name, count in zip(fitted.names, total.labels.tolist(), strict=True):
            if name:
                yield f"seedtopic_labels_total{labelled(label=name)} {count}"
        for name, sums, words in (
            ("label_probability", total.probability, "Probabilities of labels."),
            ("unknown_words", total.unknown, "Share of the words of a text that the fit did not know."),
        ):
            yield from head(name, "summary", words)
            yield f"seedtopic_{name}_sum {sums[1]:.6f}"
            yield f"seedtopic_{name}_count {int(sums[0])}"
        yield from head("fit_label_share", "gauge", "Share of each label among the documents of the fit.")
        for name, count in zip(fitted.names, fitted.seen.labels.tolist(), strict=True):
            if name:
                yield f"seedtopic_fit_label_share{labelled(label=name)} {count / len(fitted.seen):.6f}"
        n_labels, of_labels, _ = fitted.seen.probability
        if n_labels:
            yield from head("fit_label_probability", "gauge", "Mean probability of the labels of the fit.")
            yield f"seedtopic_fit_label_probability {of_labels / n_labels:.6f}"
        if fitted.unknown is not None:
            yield from head("fit_unknown_words", "gauge", "Mean share of unknown words to expect.")
            yield f"seedtopic_fit_unknown_words {fitted.unknown[0]:.6f}"
        if self._last is not None:
            yield from head("look_again", "gauge", f"1 if the last {WINDOW} texts were not like the fit.")
            for name in _SIGNALS:
                value = int(getattr(self._last, name).look_again)
                yield f"seedtopic_look_again{labelled(signal=name)} {value}"

    def _take(self, model: SeedClassifier) -> None:
        self._model, self._asked, self._last = model, False, None
        self._total, self._window = (Seen.nothing(len(model.classes_)) for _ in range(2))

    def _remembered(self) -> Fitted | None:
        """Ask the model once, when it is needed: it takes a pass over the documents of the fit."""
        if not self._asked and self._model is not None:
            self._fitted, self._asked = Fitted.of(self._model), True
        return self._fitted

    def _compared(self, seen: Seen) -> Drift | None:
        fitted = self._remembered()
        return None if fitted is None or self._model is None else drift(fitted, seen)


_SIGNALS = ("labels", "probability", "unknown_words")


def _short(found: Drift) -> dict[str, Any]:
    """Give what a line of the log says."""
    return {
        "look_again": found.look_again,
        "texts": found.documents,
        **{
            name: {
                key: None if value is None else round(value, 4)
                for key, value in vars(getattr(found, name)).items()
                if key != "look_again" and not (name == "labels" and key in ("fit", "now"))
            }
            for name in _SIGNALS
        },
        "without_label": round(found.shares[NO_LABEL][1], 4),
    }
