"""Kernels without a session: spaces, checks, errors and pickles."""

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import warptune
from warptune import _native


def test_a_space_counts_samples_and_iterates() -> None:
    space = warptune.Kernel("vector_add").space
    configurations = list(space)
    assert len(configurations) == len(space) == space.size
    assert space.is_exact
    assert space.default in configurations
    assert [space.index_of(one) for one in configurations[:5]] == [0, 1, 2, 3, 4]
    sample = space.sample(10, seed=1)
    assert sample == space.sample(10, seed=1)
    assert all(one in space for one in sample)
    assert len({tuple(one.items()) for one in sample}) == 10


def test_neighbours_differ_in_one_parameter() -> None:
    space = warptune.Kernel("vector_add").space
    for neighbour in space.neighbours(space.default):
        assert sum(neighbour[name] != space.default[name] for name in neighbour) == 1
    assert len(space.neighbours(space.default, adjacent=True)) < len(space.neighbours(space.default))


def test_a_configuration_that_is_not_in_the_space_has_a_reason() -> None:
    space = warptune.Kernel("transpose").space
    wrong = {**space.default, "TILE_X": 3}
    assert wrong not in space
    assert "TILE_X" in space.why_not(wrong)[0]
    assert space.index_of(wrong) is None
    with pytest.raises(warptune.InputError, match="TILE_X"):
        space.neighbours(wrong)


def test_a_space_follows_the_sizes() -> None:
    kernel = warptune.Kernel("transpose")
    assert kernel.space_for(M=64, N=64).problem == {"M": 64, "N": 64, "dtype": "f32"}
    assert kernel.space_for({"M": "1k"}, N=64).problem["M"] == 1024


def test_an_unknown_kernel_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(warptune.InputError, match="transpose"):
        warptune.Kernel("transpos").space  # noqa: B018


def test_a_size_that_the_problem_does_not_have_is_refused() -> None:
    with pytest.raises(warptune.InputError, match="NOPE"):
        warptune.Kernel("transpose").space_for(NOPE=3)
    with pytest.raises(TypeError, match=r"N: expected a bool, an int, a float or a str, found .*list"):
        warptune.Kernel("transpose").space_for(N=[1])  # type: ignore[arg-type]


def test_an_error_in_a_file_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "wrong.cu"
    path.write_text('/* warptune\n[kernel]\nname = "wrong"\nentri = "wrong"\n*/\n')
    with pytest.raises(warptune.InputError) as caught:
        warptune.Kernel(path).space  # noqa: B018
    assert (caught.value.file, caught.value.line, caught.value.column) == (str(path), 4, 9)
    assert "entri" in caught.value.message
    assert str(caught.value).startswith(f"{path}:4:9: ")
    assert isinstance(caught.value, ValueError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_kernel_is_pickled_by_its_name() -> None:
    copy = pickle.loads(pickle.dumps(warptune.Kernel("transpose")))
    assert repr(copy) == "warptune.Kernel('transpose')"
    assert copy.space.size == warptune.Kernel("transpose").space.size


def test_a_file_and_its_pickle_do_not_depend_on_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Path(warptune.__file__).parent / "share" / "warptune" / "kernels" / "transpose.cu"
    (tmp_path / "own.cu").write_text(shipped.read_text())
    (tmp_path / "shared").mkdir()
    monkeypatch.chdir(tmp_path)
    kernel = warptune.Kernel("own.cu", readable=["shared"])
    kept = pickle.dumps((kernel, kernel.space))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    copy, space = pickle.loads(kept)
    assert (copy.name, copy._readable) == ("own.cu", [str(tmp_path / "shared")])
    assert copy.space.size == kernel.space.size == space.size


def test_a_file_with_the_name_of_a_shipped_kernel_does_not_hide_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "transpose").write_text("another file")
    monkeypatch.chdir(tmp_path)
    assert warptune.Kernel("transpose").space.size > 1


@pytest.mark.parametrize(("change", "message"), [
    ({"budget": "abc"}, "budget=abc: expected a number"), ({"until": "soon"}, "until=soon: expected a share"),
    ({"objective": ""}, "objective= at character 1: "), ({"device": "first"}, "device=first: expected an integer"),
    ({"metrics": "cor"}, "metrics=cor: expected core"), ({"M": "many"}, "M=many: expected")])
def test_an_error_names_the_argument_and_no_option_of_the_command_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(warptune.InputError) as caught:
        warptune.Kernel("transpose").tune(**change)
    assert str(caught.value).startswith(message) and "--" not in str(caught.value) and not caught.value.file


def test_messages_of_the_command_line_are_translated() -> None:
    for given, wanted in (
            ("--until 1roof is a share, but --objective is energy", "until=1roof is a share, but objective= is energy"),
            ("name another file with --db FILE", "name another file with db="), ("--top 5, --device=0", "--top 5, --device=0"),
            ("nothing was measured for a N=1; run `warptune tune my kernel.toml`", "nothing was measured for a N=1; call Kernel.tune"),
            ("measure with `warptune tune --metrics core`", 'measure with Kernel.tune(metrics="core")'),
            ("choose smaller sizes with --size", "choose smaller sizes"),
            ("choose a smaller problem with --size, or free the GPU", "choose a smaller problem, or free the GPU"),
            ("raise this limit with --timeout SECONDS", "raise this limit with timeout_s="),
            ("none; without --stored, profile measures it", "none; with stored=False, profile measures it"),
            ("if you trust it, use --trust", "if you trust it, use trust=True")):
        assert _native.in_python(given) == wanted


def test_questions_without_a_database_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(warptune.InputError, match=r"call Kernel\.tune first"):
        warptune.Kernel("transpose").best(db=tmp_path / "none.db")


def test_a_path_may_begin_with_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(warptune.InputError, match=re.escape(str(tmp_path / "none.db"))):
        warptune.Kernel("transpose").best(db="~/none.db")


def test_a_recording_is_explained_profiled_and_tabulated() -> None:
    recording = Path(warptune.__file__).parent / "share" / "warptune" / "recordings" / "vector_add-h200.wtrec.zst"
    kernel = warptune.Kernel(recording)
    explanation = kernel.explain()
    assert explanation.end is not None and explanation.end.status == "measured"
    assert sum(explanation.parameter_shares.values()) <= 1.0 + 1e-9
    assert "vector_add" in str(explanation)
    profile = kernel.profile()
    assert profile.problem.gpu_name == "NVIDIA H200"
    assert profile.measurement.counters
    assert "<pre>" in profile._repr_html_()
    assert len(kernel.results()) > 100
