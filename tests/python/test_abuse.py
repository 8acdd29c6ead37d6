"""Threads, fork, the end of the interpreter, leaks: the right answer or an exception, no crash."""

import gc
import multiprocessing
import os
import resource
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import switchyard
from conftest import random_csr


def run(program, **environment):
    """Run a program in an interpreter of its own; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_eight_threads_on_one_matrix(rng):
    data, indices, indptr, dense = random_csr(rng, 500, 500)
    A = switchyard.matrix((data, indices, indptr), shape=(500, 500))
    failures = []

    def work(seed):
        x = np.random.default_rng(seed).standard_normal(500)
        X = np.random.default_rng(seed).standard_normal((500, 4))
        for _ in range(100):
            for actual, expected in (
                (A @ x, dense @ x), (A.T @ x, dense.T @ x), (A @ X, dense @ X)
            ):  # fmt: skip
                if not np.allclose(actual, expected):
                    failures.append(seed)

    threads = [threading.Thread(target=work, args=[seed]) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert A.counters["calls"] == 8 * 100 * 3


def test_updates_while_others_multiply():
    A = switchyard.matrix(np.ones((200, 200)))
    A.bring_to("csr@host")
    stop = threading.Event()
    torn = []

    def multiply():
        while not stop.is_set():
            y = A @ np.ones(200)
            if not (y == y[0]).all() or y[0] % 200 != 0:
                torn.append(y)

    threads = [threading.Thread(target=multiply) for _ in range(4)]
    for thread in threads:
        thread.start()
    for factor in range(1, 60):
        A.update(np.full((200, 200), float(factor)))
    stop.set()
    for thread in threads:
        thread.join()
    assert not torn
    np.testing.assert_array_equal(A @ np.ones(200), np.full(200, 200 * 59.0))


def test_other_threads_run_during_a_product(rng):
    data, indices, indptr, dense = random_csr(rng, 2000, 2000, 0.3)
    A = switchyard.matrix((data, indices, indptr), shape=dense.shape).pin("csr@host")
    X = np.ones((2000, 64))
    gate, passed = threading.Lock(), threading.Event()
    gate.acquire()

    def wait_for_gate():
        with gate:
            passed.set()

    other = threading.Thread(target=wait_for_gate)
    other.start()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)  # only a product gives the lock away
    try:
        gate.release()
        A @ X
        assert passed.is_set()
    finally:
        sys.setswitchinterval(interval)
        other.join()


def _product_in_child(A, x, results):
    results.put(A @ x)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_after_the_first_product(rng):
    data, indices, indptr, dense = random_csr(rng, 800, 800, 0.2)
    A = switchyard.matrix((data, indices, indptr), shape=dense.shape)
    x = rng.standard_normal(800)
    A @ x
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_product_in_child, args=[A, x, results])
    child.start()
    np.testing.assert_allclose(results.get(timeout=60), dense @ x)
    child.join(60)
    assert child.exitcode == 0
    np.testing.assert_allclose(A @ x, dense @ x)


def test_fork_while_threads_multiply():
    program = """
        import os, threading, warnings
        import numpy as np, switchyard
        warnings.simplefilter("ignore", DeprecationWarning)
        A = switchyard.matrix(np.ones((400, 400)))
        x, X = np.ones(400), np.ones((400, 4))
        done = threading.Event()
        def work():
            while not done.is_set():
                A @ x, A.T @ X
                A.update(np.ones((400, 400)))
        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(100):
            child = os.fork()
            if child == 0:
                A.update(np.ones((400, 400)))
                right = (A @ x == 400).all() and (A.T @ X == 400).all() and A.states
                os._exit(0 if right else 1)
            assert os.waitpid(child, 0)[1] == 0
        done.set()
        for thread in threads:
            thread.join()
        print("end")
    """
    assert run(program) == "end\n"


def test_memory_that_the_system_does_not_give():
    program = """
        import resource
        import numpy as np, switchyard
        n = 40_000
        arrays = np.ones(n), np.arange(n, dtype=np.int32), np.arange(n + 1, dtype=np.int32)
        A = switchyard.matrix(arrays, shape=(n, n))
        x = np.ones(n)
        A @ x
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        wide = np.broadcast_to(1.0, (n, n))
        for call in (A.toarray, lambda: A.bring_to("dense@host"), lambda: A @ wide):
            try:
                call()
            except MemoryError:
                print("short", end=" ")
        assert A.states == ["csr@host"], A.states
        print((A @ x).sum())
    """
    assert run(program) == "short short short 40000.0\n"


@pytest.mark.parametrize("devices", ["none", "all"])
def test_the_interpreter_ends_with_products_in_flight(devices):
    program = """
        import threading, time
        import numpy as np, switchyard
        A = switchyard.matrix(np.random.default_rng(0).standard_normal((1500, 1500)))
        x, X = np.ones(1500), np.ones((1500, 8))
        def forever():
            while True:
                A @ x
                A.T @ X
        for _ in range(3):
            threading.Thread(target=forever, daemon=True).start()
        time.sleep(0.5)
        print("end")
    """
    for _ in range(3):
        assert run(program, SWITCHYARD_DEVICES=devices) == "end\n"


@pytest.mark.parametrize("seconds", [0.1, 0.4, 1])
def test_the_interpreter_ends_while_a_kernel_is_built_for_the_first_time(tmp_path, seconds):
    program = f"""
        import threading, time
        import numpy as np, switchyard
        A = switchyard.matrix(np.ones((50, 50), np.float32))
        def builds():
            A.pin("dense@device0")
            A @ np.ones(50, np.float32)
        if switchyard.devices()["devices"]:
            threading.Thread(target=builds, daemon=True).start()
        time.sleep({seconds})
        print("end")
    """
    folder = str(tmp_path)  # no kernel was built before
    caches = {"POCL_CACHE_DIR": folder, "XDG_CACHE_HOME": folder}
    assert run(program, SWITCHYARD_DEVICES="all", **caches) == "end\n"


def test_a_matrix_that_is_never_freed_is_no_complaint():
    program = """
        import numpy as np, switchyard
        switchyard.keep = switchyard.matrix(np.eye(3))
        switchyard.keep.itself = switchyard.keep
        print(switchyard.keep @ np.ones(3))
    """
    assert run(program) == "[1. 1. 1.]\n"


def test_products_at_exit():
    program = """
        import atexit
        import numpy as np, switchyard
        A = switchyard.matrix(np.eye(3))
        atexit.register(lambda: print((A @ np.ones(3)).sum()))
    """
    assert run(program) == "3.0\n"


def test_without_scipy():
    program = """
        import sys, importlib.util
        class NoScipy:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] == "scipy":
                    raise ModuleNotFoundError(name)
        find = importlib.util.find_spec
        importlib.util.find_spec = lambda name, *a: None if name == "scipy" else find(name, *a)
        sys.meta_path.insert(0, NoScipy())
        import numpy as np, switchyard
        A = switchyard.matrix((np.ones(2), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2))
        print(A @ np.array([1.0, 2]), np.array([1.0, 2]) @ A, A.T.matvec([3, 4]))
    """
    assert run(program) == "[2. 1.] [2. 1.] [4. 3.]\n"


def test_importing_does_not_import_scipy():
    assert run("import sys, switchyard; print('scipy' in sys.modules)") == "False\n"


@pytest.mark.parametrize(
    "call",
    [
        lambda A: A.pin(None),
        lambda A: A.expect_calls("many"),
        lambda A: A.expect_calls(2.5),
        lambda A: A.multiply(np.ones(3), alpha="two"),
        lambda A: A.multiply(np.ones(3), alpha=1j),
        lambda A: A.matvec(None),
        lambda A: A @ object(),
        lambda A: switchyard.matrix(None),
        lambda A: switchyard.matrix(A, dtype="text"),
        lambda A: switchyard.matrix(np.eye(2), runtime="none"),
        lambda A: switchyard.Runtime(devices=5),
        lambda A: switchyard.Vector(-1),
        lambda A: switchyard.Vector(10**30),
        lambda A: switchyard.Vector(None),
        lambda A: switchyard.Vector(3).scale("x"),
        lambda A: type(A._handle).dense(None, np.eye(3)),
        lambda A: type(A._handle).dense(switchyard.default_runtime()._core, None),
        lambda A: switchyard.calibrate(budget="long", output="unused"),
    ],
)
def test_arguments_that_are_off_raise(call):
    A = switchyard.matrix(np.eye(3))
    with pytest.raises((TypeError, ValueError, AttributeError)):
        call(A)
    np.testing.assert_array_equal(A @ np.ones(3), np.ones(3))


def test_products_leak_nothing(rng):
    data, indices, indptr, dense = random_csr(rng, 100, 100)
    x, out = rng.standard_normal(100), np.empty(100)
    counts = lambda: [sys.getrefcount(o) for o in (data, indices, indptr, x, out)]  # noqa: E731
    gc.collect()
    before, blocks = counts(), None
    for turn in range(4):
        for _ in range(200):
            A = switchyard.matrix((data, indices, indptr), shape=(100, 100))
            A @ x
            A.T @ x
            A.multiply(x, out, 2, 3)
            A.explain()
            A.csr_arrays()
            for method, argument in ((A.__matmul__, out[:3]), (A.pin, "x"), (A.matmat, out)):
                with pytest.raises(ValueError):
                    method(argument)
            del A, method, argument
        gc.collect()
        if turn == 0:
            blocks = sys.getallocatedblocks()
    assert counts() == before
    assert sys.getallocatedblocks() - blocks < 300


def test_large_results_are_freed():
    A = switchyard.matrix(np.ones((1000, 10)))
    X = np.ones((10, 1000))
    for _ in range(20):
        A @ X, A.toarray(), A.csr_arrays()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(100):
        A @ X, A.toarray(), A.csr_arrays()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 100_000, "kilobytes; each round makes 8000"
