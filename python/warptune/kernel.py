"""The class `Kernel`: checks, tunes, queries and explains a kernel."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import InputError
from ._values import StrPath, Value, Values, demanded, path_text, place_of, wait_at_exit
from .arrays import Arrays, Check, Reference, checked_by, own_data
from .results import CheckReport, Explanation, Match, Plot, Profile, TuningResult
from .rows import Rows
from .session_events import EventHandler, Listener
from .space import Space

if TYPE_CHECKING:  # The methods that need these modules import them.
    from pathlib import Path

    from .torch_operator import Sizes

Table = Mapping[str, Any]


class Kernel:
    """A CUDA kernel with tunable parameters.

    `kernel` is the name of a shipped kernel, or the path of a definition (`.cu`, `.toml`) or of a recording. Without it, the other
    arguments describe the kernel, as the tables of a definition do. `source` is CUDA text or the path of a file. `arguments` are the
    `[[argument]]` tables, and `recommended` the `[[recommended]]` ones, with `when`, `cost` and `values`. `constraints` are expressions as
    text, or Python functions. `readable` are folders that the definition may read besides its own. With `trust`, you trust its
    author: it may read every file that it names, nvcc may compile it, and `check` runs its code on the CPU.

    Raises `InputError` for a description that is not complete. The definition itself is read when it is first used.
    """

    def __init__(self, kernel: StrPath | None = None, *, readable: Iterable[StrPath] = (), trust: bool = False,
                 name: str | None = None, source: StrPath | None = None, entry: str | None = None, problem: Table | None = None,
                 problem_values: Table | None = None, parameters: Table | None = None, constraints: Sequence[object] | None = None,
                 default: Values | None = None, recommended: Sequence[Table] | None = None, launch: Table | None = None,
                 host: Table | None = None,
                 arguments: Sequence[Table] | None = None, check: Table | None = None, work: Table | None = None,
                 variants: Sequence[Table] | None = None, description: str | None = None, about: str | None = None,
                 vendor: str | None = None, language: str | None = None, compiler: str | None = None,
                 flags: Sequence[str] | None = None, libraries: Sequence[str] | None = None,
                 architecture_specific: bool | None = None, defines: Table | None = None,
                 hints: Sequence[str] | None = None) -> None:
        described = {
            "name": name, "source": source, "entry": entry, "problem": problem, "problem_values": problem_values,
            "parameters": parameters, "constraints": constraints, "default": default, "recommended": recommended,
            "launch": launch, "host": host, "arguments": arguments, "check": check, "work": work, "variants": variants,
            "description": description, "about": about, "vendor": vendor, "language": language, "compiler": compiler,
            "flags": flags, "libraries": libraries, "architecture_specific": architecture_specific, "defines": defines, "hints": hints}
        given = [key for key, value in described.items() if value is not None]
        if kernel is not None and given:
            raise InputError(f"Kernel({os.fspath(kernel)!r}) is a definition of its own, so {given[0]}= cannot be given, too")
        missing = [key for key in ("name", "source", "parameters") if kernel is None and described[key] is None]
        if missing:
            raise InputError(f"a kernel needs a name or a path, or a description with name=, source= and parameters=; "
                             f"{missing[0]}= is missing")
        self._name = None if kernel is None else os.fspath(kernel)
        self._kernel = None if kernel is None else place_of(kernel)
        self._definition: dict[str, Any] | None = None
        if kernel is None:
            from .definition import translated
            self._definition = translated(described)
        self._readable = [os.path.abspath(os.path.expanduser(os.fspath(folder))) for folder in readable]
        self._trust = trust

    def _source(self, problem: Values | None, sizes: Values) -> _native.KernelSource:
        wanted = {**(problem or {}), **sizes}
        if self._definition is None:
            return _native.KernelSource(str(self._kernel), self._readable, self._trust, wanted)
        from .definition import DefinitionFiles
        # Another thread may make files at the same time. Both use those that `setdefault` keeps, because the others are removed.
        files: DefinitionFiles = self.__dict__.get("_files") or self.__dict__.setdefault("_files", DefinitionFiles(self._definition))
        return _native.KernelSource(str(files.path), [*self._readable, *files.readable], self._trust, wanted)

    @property
    def name(self) -> str:
        """The name, as it was given: that of a shipped kernel, a path, or the `name` of the description."""
        return str(self._definition["name"]) if self._definition is not None else str(self._name)

    @property
    def space(self) -> Space:
        """The space for the problem of the definition. `space_for` returns the space for other sizes."""
        return self.space_for()

    def space_for(self, problem: Values | None = None, **sizes: Value) -> Space:
        """The space for other sizes, given by name. Raises `InputError` for a definition that cannot be used."""
        return Space(_native.KernelSpace(self._source(problem, sizes)), self)

    def check(self, problem: Values | None = None, *, sample: int | None = 3, seed: int = 1, jobs: int = 0,
              **sizes: Value) -> CheckReport:
        """Compiles the reference, the default and `sample` configurations (None: all), and says what is wrong. It needs NVRTC and no GPU.

        With `trust`, it also runs them on the CPU for small sizes, and compares their results with those of the reference. `jobs` is
        the number of compile workers; 0: one for each core.

        Raises `InputError` for a definition that cannot be used, and `MachineError` without NVRTC.
        """
        handler = EventHandler()
        return CheckReport.of(*_decoded(_native.check(self._source(problem, sizes), sample, seed, jobs, handler)))

    def tune(self, problem: Values | None = None, *, budget: str | int = "60s", objective: str = "time", strategy: str = "auto",
             seed: int = 1, until: str | None = None, cache: str | None = None, device: int | str | Sequence[int] = 0,
             metrics: str | Sequence[str] = "core", count: str = "contenders", jobs: int = 0, timeout_s: float | None = None,
             fresh: bool = False, transfer: bool = True, thorough: bool = False, reproducible: str | bool | None = None,
             replay: StrPath | bool | None = None, db: StrPath | None = None, progress: Listener | bool | None = None,
             inputs: Arrays | None = None,
             expected: Arrays | None = None, reference: Reference | None = None, check: Check | None = None,
             **sizes: Value) -> TuningResult:
        """Finds the fastest correct configuration, and stores every measurement in the database `db`.

        Sizes are given by name: `tune(N=4096)`. `budget` is a time ("30s", "1h30m"), a number of evaluations, or "all". `until`
        ends earlier: "0.9roof", "2%". `replay` is a recording that supplies the measurements instead of a GPU; False forbids this. By
        default, a shipped recording is used if there is no GPU and it has exactly what is asked for; a `TuningWarning` says so.
        `progress` is called with `Progress` objects; True shows a line on standard error, or a bar in a notebook. `device` are the GPUs
        that measure, which must be of one model. `cache` is the state of the L2 cache before each timed launch, "cold" or "warm".
        `reproducible` says what the outputs of the best must be known to be: "runs", "bits" (or True), "relative=X", "absolute=X" or
        "ulp=X". The other arguments are those of `warptune tune`.

        `inputs` are arrays of PyTorch, CuPy, NumPy or others, by the names of arguments: they are copied, and each launch begins with
        them. `expected`, `reference` or `check` replaces the definition's `[check]`; only one of them can be given. `expected` are the
        right contents of the outputs. `reference` is called once with the arrays of `inputs`, in the order of the definition. It returns
        the right outputs: one array, a tuple or list in their order, or a dict. `check` is called on this thread with each
        launch's outputs, as a dict of memoryviews. It returns None or True if they are right, and False or a text if not. If it raises
        an exception, the session ends and this call raises the exception. Sizes are not derived from arrays, so give them, too. With
        `inputs` or one of the three, a recording is used only if `replay` names it. `check` is not called for a recording's rows.

        Other Python threads can run meanwhile. Ctrl-C ends the session in a fraction of a second and raises `KeyboardInterrupt`.
        Everything measured is kept, and the same call continues from there.

        Raises `InputError` for a wrong definition or argument, `MachineError` without a GPU, and `WorkError` if no configuration is
        correct.
        """
        search = _native.SearchChoice()
        search.budget = str(budget)
        search.objective = objective
        search.strategy = strategy
        search.seed = seed
        search.until = until or ""
        search.metrics = metrics if isinstance(metrics, str) else ",".join(metrics)
        search.count = count
        search.fresh = fresh
        search.transfer = transfer
        search.thorough = thorough
        search.reproducible = demanded(reproducible)
        search.measure = replay is False or any(given is not None for given in (inputs, expected, reference, check))
        search.replay = None if isinstance(replay, bool) else path_text(replay)
        if replay is True:
            raise InputError("replay=True does not say which recording: give its path")
        devices = str(device) if isinstance(device, (int, str)) else ",".join(str(one) for one in device)
        measuring = _native.MeasuringChoice(cache, devices, jobs, timeout_s, path_text(db))
        handler = EventHandler(progress)
        try:
            source = self._source(problem, sizes)
            own = own_data(source, inputs, expected, reference, check)
            answer = _native.tune(source, measuring, search, own, None if check is None else checked_by(check), handler)
        finally:
            handler.end()
        return TuningResult.of(*_decoded(answer), self, db)

    def best(self, problem: Values | None = None, *, objective: str = "time", cache: str = "cold", gpu: str | None = None,
             strict: bool = False, reproducible: str | bool | None = None, db: StrPath | None = None, **sizes: Value) -> Match:
        """The best known configuration for a problem, and how well it fits. Nothing is measured.

        `gpu` is a part of the name of a GPU in the database, or a description of any GPU, such as "cc=80,sms=108". By default, it is
        this machine's GPU, or else that of the newest session. With `reproducible`, only a row of exactly this problem and GPU answers
        whose outputs are known to be what is demanded: "runs", "bits" (or True), "relative=X", "absolute=X" or "ulp=X".

        If no session has made the default database yet, the answer is what the definition recommends.

        Raises `InputError` for a wrong definition or argument, and if there is neither a database nor a recommendation. With `strict`,
        raises `WorkError` if there is no exact match, and with `reproducible` if no row is known to meet the demand.
        """
        answer = _native.query(self._source(problem, sizes), objective, cache, gpu, strict, demanded(reproducible), path_text(db))
        return Match.of(json.loads(answer))

    def load(self, problem: Values | None = None, *, device: int | None = None, in_background: bool = False, objective: str = "time",
             cache: str = "cold", strict: bool = False, reproducible: str | bool | None = None, db: StrPath | None = None,
             **sizes: Value) -> _native.LoadedKernel:
        """The best known configuration for a problem, as a function of device arrays. Nothing is measured.

        The configuration is that of `best` for the GPU `device`. By default, `device` is the GPU of this thread's CUDA context, or else
        the first one. Before anything was tuned, it is what the definition recommends ("recommended") or its default; a `db` that is given
        must exist. The code comes from the compile cache, or is compiled now. With `in_background`, the definition's default runs
        until the code is compiled; `wait()` waits for it. `reproducible` is that of `best`. Both together are refused unless
        `reproducible` is "bits", because it is not known what the default gives.

        `fn(x, y, stream=None)` passes the arguments of the definition in order, without scratch buffers. Scalars that follow from the
        problem may be left out. Arrays are tensors of PyTorch, arrays of CuPy, Numba and JAX, and whatever has DLPack or
        `__cuda_array_interface__`; nothing is copied. Without `stream`, the launch is on the current stream of PyTorch or CuPy.
        A call with wrong arguments raises `InputError` and launches nothing.

        Raises `InputError` for a wrong definition or argument, and for a `db` that does not exist. Raises `MachineError` without a GPU,
        driver or NVRTC. Raises `WorkError` if no configuration can run, and with `strict` if there is no exact match.
        """
        if in_background:
            wait_at_exit()
        return _native.load(self._source(problem, sizes), device, objective, cache, strict, demanded(reproducible), in_background,
                            path_text(db))

    def signature(self) -> list[_native.LoadedArgument]:
        """The arguments that calls of a loaded kernel pass, in order, without their sizes.

        Raises `InputError` for a definition that cannot be used.
        """
        return _native.signature(self._source(None, {}))

    def torch_operator(self, name: str, sizes: "Sizes | None" = None, **options: Any) -> Any:
        """Registers the kernel as an operator of PyTorch, "namespace::name", and returns it. torch.compile can use it.

        The operator takes the buffers in the order of the definition, and writes into the outputs among them. Scalars that do not
        follow from the problem are keyword arguments. `sizes` gets the tensors of a call and returns the problem: `lambda x, y: {"N":
        x.numel()}`. Each problem is loaded once, with the `options` of `load`. A tensor that requires a gradient is refused while
        gradients are on.

        Raises `InputError` for another form of name, or for a kernel without outputs.
        """
        from .torch_operator import register
        return register(self, name, sizes, options)

    def explain(self, problem: Values | None = None, *, start: Values | None = None, end: Values | None = None, measure: bool = True,
                cache: str | None = None, gpu: str | None = None, jobs: int = 0, timeout_s: float | None = None,
                db: StrPath | None = None, **sizes: Value) -> Explanation:
        """Explains why the best known configuration is faster than the default, and which parameters matter.

        `start` replaces values of the default, and `end` replaces values of the best. Steps between the two that were never measured are
        measured now if this machine has the GPU, unless `measure` is False. Raises `WorkError` if nothing is stored.
        """
        measuring = _native.MeasuringChoice(cache, "0", jobs, timeout_s, path_text(db))
        answer = _native.explain(self._source(problem, sizes), measuring, gpu, dict(start or {}), dict(end or {}), measure,
                                 EventHandler())
        return Explanation.of(*_decoded(answer), self, {"gpu": gpu, "db": db})

    def profile(self, problem: Values | None = None, *, configuration: Values | None = None, default: bool = False,
                stored: bool = False, source_lines: bool = False, cache: str | None = None, gpu: str | None = None, jobs: int = 0,
                timeout_s: float | None = None, db: StrPath | None = None, **sizes: Value) -> Profile:
        """The hardware counters of the best known configuration, and what they mean.

        `configuration` replaces values of this configuration. With `default`, the definition's default is profiled instead. With
        `stored`, nothing is measured. With `source_lines`, the source lines that warps execute are sampled, too. Raises `WorkError` if
        no counters are known.
        """
        measuring = _native.MeasuringChoice(cache, "0", jobs, timeout_s, path_text(db))
        answer = _native.profile(self._source(problem, sizes), measuring, gpu, dict(configuration or {}), default, stored, source_lines,
                                 EventHandler())
        return Profile.of(*_decoded(answer), self, {"gpu": gpu, "db": db})

    def results(self, problem: Values | None = None, *, cache: str | None = None, gpu: str | None = None, db: StrPath | None = None,
                **sizes: Value) -> Rows:
        """All stored measurements of a problem as a table. Raises `WorkError` if there are none."""
        return Rows(_native.results(self._source(problem, sizes), gpu, cache, path_text(db)))

    def _session_results(self, session_id: int, db: StrPath | None = None) -> Rows:
        """The stored measurements of one session. Raises `WorkError` if there are none."""
        return Rows(_native.session_results(self._source(None, {}), session_id, path_text(db)))

    def plot(self, name: str, problem: Values | None = None, *, cache: str | None = None, gpu: str | None = None,
             db: StrPath | None = None, **sizes: Value) -> Plot:
        """A chart of stored results: "convergence", "distribution", "roofline", "effects", or the name of a counter, which is drawn
        against the time.

        Raises `WorkError` if too few results are stored for it, and `InputError` if the arguments fit several problems or GPUs.
        """
        return Plot(name, _native.plot(self._source(problem, sizes), name, gpu, cache, path_text(db)))

    def report(self, path: StrPath, problem: Values | None = None, *, cache: str | None = None, gpu: str | None = None,
               db: StrPath | None = None, with_source: bool = True, **sizes: Value) -> "Path":
        """Writes everything that is stored about the kernel into one HTML file that opens offline, and returns its path.

        Raises `InputError` for a wrong definition or argument, and without a database. Raises `WorkError` if nothing is stored.
        """
        from pathlib import Path
        source = self._source(problem, sizes)
        page = _native.report_page(source, gpu, cache, path_text(db), with_source)
        written = Path(path).expanduser()
        written.write_text(page, encoding="utf-8")
        return written

    def __repr__(self) -> str:
        return f"warptune.Kernel({self._kernel!r})" if self._definition is None else f"<warptune.Kernel {self.name}>"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_files"}


def _decoded(answer: tuple[str, str]) -> tuple[dict[str, Any], str]:
    document, text = answer
    return json.loads(document), text
