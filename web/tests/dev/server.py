#!/usr/bin/env python3
"""A stand-in for `warploom web` while the page is worked on: the API over the C library, without limits or checks.

Usage: web/tests/dev/server.py --library build/ci/lib/libwarploom.so --program build/ci/bin/warploom [--port 8686]
"""
import argparse
import ctypes
import http.server
import json
import subprocess
import tempfile
import threading
import urllib.parse
import uuid
from pathlib import Path

DIST = Path(__file__).resolve().parents[2] / "dist"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_double, ctypes.c_double)
SAID = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class Watch(ctypes.Structure):
    _fields_ = [("progress", PROGRESS), ("said", SAID), ("user", ctypes.c_void_p)]


class Refused(Exception):
    pass


class Program:
    def __init__(self, library, program):
        self.lib, self.program = ctypes.CDLL(library), program
        self.session, message = ctypes.c_void_p(), ctypes.create_string_buffer(2000)
        if self.lib.warploom_open(None, ctypes.byref(self.session), message, 2000):
            raise SystemExit(message.value.decode())
        names = json.loads(self.run("schema", "--json"))["requests"]
        self.schemas = {one["name"]: json.loads(self.run("schema", one["name"], "--json")) for one in names}

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, check=True, text=True).stdout

    def answer(self, request, asked, progress=None):
        watch = Watch(PROGRESS(progress or (lambda *_: 0)), SAID(lambda *_: None), None)
        text, message = ctypes.c_void_p(), ctypes.create_string_buffer(4000)
        if self.lib.warploom_answer(self.session, request.encode(), json.dumps(asked).encode(), ctypes.byref(watch),
                                    ctypes.byref(text), message, ctypes.c_size_t(4000)):
            raise Refused(message.value.decode())
        document = ctypes.string_at(text)
        self.lib.warploom_free_text(text)
        return document


class Handler(http.server.BaseHTTPRequestHandler):
    program, folder, jobs = None, Path(tempfile.mkdtemp()), {}

    def log_message(self, *_):
        pass

    def send(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, status, sentence):
        self.send(status, json.dumps({"error": {"kind": "invalid_input", "message": sentence}}).encode())

    def stored(self, value):
        if isinstance(value, dict):
            return {key: self.stored(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.stored(one) for one in value]
        return str(self.folder / value[7:]) if isinstance(value, str) and value.startswith("upload:") else value

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == "/api/v1/version":
            return self.send(200, b'{"version": "dev"}')
        if path == "/api/v1/schemas":
            return self.send(200, json.dumps(self.program.schemas).encode())
        if path == "/api/v1/accuracy":
            return self.send(200, b'{"rows": []}')
        if path.endswith("/events"):
            return self.events(self.jobs[path.split("/")[4]])
        file = DIST / ("index.html" if path == "/" else path.lstrip("/"))
        return self.send(200, file.read_bytes(), TYPES[file.suffix]) if file.is_file() else self.refuse(404, "not there")

    def events(self, job):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

        def progress(_, done, total):
            self.wfile.write(f'event: progress\ndata: {{"done": {done}, "total": {total}}}\n\n'.encode())
            self.wfile.flush()
            return 1 if job.get("stop") else 0
        try:
            name, text = "answer", self.program.answer(job["request"], job["asked"], progress).decode()
        except Refused as refused:
            name, text = "failed", json.dumps({"error": {"kind": "invalid_input", "message": str(refused)}})
        if job.get("stop"):
            name, text = "cancelled", '{"answer": null}'
        self.wfile.write(f"event: {name}\ndata: {json.dumps(json.loads(text))}\n\n".encode())

    def do_DELETE(self):
        self.jobs[self.path.split("/")[4]]["stop"] = True
        self.send(202, b"{}")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/api/v1/files":
            name = uuid.uuid4().hex + Path(urllib.parse.parse_qs(url.query)["name"][0]).name
            (self.folder / name).write_bytes(body)
            return self.send(201, json.dumps({"file": f"upload:{name}"}).encode())
        asked = self.stored(json.loads(body))
        try:
            return self.send(200, self.reply(url.path, asked))
        except Refused as refused:
            return self.refuse(422, str(refused))

    def reply(self, path, asked):
        if path == "/api/v1/answers":
            return json.dumps({"answers": [self.one(one) for one in asked["questions"]]}).encode()
        if path.startswith("/api/v1/answers/"):
            return self.program.answer(path.split("/")[4], asked)
        if path.startswith("/api/v1/jobs/"):
            self.jobs[job := uuid.uuid4().hex] = {"request": path.split("/")[4], "asked": asked}
            return json.dumps({"job": job}).encode()
        if path == "/api/v1/command-line":
            return json.dumps({"command": f"warploom {asked['request']} ..."}).encode()
        raise Refused(f"{path} is not in the stand-in")

    def one(self, question):
        try:
            return {"answer": json.loads(self.program.answer(question["request"], question["asked"]))}
        except Refused as refused:
            return {"error": {"kind": "invalid_input", "message": str(refused)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--port", type=int, default=8686)
    given = parser.parse_args()
    Handler.program = Program(given.library, given.program)
    http.server.ThreadingHTTPServer(("127.0.0.1", given.port), Handler).serve_forever()


if __name__ == "__main__":
    threading.stack_size(16 << 20)
    main()
