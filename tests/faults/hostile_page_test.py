#!/usr/bin/env python3
"""A page of somebody else, open in the browser beside `warploom web`, reads, writes and starts nothing.

First as a browser sends it, then in a Chromium where there is one. WARPLOOM_PROGRAM names the built program.
"""

import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

PROGRAM = os.environ["WARPLOOM_PROGRAM"]
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
RUN = json.dumps({"model": "Llama-3.1-8B", "gpu": "H200", "requests": 3})

# Every way by which a page asks another server, with what it got. The page's own server is told at the end.
HOSTILE_PAGE = """<!doctype html><body><script>
const there = "http://127.0.0.1:PORT", got = {};
const attempt = async (name, work) => {
  const late = new Promise((_, no) => setTimeout(() => no(new Error("nothing came")), 20000));
  try { got[name] = String(await Promise.race([work(), late])); } catch (error) { got[name] = "refused"; }
};
const element = (tag, values) => new Promise((yes, no) => {
  const made = Object.assign(document.createElement(tag), values);
  made.onload = () => yes(tag === "iframe" ? made.contentDocument ? "loaded" : Promise.reject() : "loaded");
  made.onerror = no;
  document.body.append(made);
});
const sent = (mode, path, body, type) => async () => {
  const answer = await fetch(there + path, {method: "POST", mode, body, headers: {"Content-Type": type}});
  return mode === "cors" ? await answer.text() : Promise.reject();
};
(async () => {
  await attempt("read", async () => (await fetch(there + "/api/v1/version")).text());
  await attempt("read the page", async () => (await fetch(there + "/")).text());
  await attempt("start", sent("cors", "/api/v1/jobs/simulate", RUN, "application/json"));
  await attempt("start as text", sent("no-cors", "/api/v1/jobs/simulate", RUN, "text/plain"));
  await attempt("write", sent("no-cors", "/api/v1/files?name=a.csv", "a,b", "text/plain"));
  await attempt("image", () => element("img", {src: there + "/api/v1/version"}));
  await attempt("script", () => element("script", {src: there + "/api/v1/openapi.json"}));
  await attempt("frame", () => element("iframe", {src: there + "/"}));
  await attempt("frame of the API", () => element("iframe", {src: there + "/api/v1/version"}));
  await attempt("events", () => new Promise((yes, no) =>
    Object.assign(new EventSource(there + "/api/v1/jobs/x/events"), {onopen: yes, onerror: no})));
  const socket = there.replace("http", "ws") + "/api/v1/version";
  await attempt("socket", () => new Promise((yes, no) =>
    Object.assign(new WebSocket(socket), {onopen: yes, onerror: no})));
  const form = Object.assign(document.createElement("form"),
    {method: "post", enctype: "text/plain", action: there + "/api/v1/jobs/simulate", target: "elsewhere"});
  form.append(Object.assign(document.createElement("input"), {name: RUN, value: ""}));
  document.body.append(Object.assign(document.createElement("iframe"), {name: "elsewhere"}), form);
  form.submit();
  await new Promise((yes) => setTimeout(yes, 1000));
  await fetch("/got", {method: "POST", body: JSON.stringify(got)});
})();
</script></body>"""


class Recorder(threading.Thread):
    """Hands connections on to a port, and keeps each request line with the status that it got."""

    def __init__(self, port):
        super().__init__(daemon=True)
        self.port_behind, self.seen = port, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.hand_on, args=(client,), daemon=True).start()

    def hand_on(self, client):
        with client, socket.create_connection(("127.0.0.1", self.port_behind)) as server:
            head = client.recv(65536)
            if not head:
                return
            server.sendall(head)
            threading.Thread(target=self.copy, args=(client, server), daemon=True).start()
            answer = server.recv(65536)
            line = head.split(b"\r\n")[0].decode(errors="replace").rsplit(" ", 1)[0]
            self.seen.append((line, int(answer[9:12] or 0)))
            while answer:
                client.sendall(answer)
                answer = server.recv(65536)

    @staticmethod
    def copy(source, target):
        try:
            while part := source.recv(65536):
                target.sendall(part)
        except OSError:
            pass


class HostilePage(unittest.TestCase):
    def setUp(self):
        words = [PROGRAM, "web", "--port", "0", "--no-browser", "--json"]
        self.server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        text = ""
        while "}" not in text:
            line = self.server.stdout.readline()
            if not line:
                error = self.server.stderr.read()
                if "cannot be loaded" in error:
                    self.skipTest(error)
                self.fail(error)
            text += line
        self.port = json.loads(text)["port"]

    def end(self):
        self.server.terminate()
        self.assertEqual(self.server.wait(timeout=30), 0)
        self.server.stdout.close()
        self.server.stderr.close()

    def ask(self, line, body="", **fields):
        """The status and the head's lines of one request; field names with _ for -."""
        fields = {"Host": f"127.0.0.1:{self.port}", **fields}
        head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(f"{line} HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            answer = b""
            while part := connection.recv(65536):
                answer += part
        lines = answer.split(b"\r\n\r\n")[0].decode().split("\r\n")
        return int(lines[0].split()[1]), lines[1:]

    def test_what_its_browser_sends_is_refused(self):
        here = f"http://127.0.0.1:{self.port}"
        start, write = "POST /api/v1/jobs/simulate", "POST /api/v1/files?name=a.csv"
        for origin in ("http://evil.example", "null", f"http://localhost:{self.port + 1}", "file://"):
            for line, body in ((start, RUN), (write, "a,b"), ("GET /api/v1/version", ""), ("GET /", "")):
                self.assertEqual(self.ask(line, body, Origin=origin)[0], 403, (origin, line))
            status, head = self.ask("OPTIONS /api/v1/jobs/simulate", Origin=origin)
            self.assertEqual(status, 403)
            self.assertFalse([field for field in head if field.lower().startswith("access-control")], head)
        for mode in ("no-cors", "navigate", "websocket"):
            from_elsewhere = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": mode}
            self.assertEqual(self.ask("GET /api/v1/version", **from_elsewhere)[0], 403, mode)
        for name in ("evil.example", f"evil.example:{self.port}"):  # a name that was pointed here
            self.assertEqual(self.ask("GET /api/v1/version", Host=name)[0], 403)
        status, head = self.ask("GET /", Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate")
        self.assertEqual(status, 200)  # a link elsewhere may lead to the page, which stands in no frame
        self.assertIn("X-Frame-Options: DENY", head)
        self.assertIn("Cross-Origin-Resource-Policy: same-origin", head)
        self.assertRegex(" ".join(head), "frame-ancestors 'none'")
        own = {"Origin": here, "Sec_Fetch_Site": "same-origin", "Sec_Fetch_Mode": "cors"}
        self.assertEqual(self.ask(start, RUN, **own)[0], 202)  # what the page itself asks

    @unittest.skipUnless(CHROMIUM, "no Chromium")
    def test_in_a_browser_it_gets_nothing(self):
        recorder, got, ended = Recorder(self.port), {}, threading.Event()
        page = HOSTILE_PAGE.replace("PORT", str(recorder.port)).replace("RUN", json.dumps(RUN))

        class Evil(http.server.BaseHTTPRequestHandler):
            def answer(self, text):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def do_GET(self):
                self.answer(page if self.path == "/" else "")

            def do_POST(self):
                got.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.answer("")
                ended.set()

            def log_message(self, *words):
                pass

        evil = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        with tempfile.TemporaryDirectory() as profile:
            words = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            words += [f"--user-data-dir={profile}", "--remote-debugging-port=0"]
            # By another name than the server's, as another site.
            browser = subprocess.Popen(
                [*words, f"http://localhost:{evil.server_port}/"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                self.assertTrue(ended.wait(300), "the page did not run to its end")
            finally:
                browser.kill()
                browser.wait()
                evil.shutdown()
                evil.server_close()
                recorder.listener.close()
        self.assertEqual(set(got.values()), {"refused"}, got)
        self.assertEqual(len(got), 11)
        # What reached the server at all: the navigation of a frame to the page, which it then may not show.
        let_in = {line for line, status in recorder.seen if status != 403}
        self.assertLessEqual(let_in, {"GET /"}, recorder.seen)
        for kind in ("GET /api/v1/version", "POST /api/v1/jobs/simulate", r"POST /api/v1/files\?name=a.csv"):
            self.assertTrue(any(re.fullmatch(kind, line) for line, _ in recorder.seen), recorder.seen)


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=1))
