"""devices(), doctor(), calibrate(), trace(), runtimes."""

import io
import json
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import switchyard


def test_devices():
    report = switchyard.devices()
    assert report["host"]["threads"] >= 1 and report["devices"] == []
    assert set(report.to_dict()) >= {"host", "devices", "profile"}
    assert "host" in str(report) and "<pre>" in report._repr_html_()


def test_doctor():
    report = switchyard.doctor()
    assert report["status"] in {"ok", "warning", "problem"}
    assert {check["name"] for check in report["checks"]} >= {"devices", "profile", "threads"}
    assert "profile" in str(report)


def test_without_an_opencl_loader(tmp_path):
    # What has the loader's name is no library, and is found first.
    (tmp_path / "libOpenCL.so.1").write_text("not a library")
    program = """if True:
        import numpy as np
        import switchyard
        runtime = switchyard.Runtime(devices="all")
        assert (switchyard.matrix(np.eye(3), runtime=runtime) @ np.ones(3) == 1).all()
        print(*switchyard.devices(runtime)["left_out"], sep="\\n")
    """
    folders = [str(tmp_path), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    ended = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "LD_LIBRARY_PATH": ":".join(folders)},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    assert "there is no OpenCL loader" in ended.stdout


def test_runtimes():
    runtime = switchyard.Runtime(devices="none", threads=1, reproducible=True)
    assert repr(runtime) == "<switchyard.Runtime on host>"
    A = switchyard.matrix(np.eye(3), runtime=runtime)
    A @ np.ones(3)
    assert runtime.counters["calls"] == 1
    with pytest.raises(switchyard.Error):
        switchyard.Runtime(devices="such a device")
    for threads in (0, -1):
        with pytest.raises(ValueError, match="threads must be at least 1"):
            switchyard.Runtime(devices="none", threads=threads)
    with pytest.raises(switchyard.Error, match="no trace"):
        runtime.write_trace("nowhere.json")
    with pytest.raises(OSError):
        runtime.use_profile("/nonexistent/profile.json")


def test_a_trace_has_the_calls_of_its_block(tmp_path):
    path = tmp_path / "trace.json"
    before = switchyard.default_runtime()
    with switchyard.trace(path) as runtime:
        assert switchyard.default_runtime() is runtime
        A = switchyard.matrix(np.eye(20))
        for _ in range(3):
            A @ np.ones(20)
    assert switchyard.default_runtime() is before
    events = json.loads(path.read_text())
    events = events["traceEvents"] if isinstance(events, dict) else events
    assert any("multiply" in event.get("name", "") for event in events)


def test_a_trace_is_written_after_an_error(tmp_path):
    with pytest.raises(KeyError), switchyard.trace(tmp_path / "t.json"):
        raise KeyError
    assert (tmp_path / "t.json").exists()


def test_calibration_tells_how_far_it_is_and_is_used(tmp_path):
    told = []
    runtime = switchyard.Runtime(devices="none")
    report = switchyard.calibrate(
        budget=2,
        output=tmp_path / "folder" / "profile.json",
        progress=lambda *how_far: told.append(how_far),
        runtime=runtime,
    )
    assert (tmp_path / "folder" / "profile.json").exists()
    assert told and all(done <= total for _, done, total, _, _ in told)
    assert all(isinstance(what, str) and left >= 0 for what, _, _, _, left in told)
    assert report["models"] and "models" in str(report)
    assert runtime.profile_problem == ""
    A = switchyard.matrix(np.eye(50), runtime=runtime)
    assert A.plan().to_dict()["models"] == "calibrated"


@pytest.mark.parametrize("budget", [0, -1.0, float("nan")])
def test_a_calibration_needs_time(budget, tmp_path):
    with pytest.raises(ValueError, match="budget must be above 0 seconds"):
        switchyard.calibrate(budget=budget, output=tmp_path / "p.json")


def test_the_bar(capsys, tmp_path):
    switchyard.calibrate(budget=1, output=tmp_path / "p", runtime=switchyard.Runtime("none"))
    lines = capsys.readouterr().err.splitlines()
    assert lines and all(line.startswith("switchyard: ") for line in lines)


def test_the_bar_on_a_terminal(monkeypatch, tmp_path):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    switchyard.calibrate(budget=1, output=tmp_path / "p", runtime=switchyard.Runtime("none"))
    lines = screen.getvalue().split("\r")
    assert "\n" not in screen.getvalue() and len(lines) > 3
    assert any("s left" in line and line.startswith("[") for line in lines)
    assert lines[-2].strip() == "" and lines[-1] == "", "the line is wiped"


def test_what_progress_raises_ends_a_calibration(tmp_path):
    def fail(*_):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        switchyard.calibrate(
            budget=30, output=tmp_path / "p", progress=fail, runtime=switchyard.Runtime("none")
        )
    assert not (tmp_path / "p").exists()


def test_keyboard_interrupt_ends_a_calibration_and_it_can_be_resumed(tmp_path):
    runtime = switchyard.Runtime("none")
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    main = threading.main_thread().ident
    timer.function, timer.args = signal.pthread_kill, [main, signal.SIGINT]
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            switchyard.calibrate(budget=60, output=tmp_path / "p", progress=False, runtime=runtime)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)
    assert not (tmp_path / "p").exists() and (tmp_path / "p.partial").exists()
    switchyard.calibrate(
        budget=2, output=tmp_path / "p", progress=False, resume=True, runtime=runtime
    )
    assert (tmp_path / "p").exists()
