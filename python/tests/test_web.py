"""The page's server answers as the command line does, and its command lines ask what they stand for.

WARPLOOM_PROGRAM names the built program; skipped where it was built without an HTTP server.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from surface_requests import all_requests  # noqa: E402

# They write a file on the server's machine, or read one that another request wrote there.
NOT_SERVED = {"plans", "convert_clients", "sweep_plan", "tune_fit", "tune_regret"}
MORE_REQUESTS = [
    (
        "simulate",
        {
            "model": "Llama-3.1-8B",
            "gpu": "H100-SXM",
            "requests": 30,
            "goodput": {"ttft": 500.0, "tpot": 20},
            "failures": [{"instance": 0, "at_s": 1.0, "down_s": 2.5}],
            "instances": 2,
        },
    ),
    (
        "simulate",
        {
            "setup": {"model": "Llama-3.1-8B", "gpu": "H100-SXM"},
            "disaggregation": {
                "prefill": {"model": "Llama-3.1-8B", "gpu": "H100-SXM", "config": {"max_num_seqs": 16}},
                "decode": {"model": "Llama-3.1-8B", "gpu": "H200", "config": {"instances": 2}},
                "transfer": {"kv_transfer_bandwidth_gb_per_s": 40.0},
            },
            "source": {"random": {}, "requests": 20},
        },
    ),
    (
        "simulate",
        {
            "model": "Llama-3.1-8B",
            "gpu": "H100-SXM",
            "engine": "sglang",
            "requests": 30,
            "speculative_algorithm": "EAGLE",
            "acceptance_length": 2.5,
            "schedule_ms": 0.3,
        },
    ),
    ("step", {"model": "Llama-3.1-8B", "gpu": "H100-SXM", "decode": "8x100", "max_num_seqs": 12}),
    (
        "predict",
        {
            "gpu": "H200",
            "family": "attention_prefill",
            "heads": 32,
            "kv_heads": 8,
            "requests": [
                {"count": 4, "query_tokens": 1024},
                {"count": 1, "query_tokens": 2048, "context_tokens": 4096},
            ],
        },
    ),
    (
        "predict",
        {"gpu": "H200", "operator": {"family": "gemm", "m": 7, "n": 4096, "k": 4096, "scheme": "fp8"}},
    ),
    (
        "plan",
        {
            "model": "Qwen/Qwen3-8B",
            "gpu_names": ["H100-SXM", "H200"],
            "rate": 4.0,
            "slo": ["ttft_p95_ms=800"],
            "max_gpus": 2,
            "random": {"random_input_len": 300, "random_output_len": 40},
            "requests": 40,
        },
    ),
    ("support", {"supported_models": ["Llama-3.1-8B"], "supported_gpus": ["H200", "B200"]}),
]


class Server:
    def __init__(self, program, folder=None):
        self._process = subprocess.Popen(
            [program, "web", "--port", "0", "--json", "--no-browser"],
            stdin=subprocess.PIPE,  # whoever reads it waits for ever
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        lines = ""
        while not lines.rstrip().endswith("}"):
            line = self._process.stdout.readline()
            if not line:
                raise unittest.SkipTest("the program has no HTTP server")
            lines += line
        self._url = json.loads(lines)["url"] + "api/v1"

    def close(self):
        self._process.terminate()
        status = self._process.wait(timeout=30)
        self._process.stdin.close()
        self._process.stdout.close()
        return status

    def post(self, path, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            asked = urllib.request.Request(self._url + path, data)
            with urllib.request.urlopen(asked, timeout=300) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return json.loads(error.read())


class WebServer(unittest.TestCase):
    maxDiff = 2000

    def setUp(self):
        self.program = os.environ["WARPLOOM_PROGRAM"]
        self.folder = tempfile.TemporaryDirectory()
        self.server = Server(self.program, self.folder.name)

    def tearDown(self):
        self.assertEqual(self.server.close(), 0)
        self.folder.cleanup()

    def sent(self, value):
        """Files of the source tree as uploads, with a copy by their own name where commands run."""
        if isinstance(value, list):
            return [self.sent(one) for one in value]
        if isinstance(value, str) and value.startswith("@src/"):
            path = ROOT / value[len("@src/") :]
            shutil.copy(path, self.folder.name)
            return self.server.post(f"/files?name={path.name}", path.read_bytes())["file"]
        return value

    def run_line(self, line):
        words = shlex.split(line)
        self.assertEqual(words[0], "warploom")
        words = [self.program, *words[1:], *([] if "--json" in words else ["--json"])]
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=self.folder.name)
        self.assertEqual(done.returncode, 0, f"{line}: {done.stderr[-500:]}")
        return json.loads(done.stdout)

    def test_command_lines_ask_what_they_stand_for(self):
        asked = [(request, fields) for _, request, fields in all_requests() if request not in NOT_SERVED]
        self.assertGreaterEqual(len(asked + MORE_REQUESTS), 60)
        for request, fields in asked + MORE_REQUESTS:
            fields = {name: self.sent(value) for name, value in fields.items()}
            with self.subTest(f"{request} {fields}"):
                answer = self.server.post(f"/answers/{request}", fields)
                self.assertNotIn("error", answer)
                line = self.server.post("/command-line", {"request": request, "asked": fields})
                self.assertIn("command", line)
                said = self.run_line(line["command"])
                for document in (answer, said):
                    if isinstance(document, dict):
                        document.pop("seconds", None)  # what a plan took
                self.assertTrue(answer == said, f"another answer: {line['command']}")

    def test_command_lines_survive_a_shell(self):
        fields = {"name": "it's `here`; $(false) && \"there\""}
        line = self.server.post("/command-line", {"request": "gpu", "asked": fields})["command"]
        script = f'set -- {line}; echo "$4"'
        said = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.rstrip("\n"), fields["name"])

    def test_command_lines_of_nothing_are_refused(self):
        for request, fields, words in (
            ("simulat", {}, "unknown"),
            ("simulate", {"modell": "x"}, "did you mean"),
            ("step", {"model": "a", "gpu": "b", "max_num_seqs": "many"}, "max_num_seqs"),
            ("predict", {"gpu": "H200"}, "family"),
        ):
            error = self.server.post("/command-line", {"request": request, "asked": fields})
            self.assertRegex(error["error"]["message"], words)

    def test_an_engine_command_says_what_simulate_is_asked(self):
        line = "vllm serve Qwen/Qwen3-8B --max-num-seqs 64 -tp 2 --port 8000 --no-enable-prefix-caching"
        read = self.server.post("/engine-command", {"line": line})
        self.assertEqual(
            read["asked"],
            {
                "model": "Qwen/Qwen3-8B",
                "engine": "vllm",
                "max_num_seqs": 64,
                "enable_prefix_caching": False,
                "tensor_parallel_size": 2,
            },
        )
        self.assertEqual(read["ignored"], ["--port"])
        run = {"gpu": "H200", "requests": 20, **read["asked"]}
        told = self.run_line(
            f"warploom simulate --gpu H200 --requests 20 --from-command {shlex.quote(line)}"
        )
        self.assertTrue(self.server.post("/answers/simulate", run) == told)
        for wrong in ("ls -l", "vllm serve x --config /etc/passwd", "vllm serve 'x"):
            self.assertIn("error", self.server.post("/engine-command", {"line": wrong}))

    def test_no_file_of_the_machine_stops_the_server(self):
        """Waits for no pipe, reads no endless device, and ends when it is told to (tearDown)."""
        requests = self.server.post(
            "/files?name=requests.csv",
            b"request_id,arrival_s,input_tokens,output_tokens,"
            b"queued_s,scheduled_s,first_token_s,last_token_s\n"
            b"a,0,1000,11,0,0,1,2\n",
        )["file"]
        for place in [*["/dev/stdin"] * 4, "/dev/zero", "/proc/self/environ"]:
            for key in ["model", "gpu"]:
                run = {"model": "Llama-3.1-8B", "gpu": "h100_sxm", "engine_kwargs": {}} | {key: place}
                sent = self.server.post("/files?name=run.json", json.dumps(run).encode())["file"]
                answer = self.server.post("/answers/validate_serving", {"run": sent, "requests": requests})
                self.assertEqual(answer["error"]["kind"], "not_found", answer)
        asked = {"model": "Llama-3.1-8B", "gpu": "H200", "requests": 3}
        self.assertEqual(self.server.post("/answers/simulate", asked)["completed"], 3)

    def test_names_mean_no_file_where_the_server_was_started(self):
        place = Path(self.folder.name)
        (place / "trace.csv").write_text("arrived_s,input_tokens,output_tokens\n0,30,2\n")
        (place / "pairs.csv").write_text("old")
        asked = {"model": "Llama-3.1-8B", "gpu": "H200"}
        answer = self.server.post("/answers/simulate", asked | {"trace": "trace.csv"})
        self.assertIn("no such file", answer["error"]["message"])
        for request, fields in [
            ("tune_plan", {"output": "pairs.csv"}),
            (
                "plan",
                {"model": "Qwen3-8B", "gpu_names": ["H200"], "slo": ["ttft_p95_ms=1"], "store": "pairs.csv"},
            ),
            ("moe_config", {"gpu": "H200", "output": "new"}),
            ("moe_config", {"gpu": "H200", "profile": True, "python": "sh", "samples": "new"}),
        ]:
            answer = self.server.post(f"/answers/{request}", fields)
            self.assertEqual(answer["error"]["kind"], "unsupported", answer)
        self.assertEqual(sorted(os.listdir(place)), ["pairs.csv", "trace.csv"])
        self.assertEqual((place / "pairs.csv").read_text(), "old")

    def test_a_report_is_one_file_with_the_answer(self):
        path = Path(self.folder.name) / "report.html"
        answer = self.run_line(
            f"warploom predict gemm --gpu H200 --m 64 --n 4096 --k 4096 --html {shlex.quote(str(path))}"
        )
        page = path.read_text()
        self.assertNotRegex(page, r"(?:src|href)=[\"'](?!data:|#)")
        held = re.search(r'id="warploom-report">(.*?)</script>', page, re.DOTALL)
        if held is None:
            self.assertIn("This build has no page", page)
            return
        report = json.loads(held.group(1))
        self.assertEqual(report["request"], "predict")
        self.assertTrue(report["answer"] == answer)
        self.assertTrue(report["command"].startswith("warploom predict gemm --gpu H200"))


if __name__ == "__main__":
    unittest.main()
