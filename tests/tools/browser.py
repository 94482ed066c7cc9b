"""Drives headless Chromium over its DevTools pipe, with Python's standard library alone and without network."""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--remote-debugging-pipe"]


def find_chromium():
    """The program's path, or None."""
    return shutil.which("chromium")


class Browser:
    """Starts a separate Chromium with one page; use it in a `with` statement. `errors` holds what the page reported as an
    error: exceptions, console errors, refused or failed requests."""

    def __init__(self, program, limit_s=60):
        self.limit_s, self.errors, self.requests, self.number = limit_s, [], [], 0
        self.profile = tempfile.TemporaryDirectory(prefix="warptune-chromium-")
        to_read, self.write = os.pipe()
        self.read, to_write = os.pipe()
        # Chromium reads commands at descriptor 3 and answers at 4.
        script = f"exec {program} {' '.join(repr(a) for a in ARGUMENTS)} --user-data-dir={self.profile.name} about:blank 3<&{to_read} 4>&{to_write}"
        self.process = subprocess.Popen(["bash", "-c", script], pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.session = b"", None
        pages = [t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        target = pages[0]["targetId"] if pages else self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.write)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read)
        self.profile.cleanup()

    def message(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0.0, deadline - time.monotonic()))
            part = os.read(self.read, 1 << 16) if ready else b""
            if not part:
                raise RuntimeError(f"Chromium did not answer within {self.limit_s} s" if not ready else "Chromium ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, about = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.errors.append(about["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])

    def send(self, method, **parameters):
        """Sends a command, and returns its result."""
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.write, json.dumps(command).encode() + b"\0")
        deadline = time.monotonic() + self.limit_s
        while True:
            answer = self.message(deadline)
            if answer.get("id") != self.number:
                self.note(answer)
                continue
            if "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def evaluate(self, expression):
        """The value of a JavaScript expression; promises are awaited."""
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "exception"))
        return result["result"].get("value")

    def window(self, width, height, dark=False):
        """Sets the window's size in CSS pixels (below 600: a telephone), and the system's colours to light or dark."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def wait_for(self, expression, what):
        deadline = time.monotonic() + self.limit_s
        while not self.evaluate(expression):
            if time.monotonic() > deadline:
                raise RuntimeError(f"no {what} within {self.limit_s} s; errors: {self.errors}")
            time.sleep(0.02)

    def open_report(self, path):
        """Opens a report and returns the milliseconds from the start of its navigation until its charts were drawn."""
        self.errors.clear()
        self.requests.clear()
        self.send("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        self.wait_for("document.documentElement?.dataset.drawnMs !== undefined", "drawn report")
        return float(self.evaluate("document.documentElement.dataset.drawnMs"))

    def screenshot(self, path, whole=True):
        """Writes a PNG of the whole page, or of the window."""
        clip = {}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}, "captureBeyondViewport": True}
        pathlib.Path(path).write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png", **clip)["data"]))
