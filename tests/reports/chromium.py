"""Headless Chromium over its debugging pipe (Chrome DevTools Protocol): enough to open a page, use it and look at it."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing outside can be reached, whatever a page asks for
    "--remote-debugging-pipe",
)
PATIENCE_S = 60.0


def binary() -> str | None:
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """A browser of its own, with a profile of its own."""
    profile = tempfile.mkdtemp(prefix="scenescore-chromium-")
    child_reads, we_write = os.pipe()
    we_read, child_writes = os.pipe()
    high = [fcntl.fcntl(one, fcntl.F_DUPFD, 10) for one in (child_reads, child_writes)]

    def place_pipes() -> None:
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    process = subprocess.Popen(
        [path, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        close_fds=False,
        preexec_fn=place_pipes,
    )
    for one in (child_reads, child_writes, *high):
        os.close(one)
    browser = Browser(we_read, we_write)
    try:
        yield browser
    finally:
        browser.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(we_read)
        os.close(we_write)
        shutil.rmtree(profile, ignore_errors=True)


class Browser:
    """Messages over the pipe, each ended by a zero byte."""

    def __init__(self, reads: int, writes: int) -> None:
        self._reads, self._writes = reads, writes
        self._rest = b""
        self._n = 0
        self.events: list[dict[str, Any]] = []

    def send(self, method: str, session: str | None = None, **params: Any) -> Any:
        """Call a method and wait for its answer; events that come before it are kept."""
        self._n += 1
        message = {"id": self._n, "method": method, "params": params, **({"sessionId": session} if session else {})}
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._n:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method: str, session: str) -> dict[str, Any]:
        """The next event of that name, or one that came already."""
        while True:
            for at, event in enumerate(self.events):
                if event.get("method") == method and event.get("sessionId") == session:
                    return self.events.pop(at)["params"]
            self.events.append(self._receive())

    def open(self, url: str, *, width: int = 1280, height: int = 900, dark: bool = False) -> Tab:
        """A new tab with the page loaded."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.send(f"{domain}.enable")
        tab.look(width=width, height=height, dark=dark)
        tab.go(url)
        return tab

    def close(self) -> None:
        self._n += 1
        with suppress(BrokenPipeError):
            os.write(self._writes, json.dumps({"id": self._n, "method": "Browser.close"}).encode() + b"\0")

    def _receive(self) -> dict[str, Any]:
        end = time.monotonic() + PATIENCE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._reads], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            block = os.read(self._reads, 1 << 20)
            assert block, "the browser ended"
            self._rest += block
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)


class Tab:
    """One page."""

    def __init__(self, browser: Browser, session: str, target: str) -> None:
        self._browser, self._session, self._target = browser, session, target

    def send(self, method: str, **params: Any) -> Any:
        return self._browser.send(method, self._session, **params)

    def go(self, url: str) -> None:
        self.send("Page.navigate", url=url)
        self._browser.wait_for("Page.loadEventFired", self._session)

    def look(self, *, width: int, height: int, dark: bool = False, media: str = "") -> None:
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.send("Emulation.setEmulatedMedia", media=media, features=[scheme, still])

    def do(self, script: str) -> Any:
        """The value of an expression, promises awaited."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def key(self, name: str, code: int, **more: Any) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code, **more)

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def mouse(self, kind: str, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def events(self, method: str) -> list[dict[str, Any]]:
        """Those that came so far."""
        self.do("1")
        mine = [one for one in self._browser.events if one.get("sessionId") == self._session]
        return [one["params"] for one in mine if one.get("method") == method]

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        more: dict[str, Any] = {}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            more = {"captureBeyondViewport": True, "clip": {**size, "scale": 1}}
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png", **more)["data"]))

    def close(self) -> None:
        self._browser.send("Target.closeTarget", targetId=self._target)
