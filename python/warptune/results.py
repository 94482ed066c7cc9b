"""The results of sessions and queries. Each is made from the JSON that the corresponding command prints; `document` has all of it."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _native
from ._values import Configuration, StrPath

if TYPE_CHECKING:
    from .kernel import Kernel
    from .rows import Rows

Document = dict[str, Any]


@dataclass(frozen=True)
class Problem:
    """A workload, to which results belong: a kernel with its sizes and types, a GPU, and the state of the L2 cache."""

    kernel: str
    sizes: Configuration
    gpu_name: str
    gpu_key: str
    cache: str
    """The state of the L2 cache before each timed launch: `cold`, `warm` or `unknown`."""

    @staticmethod
    def of(document: Document) -> "Problem":
        gpu = document["gpu"]
        return Problem(document["kernel"], document["problem"], gpu["name"] or "", gpu["key"], document["cache"])

    def __str__(self) -> str:
        sizes = " ".join(f"{name}={value}" for name, value in self.sizes.items())
        return _native.printable(f"{self.kernel} {sizes} on {self.gpu_name}")


@dataclass(frozen=True)
class Measurement:
    """The stored outcome of one configuration. Only the status `measured` has a time that is ranked."""

    configuration: Configuration
    status: str
    reason: str | None
    """Why it failed; None if it was measured."""
    replayed: bool
    """Whether it was taken from a recording and not measured on a GPU."""
    imported: bool
    """Whether `warptune db import` took it from a file. Nobody has verified it."""
    confirmed: bool
    """Whether its outputs were right on new inputs when it was confirmed. False for the best of an interrupted session, and for a
    replayed or imported row."""
    median_ns: float | None
    low_ns: float | None
    """The lower end of the median's 95 % interval."""
    high_ns: float | None
    roof_share: float | None
    """The minimum time that the GPU's roofs allow, divided by the measured time."""
    resources: dict[str, Any] = field(repr=False)
    counters: dict[str, float] = field(repr=False)

    @staticmethod
    def of(document: Document | None) -> "Measurement | None":
        return None if document is None else Measurement.required(document)

    @staticmethod
    def required(document: Document) -> "Measurement":
        return Measurement(document["configuration"], document["status"], document["reason"], document["replayed"],
                           document["imported"], document["confirmed"], document["median_ns"], document["low_ns"],
                           document["high_ns"], document["roof_share"], document["resources"] or {}, document["counters"] or {})


@dataclass(frozen=True)
class Plot:
    """A chart. Notebooks show it."""

    name: str
    svg: str = field(repr=False)
    """The picture as SVG, which can be written into a file."""

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class TuningResult:
    """The outcome of `Kernel.tune`."""

    problem: Problem
    best: Measurement
    """The best configuration of the problem, including those of earlier sessions."""
    default: Measurement | None
    """The definition's default."""
    speed_up: float | None
    """The default's time divided by that of the best."""
    tied: list[Configuration]
    """Finalists that are as fast as the best."""
    objective: str
    objective_value: float | None
    objective_unit: str | None
    evaluated: int
    by_status: dict[str, int]
    """How many evaluations of this session ended with each status."""
    elapsed_s: float
    exhausted: bool
    """Whether no configuration of the space is left to evaluate."""
    replayed: bool
    """Whether the measurements were taken from a recording: nothing was measured on this machine."""
    session_id: int
    document: Document = field(repr=False)
    text: str = field(repr=False)
    kernel: "Kernel" = field(repr=False, compare=False)
    db: StrPath | None = field(repr=False)

    @staticmethod
    def of(document: Document, text: str, kernel: "Kernel", db: StrPath | None) -> "TuningResult":
        return TuningResult(
            Problem.of(document["workload"]), Measurement.required(document["best"]), Measurement.of(document["default"]),
            document["speed_up"], document["tied"], document["objective"], document["objective_value"], document["objective_unit"],
            document["evaluated"], document["by_status"], document["elapsed_s"], document["exhausted"], document["replayed"],
            document["session_id"], document, text, kernel, db)

    def results(self) -> "Rows":
        """All stored measurements of the problem as a table, earlier sessions included."""
        return self.kernel.results(self.problem.sizes, cache=self.problem.cache, gpu=self.problem.gpu_key, db=self.db)

    def plot(self, name: str) -> "Plot":
        """A chart of the problem: see `Kernel.plot`."""
        return self.kernel.plot(name, self.problem.sizes, cache=self.problem.cache, gpu=self.problem.gpu_key, db=self.db)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.tuning_result(self)


@dataclass(frozen=True)
class Match:
    """The best known configuration for a problem, and how well it fits."""

    problem: Problem
    """The workload that was asked for."""
    configuration: Configuration
    match: str
    """`exact`, `near_problem`, `same_cc`, `same_major`, `portable`, `recommended`, `default` or `none`."""
    reason: str | None
    """Why the configuration is the default, or not the best known one."""
    measured_for: Problem | None
    """The workload for which the configuration was measured. None if it is the default."""
    best: Measurement | None
    default: Measurement | None
    speed_up: float | None
    document: Document = field(repr=False)

    @staticmethod
    def of(document: Document) -> "Match":
        winner = document["winner"] or {"workload": None, "best": None, "default": None, "speed_up": None}
        return Match(Problem.of(document["workload"]), document["configuration"], document["match"], document["reason"],
                     Problem.of(winner["workload"]) if winner["workload"] else None, Measurement.of(winner["best"]),
                     Measurement.of(winner["default"]), winner["speed_up"], document)

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.match(self)


@dataclass(frozen=True)
class Finding:
    """Something that `Kernel.check` or the diagnosis found."""

    severity: str
    title: str
    remedy: str | None
    """What to do, or None if the title says it."""
    gain: float | None
    """The maximum share of the time that the remedy can save. A check sets it to None."""
    file: str
    line: int
    """Counts from 1; 0 where no place is known."""
    column: int

    @staticmethod
    def of_check(document: Document) -> "Finding":
        place = document["place"] or {"file": "", "line": 0, "column": 0}
        return Finding(document["severity"], document["message"], None, None, place["file"], place["line"] or 0, place["column"] or 0)

    @staticmethod
    def of_diagnosis(document: Document | None) -> list["Finding"]:
        findings = [] if document is None else document["findings"]
        return [Finding(one["severity"], one["title"], one["remedy"], one["gain"], "", 0, 0) for one in findings]


@dataclass(frozen=True)
class CheckReport:
    """What `Kernel.check` found."""

    kernel: str
    findings: list[Finding]
    error_count: int
    warning_count: int
    document: Document = field(repr=False)
    text: str = field(repr=False)

    @staticmethod
    def of(document: Document, text: str) -> "CheckReport":
        return CheckReport(document["kernel"], [Finding.of_check(one) for one in document["findings"]], document["error_count"],
                           document["warning_count"], document, text)

    @property
    def passed(self) -> bool:
        """Whether no finding is an error."""
        return self.error_count == 0

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.check_report(self)


@dataclass(frozen=True)
class Explanation:
    """Why the best configuration is faster than the default."""

    problem: Problem
    origin: str
    """Where the rows come from, in words."""
    start: Measurement | None
    end: Measurement | None
    steps: list[Document] = field(repr=False)
    """The changes on the way from `start` to `end`. Each has `changes`, and `time_ratio`: the time after it divided by the time before."""
    parameter_shares: dict[str, float] = field(repr=False)
    """The share of the variance of the time's logarithm that each parameter explains over the space."""
    findings: list[Finding] = field(repr=False)
    """The diagnosis of `end`."""
    notes: list[str] = field(repr=False)
    """What could not be shown, and why."""
    document: Document = field(repr=False)
    text: str = field(repr=False)
    kernel: "Kernel" = field(repr=False, compare=False)
    asked: dict[str, Any] = field(repr=False)
    """The `gpu` and the `db` of the question, which charts ask, too."""

    @staticmethod
    def of(document: Document, text: str, kernel: "Kernel", asked: dict[str, Any]) -> "Explanation":
        start, end = document["from"], document["to"]
        over_space = document["importance"]["over_space"] or {"parameter_shares": {}}
        return Explanation(
            Problem.of(document["workload"]), document["origin"], Measurement.of(start["measurement"]),
            Measurement.of(end["measurement"]), document["path"]["steps"], over_space["parameter_shares"],
            Finding.of_diagnosis(end["diagnosis"]), [_native.in_python(note) for note in document["notes"]], document,
            _native.in_python(text), kernel, asked)

    def plot(self, name: str) -> "Plot":
        """A chart of the problem: see `Kernel.plot`."""
        return self.kernel.plot(name, self.problem.sizes, cache=self.problem.cache, **self.asked)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.explanation(self)


@dataclass(frozen=True)
class Profile:
    """The hardware counters of one configuration, and what they mean."""

    problem: Problem
    which: str
    """The configuration in words: `the default`, `the best of 120 known`."""
    origin: str
    """`just measured`, or where the stored counters are from."""
    measurement: Measurement
    findings: list[Finding] = field(repr=False)
    document: Document = field(repr=False)
    text: str = field(repr=False)
    kernel: "Kernel" = field(repr=False, compare=False)
    asked: dict[str, Any] = field(repr=False)
    """The `gpu` and the `db` of the question, which charts ask, too."""

    @staticmethod
    def of(document: Document, text: str, kernel: "Kernel", asked: dict[str, Any]) -> "Profile":
        return Profile(Problem.of(document["workload"]), document["which"], document["origin"],
                       Measurement.required(document["measurement"]), Finding.of_diagnosis(document["diagnosis"]), document, text,
                       kernel, asked)

    def plot(self, name: str) -> "Plot":
        """A chart of the problem: see `Kernel.plot`."""
        return self.kernel.plot(name, self.problem.sizes, cache=self.problem.cache, **self.asked)

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from . import notebook
        return notebook.profile(self)
