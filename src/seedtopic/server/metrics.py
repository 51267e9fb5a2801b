"""The metrics of the server, as text for Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """Requests by path and status, their times, their texts, and the number of running requests.

    Used by the event loop only, so no lock is needed.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.note("POST", "/predict", 200, 0.003, n_texts=2)
    >>> text = metrics.text({"model": "WSPTM"})
    >>> 'seedtopic_requests_total{method="POST",path="/predict",status="200"} 1' in text
    True
    >>> 'seedtopic_request_seconds_bucket{path="/predict",le="0.005"} 1' in text
    True
    """

    def __init__(self) -> None:
        self.under_way = 0
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._texts: Counter[str] = Counter()
        self._times: dict[str, list[int]] = {}  # requests per bucket, and above the last
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def note(self, method: str, path: str, status: int, seconds: float, n_texts: int) -> None:
        """Count a request that has been answered."""
        self._requests[method, path, status] += 1
        self._times.setdefault(path, [0] * (len(BUCKETS) + 1))[bisect_left(BUCKETS, seconds)] += 1
        self._seconds[path] += seconds
        self._texts[path] += n_texts

    def text(self, model: Mapping[str, object], more: Iterable[str] = ()) -> str:
        """Return all metrics, including those of the model, and further lines."""
        return "\n".join([*self._lines(model), *more, ""])

    def _lines(self, model: Mapping[str, object]) -> Iterator[str]:
        yield from head("requests_total", "counter", "Requests answered.")
        for (method, path, status), count in sorted(self._requests.items()):
            yield f"seedtopic_requests_total{labelled(method=method, path=path, status=status)} {count}"
        yield from head("request_seconds", "histogram", "Time from a request to its response.")
        for path, counts in sorted(self._times.items()):
            total = 0
            for bound, count in zip((*BUCKETS, "+Inf"), counts, strict=True):
                total += count
                yield f"seedtopic_request_seconds_bucket{labelled(path=path, le=bound)} {total}"
            yield f"seedtopic_request_seconds_sum{labelled(path=path)} {self._seconds[path]:.6f}"
            yield f"seedtopic_request_seconds_count{labelled(path=path)} {total}"
        yield from head("texts_total", "counter", "Texts labelled.")
        for path, count in sorted(self._texts.items()):
            yield f"seedtopic_texts_total{labelled(path=path)} {count}"
        yield from head("requests_under_way", "gauge", "Requests that are still running.")
        yield f"seedtopic_requests_under_way {self.under_way}"
        yield from head("model_info", "gauge", "The model used for predictions.")
        yield f"seedtopic_model_info{labelled(**model)} 1"


def head(name: str, kind: str, words: str) -> Iterator[str]:
    """Yield the lines above a metric."""
    yield f"# HELP seedtopic_{name} {words}"
    yield f"# TYPE seedtopic_{name} {kind}"


def labelled(**values: object) -> str:
    r"""Write the labels of a metric.

    Examples
    --------
    >>> print(labelled(path='/a"b'))
    {path="/a\"b"}
    """
    return "{" + ",".join(f'{name}="{_escaped(str(value))}"' for name, value in values.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
