"""The HTML that notebooks show for results: tables, charts, and below them the text that the command prints."""

import math
from typing import TYPE_CHECKING, Any

from . import html
from ._errors import Error

if TYPE_CHECKING:
    from ._native import LoadedKernel
    from .results import CheckReport, Explanation, Finding, Match, Measurement, Profile, TuningResult
    from .rows import Rows
    from .session_events import Progress
    from .space import Space

ROWS_SHOWN = 10
VALUES_SHOWN = 12
MIN_R_SQUARED = 0.5  # kMinRSquared of search/analysis/modelled_importance.h


def time_text(time_ns: float | None) -> str:
    return "no time" if time_ns is None else f"{time_ns / 1e3:.2f} us"


def _measurements(named: "list[tuple[str, Measurement | None]]") -> str:
    known = [(title, one) for title, one in named if one is not None]
    if not known:
        return ""
    heads = ["", *known[0][1].configuration, "median"]
    return html.table(heads, [(title, *one.configuration.values(), time_text(one.median_ns)) for title, one in known])


def _charts(result: "TuningResult | Explanation | Profile", *names: str) -> str:
    """The charts of the result's problem. A chart that cannot be drawn, because too few results are stored, is left out."""
    pictures = []
    for name in names:
        try:
            pictures.append(html.picture(result.plot(name).svg, name))
        except Error:
            continue
    return "".join(pictures)


def _findings(findings: "list[Finding]") -> str:
    if not findings:
        return ""
    rows = [(one.severity, one.title, "" if one.gain is None else f"at most {one.gain:.0%} of the time", one.remedy or "")
            for one in findings]
    return html.table(["severity", "finding", "gain", "remedy"], rows)


def tuning_result(result: "TuningResult") -> str:
    speed_up = "" if result.speed_up is None else f"; the best is {result.speed_up:.2f} times as fast as the default"
    replayed = html.paragraph("replayed from a recording: nothing was measured on this machine") if result.replayed else ""
    return (html.paragraph(f"{result.problem}: {result.evaluated} evaluated in {result.elapsed_s:.1f} s{speed_up}")
            + _measurements([("default", result.default), ("best", result.best)]) + replayed
            + _charts(result, "convergence", "distribution"))


def match(found: "Match") -> str:
    return (html.paragraph(f"{found.problem}, match: {found.match}" + (f"; {found.reason}" if found.reason else ""))
            + html.table(list(found.configuration), [list(found.configuration.values())]))


def check_report(report: "CheckReport") -> str:
    places = [(one.severity, one.title, f"{one.file}:{one.line}:{one.column}" if one.line else one.file) for one in report.findings]
    verdict = "passed" if report.passed else f"{report.error_count} errors"
    return (html.paragraph(f"{report.kernel}: {verdict}, {report.warning_count} warnings")
            + (html.table(["severity", "finding", "place"], places) if places else "") + html.details("the whole report", report.text))


def _step(step: dict[str, Any]) -> tuple[str, str, str]:
    changes = ", ".join(f"{one['parameter']} {one['from']} \N{RIGHTWARDS ARROW} {one['to']}" for one in step["changes"])
    ratio = step["time_ratio"]
    return changes, time_text(step["time_after_ns"]), f"{1 / ratio:.2f}x" if ratio else ""


def _importance(importance: dict[str, Any]) -> str:
    """A table of the share of the variance that each parameter explains alone. Models with a low R squared are left out."""
    models = {head: importance[key] for key, head in (("over_space", "over the space"), ("near_best", "near the best"))}
    shown = {head: one["parameter_shares"] for head, one in models.items() if one and (one["r_squared"] or 0.0) >= MIN_R_SQUARED}
    names = {name: sum(shares[name] or 0.0 for shares in shown.values()) for shares in shown.values() for name in shares}
    lines = [(name, *(f"{max(shares[name] or 0.0, 0.0):.0%}" for shares in shown.values()))
             for name, total in sorted(names.items(), key=lambda one: -one[1]) if total >= 0.005]
    return html.table(["share of the variance", *shown], lines) if lines else ""


def explanation(explained: "Explanation") -> str:
    steps = [_step(step) for step in explained.steps]
    return (html.paragraph(f"{explained.problem}: from {explained.origin}")
            + _measurements([("from", explained.start), ("to", explained.end)])
            + (html.table(["step", "time after it", "as fast"], steps) if steps else "")
            + _importance(explained.document["importance"]) + _findings(explained.findings) + _charts(explained, "effects")
            + html.details("the whole explanation", explained.text))


def profile(profiled: "Profile") -> str:
    return (html.paragraph(f"{profiled.problem}: {profiled.which}, {profiled.origin}")
            + _measurements([(profiled.which.split(":")[0], profiled.measurement)]) + _findings(profiled.findings)
            + _charts(profiled, "roofline") + html.details("the whole profile", profiled.text))


def rows(table: "Rows") -> str:
    """The fastest rows: their parameters, which come before the status, and their times."""
    columns = table.columns
    shown = [*columns[:columns.index("status")], "status", "median_ns"]
    held = {name: table.values(name) for name in shown}
    times = [math.inf if time is None else float(time) for time in held["median_ns"]]
    fastest = sorted(range(len(table)), key=times.__getitem__)[:ROWS_SHOWN]
    cells = [["" if held[name][row] is None else held[name][row] for name in shown] for row in fastest]
    more = f"the fastest {ROWS_SHOWN} of " if len(table) > ROWS_SHOWN else ""
    return html.paragraph(f"{more}{len(table)} rows, {len(columns)} columns") + html.table(shown, cells)


def space(shown: "Space") -> str:
    lines = []
    for name, values in shown.parameters.items():
        listed = ", ".join(map(str, values[:VALUES_SHOWN]))
        lines.append((name, listed + (f", ... {len(values)} values" if len(values) > VALUES_SHOWN else ""), shown.default.get(name, "")))
    return (html.paragraph(repr(shown)[1:-1].removeprefix("warptune.")) + html.table(["parameter", "values", "default"], lines)
            + "".join(html.paragraph(f"constraint: {text}") for text in shown.constraints))


def loaded_kernel(fn: "LoadedKernel") -> str:
    sizes = " ".join(f"{name}={value}" for name, value in fn.problem.items())
    passed = ", ".join(one.name for one in fn.arguments)
    found: Any = fn.match
    return (html.paragraph(f"{fn.kernel} {sizes} on device {fn.device}, match: {found.match}, state: {fn.state}; call it with ({passed})")
            + html.table(list(fn.configuration), [list(fn.configuration.values())]))


def progress(told: "Progress") -> str:
    done = "" if told.done_share is None else f'<progress value="{told.done_share:.4f}" max="1"></progress> '
    return f"<div>{done}{html.escape(str(told))}</div>"
