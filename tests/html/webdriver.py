"""As much of the W3C WebDriver protocol as the tests of a page need, over chromedriver; nothing to install."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def available():
    """(chromedriver, browser), or None."""
    driver = shutil.which("chromedriver")
    browser = next((path for path in map(shutil.which, BROWSERS) if path), None)
    return (driver, browser) if driver and browser else None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    def __init__(self, size=(1280, 1000), scripts=True, dark=False):
        driver, browser = available()
        self.port = free_port()
        self.process = subprocess.Popen([driver, f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--hide-scrollbars", f"--window-size={size[0]},{size[1]}"]
        if dark:
            args.append("--force-dark-mode")
        prefs = {} if scripts else {"profile.managed_default_content_settings.javascript": 2}
        options = {"binary": browser, "args": args, "prefs": prefs}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = ""
        for attempt in range(50):
            try:
                self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
                break
            except OSError:
                if attempt == 49:
                    raise
                time.sleep(0.2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", f"/session/{self.session}")
        except OSError:
            pass
        self.process.terminate()
        self.process.wait(10)

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def do(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def open(self, url):
        self.do("POST", "/url", {"url": url})

    def run(self, script, *args):
        return self.do("POST", "/execute/sync", {"script": script, "args": list(args)})

    def run_async(self, script, *args):
        return self.do("POST", "/execute/async", {"script": script, "args": list(args)})

    def find(self, css):
        return self.do("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css):
        self.do("POST", f"/element/{self.find(css)}/click")

    def type(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, css, click=False, held=None):
        """Moves the mouse to the middle of an element; clicks; with a key held."""
        moves = [{"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": {ELEMENT: self.find(css)}}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        sources = [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]
        if held:
            self.do("POST", "/actions", {"actions": [{"type": "key", "id": "held", "actions": [{"type": "keyDown", "value": held}]}]})
        self.do("POST", "/actions", {"actions": sources})
        if held:
            self.do("POST", "/actions", {"actions": [{"type": "key", "id": "held", "actions": [{"type": "keyUp", "value": held}]}]})

    def log(self, kind):
        return self.do("POST", "/se/log", {"type": kind})

    def screenshot(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.do("GET", "/screenshot")))

    def print_media(self, on=True):
        """Shows the page as it is printed."""
        self.do("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print" if on else ""}})

    def print_pdf(self, file):
        pathlib.Path(file).write_bytes(base64.b64decode(self.do("POST", "/print", {"background": True})))
