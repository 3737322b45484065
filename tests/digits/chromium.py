"""Drives a headless Chromium over its debugging pipe: opens a page, asks it questions, takes its picture."""

import base64
import fcntl
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """Path of a Chromium, or None. $CHROMIUM names another one."""
    return shutil.which(os.environ.get("CHROMIUM", "")) or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one page. Everything that the page logs, throws or requests is kept in lists."""

    def __init__(self, program, patience=60):
        self.patience = patience
        self.logged, self.requested = [], []
        self._numbers = itertools.count(1)
        self._pending = b""
        self._session = None
        self._profile = tempfile.TemporaryDirectory(prefix="tessera-browser-", ignore_cleanup_errors=True)
        self._stderr = open(Path(self._profile.name) / "stderr", "w+")
        commands, self._out = os.pipe()
        self._in, events = os.pipe()

        # The browser reads commands from descriptor 3 and writes to 4. Both are copied out of the way first, because a
        # pipe may itself have been given one of these numbers.
        def hand_over():
            reader, writer = fcntl.fcntl(commands, fcntl.F_DUPFD, 10), fcntl.fcntl(events, fcntl.F_DUPFD, 10)
            os.dup2(reader, 3)
            os.dup2(writer, 4)

        self._process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--mute-audio",
             "--force-color-profile=srgb", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={self._profile.name}/profile", "about:blank"],
            preexec_fn=hand_over, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=self._stderr, stderr=self._stderr)
        os.close(commands)
        os.close(events)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._stderr.close()
        self._profile.cleanup()

    def call(self, method, **parameters):
        """Sends a command and returns its result."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        answer = self._wait(lambda reply: reply.get("id") == number, method)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url, width, height, dark=False, phone=False):
        """Loads a page at a size in CSS pixels and waits until it is complete. Forgets what was logged before."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if phone else 1,
                  mobile=phone)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.logged.clear()
        self.requested.clear()
        result = self.call("Page.navigate", url=url)
        if "errorText" in result:
            raise RuntimeError(f"{url}: {result['errorText']}")
        self._wait(lambda event: event.get("method") == "Page.loadEventFired", f"loading {url}")

    def evaluate(self, expression):
        """The value of a JavaScript expression on the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def screenshot(self, path):
        """A picture of the whole page, also of what lies below the window."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        Path(path).write_bytes(base64.b64decode(picture["data"]))

    def _wait(self, wanted, what):
        end = time.monotonic() + self.patience
        while True:
            message = self._next_message(end, what)
            self._note(message)
            if wanted(message):
                return message

    def _next_message(self, end, what):
        """Messages are separated by zero bytes."""
        while b"\0" not in self._pending:
            ready, _, _ = select.select([self._in], [], [], max(0, end - time.monotonic()))
            piece = os.read(self._in, 1 << 20) if ready else b""
            if not piece:
                self._stderr.seek(0)
                raise RuntimeError(f"the browser did not answer: {what}\n{self._stderr.read()[-2000:]}")
            self._pending += piece
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def _note(self, message):
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requested.append(parameters["request"]["url"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            self.logged.append(json.dumps(parameters))
