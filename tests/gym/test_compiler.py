"""Compiling for a GPU, as far as that can be tested without one."""

import threading
from types import SimpleNamespace

import pytest
from llvmlite import ir
from numba.core import cgutils

import backroom
from backroom.gym import compiler


def parts():
    """What is used of numba-cuda's classes of kernels and their code."""

    class Code:
        def __init__(self, failures=0):
            self.made, self.failures, self.frozen = [], failures, False

        def get_asm_str(self, cc=None):
            self.get_cubin(cc)
            return "assembly"

        def get_llvm_str(self):
            self.frozen = True

        def get_cubin(self, cc=None):
            if self.failures:
                self.failures -= 1
                raise RuntimeError("NVVM failed")
            if not self.made:
                self.made.append(threading.current_thread())

        def _ensure_cc(self, cc):
            return cc

    class Kernel:
        def __init__(self, code):
            self._codelibrary = code
            self.assembly = code.get_asm_str()

        def bind(self):
            self._codelibrary.get_cubin()

    return Kernel, Code


class Launch:
    """A kernel that is compiled when it is called, or before."""

    def __init__(self, kind, code):
        self.kind, self.code, self.overloads = kind, code, {}

    def _compile_for_args(self, *arguments):
        made = self.kind(self.code)
        made.bind()
        self.overloads[arguments] = made


@pytest.fixture
def patched(monkeypatch):
    monkeypatch.setattr(compiler, "_threaded", [])
    kernel, library = parts()
    compiler.compile_in_threads(kernel, library)
    return kernel, library


def test_nvidia_s_compiler_runs_in_threads(patched):
    kernel, library = patched
    launches = [Launch(kernel, library()) for _ in range(3)]
    compiler.compile_ahead(*((launch, (1, 2)) for launch in launches))
    for launch in launches:
        assert launch.code.frozen
        assert len(launch.code.made) == 1
        assert launch.code.made[0] is not threading.current_thread()
        assert launch.overloads[1, 2].assembly == ""
    made = [launch.code.made for launch in launches]
    compiler.compile_ahead(*((launch, (1, 2)) for launch in launches))
    assert [launch.code.made for launch in launches] == made


def test_other_kernels_are_compiled_where_they_are_called(patched):
    kernel, library = patched
    launch = Launch(kernel, library())
    launch._compile_for_args(1)
    assert launch.code.made == [threading.current_thread()]
    assert launch.overloads[1,].assembly == "assembly"


def test_a_failure_in_a_thread_is_seen_when_the_kernel_is_called(patched):
    kernel, library = patched
    launch = Launch(kernel, library(failures=2))
    compiler.compile_ahead((launch, ()))
    with pytest.raises(RuntimeError, match="NVVM failed"):
        launch.overloads[()].bind()
    launch.overloads[()].bind()
    assert launch.code.made == [threading.current_thread()]


def test_with_another_numba_cuda_nothing_is_compiled_ahead():
    kernel, library = parts()
    assert compiler.can_thread("0.30.4", kernel, library)
    for version in ("", "0.29.0", "0.3.0", "0.31.0", "1.30.0"):
        assert not compiler.can_thread(version, kernel, library)
    for of, part in ((kernel, "bind"), (library, "get_cubin")):
        without = type("Without", (), {name: value for name, value in vars(of).items() if name != part})
        assert not compiler.can_thread("0.30.4", *(without if one is of else one for one in (kernel, library)))
    launch = Launch(kernel, library())
    compiler.compile_ahead((launch, ()))
    assert launch.overloads == {}


def test_local_arrays_of_ours_are_not_filled():
    parts = SimpleNamespace(alloca_once=cgutils.alloca_once)
    compiler.leave_unfilled(parts)
    kind = ir.ArrayType(ir.IntType(32), 640)

    def entry(name):
        function = ir.Function(ir.Module(), ir.FunctionType(ir.VoidType(), []), "kernel")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        made = parts.alloca_once(builder, kind, name=name)
        assert made.type.pointee == kind
        return [instruction.opname for instruction in function.entry_basic_block.instructions]

    assert entry(compiler.LOCAL) == ["alloca", "store"]
    with compiler.compiling(backroom.game("run")):
        assert entry(compiler.LOCAL) == ["alloca"]
        assert entry("another") == ["alloca", "store"]
