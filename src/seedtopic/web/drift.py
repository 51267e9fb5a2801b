"""Whether the texts of requests are like those of the fit, one window of texts after another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.metrics_core import Metric

from seedtopic.model import SeedClassifier
from seedtopic.model.drift import NO_LABEL, Drift, Fitted, LabelStatistics, drift
from seedtopic.web.errors import Log

WINDOW = 1000  # texts that are compared together
_SIGNALS = ("labels", "probability", "unknown_words")


class DriftWatch:
    """Counts labels, and compares each thousand texts with the fit; for the event loop, without a lock."""

    def __init__(self) -> None:
        self.log: Log = lambda event, values: None
        self._model: SeedClassifier | None = None
        self._fit: Fitted | None = None
        self._fit_is_read = False
        self._total = self._window = LabelStatistics.nothing(0)
        self._last: Drift | None = None

    def begin(self, model: SeedClassifier, fit: Fitted | None = None) -> None:
        """Begin to count for a model, and ask it now what it remembers of its fit, unless that is passed."""
        self._take(model)
        if fit is not None:
            self._fit, self._fit_is_read = fit, True
        self._remembered()

    def note(self, model: SeedClassifier, seen: LabelStatistics) -> None:
        """Count the texts of a request; all counts begin anew with another model."""
        if model is not self._model:
            self._take(model)
        self._total.add(seen)
        self._window.add(seen)
        if len(self._window) >= WINDOW:
            self._last = self._compared(self._window)
            self._window = LabelStatistics.nothing(len(model.classes_))
            if self._last is not None:
                self.log("drift", _summary(self._last))

    def state(self) -> dict[str, Any]:
        """Return the comparison of the last full window, and of the texts since then."""
        now = self._compared(self._window)
        return {
            "known": now is not None,
            "window": WINDOW,
            "last": None if self._last is None else self._last.as_dict(),
            "now": None if now is None else now.as_dict(),
        }

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics, as prometheus_client asks its collectors."""
        fit = self._remembered()
        if self._model is None or fit is None:
            return
        labels = CounterMetricFamily("seedtopic_labels", "Texts by their label.", labels=["label"])
        words = "Share of each label among the documents of the fit."
        shares = GaugeMetricFamily("seedtopic_fit_label_share", words, labels=["label"])
        counts = zip(fit.names, self._total.labels.tolist(), fit.seen.labels.tolist(), strict=True)
        for name, now, before in counts:
            if name:
                labels.add_metric([name], now)
                shares.add_metric([name], before / len(fit.seen))
        yield from (labels, shares)
        for name, sums, words in (
            ("label_probability", self._total.probability, "Probabilities of labels."),
            ("unknown_words", self._total.unknown, "Share of the words of a text that the fit did not know."),
        ):
            yield SummaryMetricFamily(f"seedtopic_{name}", words, int(sums[0]), float(sums[1]))
        n_labels, of_labels, _ = fit.seen.probability.tolist()
        if n_labels:
            words = "Mean probability of the labels of the fit."
            yield GaugeMetricFamily("seedtopic_fit_label_probability", words, of_labels / n_labels)
        if fit.unknown is not None:
            words = "Mean share of unknown words to expect."
            yield GaugeMetricFamily("seedtopic_fit_unknown_words", words, fit.unknown[0])
        if self._last is not None:
            words = f"1 if the last {WINDOW} texts were not like the fit."
            look_again = GaugeMetricFamily("seedtopic_look_again", words, labels=["signal"])
            for name in _SIGNALS:
                look_again.add_metric([name], int(getattr(self._last, name).look_again))
            yield look_again

    def _take(self, model: SeedClassifier) -> None:
        self._model, self._fit_is_read, self._last = model, False, None
        self._total, self._window = (LabelStatistics.nothing(len(model.classes_)) for _ in range(2))

    def _remembered(self) -> Fitted | None:
        """Ask the model once, when it is needed: it takes a pass over the documents of the fit."""
        if not self._fit_is_read and self._model is not None:
            self._fit, self._fit_is_read = Fitted.of(self._model), True
        return self._fit

    def _compared(self, seen: LabelStatistics) -> Drift | None:
        fit = self._remembered()
        return None if fit is None or self._model is None else drift(fit, seen)


def _summary(comparison: Drift) -> dict[str, Any]:
    """Return what a line of the log has."""
    return {
        "look_again": comparison.look_again,
        "texts": comparison.documents,
        **{
            name: {
                key: None if value is None else round(value, 4)
                for key, value in vars(getattr(comparison, name)).items()
                if key != "look_again" and not (name == "labels" and key in ("fit", "now"))
            }
            for name in _SIGNALS
        },
        "without_label": round(comparison.shares[NO_LABEL][1], 4),
    }
