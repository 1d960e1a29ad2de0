"""Chromium without a window, driven by ChromeDriver."""
import base64
import http.client
import json
import re
import shutil
import subprocess

FLAGS = ("--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync --disable-dev-shm-usage --force-device-scale-factor=1").split()


class Browser:
    """A session of ChromeDriver (W3C WebDriver over HTTP, plus Chrome's own commands)."""

    def __init__(self, dir):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        assert driver and chromium, "chromium and chromium-driver are missing: ci/install-deps extended"
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        text=True)
        for line in self.process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                break
        else:
            raise AssertionError("chromedriver did not start")
        self.http = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=120)
        options = {"binary": chromium, "args": [*FLAGS, f"--user-data-dir={dir}/profile"]}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        self.http.request(method, path, json.dumps(body if body is not None else {}) if method == "POST" else None,
                          {"Content-Type": "application/json"})
        answer = json.loads(self.http.getresponse().read())["value"]
        assert not (isinstance(answer, dict) and "error" in answer), answer
        return answer

    def post(self, path, **body):
        return self.call("POST", self.session + path, body)

    def cdp(self, command, **parameters):
        return self.post("/goog/cdp/execute", cmd=command, params=parameters)

    def js(self, script, *args):
        return self.post("/execute/sync", script=script, args=list(args))

    def log(self, kind):
        return self.post("/se/log", type=kind)

    def open(self, page):
        self.log("browser"), self.log("performance")
        self.post("/url", url=page.as_uri())

    def look(self, width, theme):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def picture(self, path):
        shot = self.cdp("Page.captureScreenshot", captureBeyondViewport=True, format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def scripts(self, on):
        self.cdp("Emulation.setScriptExecutionDisabled", value=not on)

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait()
