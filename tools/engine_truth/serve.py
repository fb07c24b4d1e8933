"""Arrivals over time through vLLM's AsyncLLM with dummy weights: per request and per iteration.

serve.py --config CONFIG.json --name HF/NAME --gpu H200 --out DIR --tag T --plan PLAN.json [--kv KEY=VALUE ..]
PLAN.json: a list of {"label", "kind": "open" (n, rate, seed, mix, groups?, prefix?) or "closed" (n, clients,
input, output, seed)}, with "profile_at" and "profile_s" to profile every rank's GPU for a moment (by
CUPTI: T_LABEL.passK.rankN.csv.gz, times on the clock of time.time_ns; the moments around it are distorted).
The list is run --passes times; keep the last, since Triton compiles at first use. --requests-only: nothing
inside the engine is touched (engine_trace.py knows names of vLLM 0.24), so that new versions work; then there
are no iterations, no received_s and no profiles. --temperature 1 for mixtures: the likeliest tokens of random
weights are soon the same for all requests and choose the same experts. --turn FILE: as in any_steps.py,
several engines up at once and one measured at a time; --kv-bytes N gives each its share of the GPU's memory.
--adapters N --rank R: N adapters of random weights (adapters.py), requests by turns.
T_LABEL.passK.csv: the requests, .json: how the engine ran, .iterations.csv.gz: the engine's iterations."""

import argparse
import asyncio
import csv
import gzip
import json
import os
import time

import adapters
import engine_setup
from loads import Loads

FIELDS = (
    "request_id arrival_s input_tokens output_tokens received_s queued_s scheduled_s first_token_s "
    "last_token_s seen_first_s seen_last_s cached_tokens group prefix_tokens client"
).split()


class Client(Loads):
    def __init__(self, engine, vocab, label, temperature, served):
        from vllm import SamplingParams

        super().__init__(vocab)
        self.adapters = served
        self.temperature = temperature
        self.engine, self.label, self.params = engine, label, SamplingParams
        self.rows = []

    async def request(self, k, ids, output, **extra):
        name = f"{self.label}-{k}"
        sent = time.monotonic() - self.start
        first, last = None, None
        params = self.params(
            max_tokens=output, ignore_eos=True, temperature=self.temperature, detokenize=False
        )
        adapter = self.adapters[k % len(self.adapters)] if self.adapters else None
        asked = self.engine.generate({"prompt_token_ids": ids}, params, name, lora_request=adapter)
        async for r in asked:
            if first is None and r.outputs and len(r.outputs[0].token_ids) > 0:
                first = time.monotonic() - self.start
            last = r
        m, z = last.metrics, self.start
        self.rows.append(
            dict(
                request_id=name,
                arrival_s=sent,
                input_tokens=len(ids),
                output_tokens=output,
                received_s=None,
                queued_s=m.queued_ts - z,
                scheduled_s=m.scheduled_ts - z,
                first_token_s=m.first_token_ts - z,
                last_token_s=m.last_token_ts - z,
                seen_first_s=first,
                seen_last_s=time.monotonic() - self.start,
                cached_tokens=last.num_cached_tokens,
                group=extra.get("group"),
                prefix_tokens=extra.get("prefix"),
                client=extra.get("client"),
            )
        )


async def profile_ranks(engine, item, path):
    if "profile_at" in item:
        await asyncio.sleep(item["profile_at"])
        await engine.collective_rpc("profile_ranks_start")
        await asyncio.sleep(item["profile_s"])
        await engine.collective_rpc("profile_ranks_stop", args=(path,))


def received_times(raw, start):
    """When the engine core decoded each request, s from the start."""
    received = {}
    for line in gzip.open(raw + ".requests", "rt"):
        kind, name, at = line.strip().split(",")
        if kind == "received":
            received[name.rsplit("-", 1)[0]] = float(at) - start
            received[name] = float(at) - start
    return received


def write_requests(path, rows, received, low):
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(FIELDS)
        for r in rows:
            r["received_s"] = received.get(r["request_id"])
            w.writerow(
                [
                    f"{v - low:.6f}" if k.endswith("_s") and v is not None else v
                    for k, v in ((k, r[k]) for k in FIELDS)
                ]
            )


def write_iterations(raw, path, zero):
    with gzip.open(raw, "rt") as f, gzip.open(path, "wt") as g:
        head = f.readline()
        g.write(head)
        times = [i for i, n in enumerate(head.strip().split(",")) if n.endswith("_s")]
        for line in f:
            cells = line.rstrip("\n").split(",")
            for i in times:
                if cells[i]:
                    cells[i] = f"{float(cells[i]) - zero:.6f}"
            g.write(",".join(cells) + "\n")


async def measure(client, item, out, run, traced):
    engine, label = client.engine, client.label
    core = engine.engine_core
    if traced:
        await core.call_utility_async("wl_start")
    t = time.monotonic()
    path = os.path.join(out, label)
    watcher = asyncio.create_task(profile_ranks(engine, item, path))
    await client.run(item)
    wall = time.monotonic() - t
    await watcher
    rows = sorted(client.rows, key=lambda r: r["arrival_s"])
    low = min(r["arrival_s"] for r in rows)
    steps, received, raw = None, {}, path + ".raw.gz"
    if traced:
        steps = await core.call_utility_async("wl_dump", raw)
        received = received_times(raw, client.start)
        write_iterations(raw, path + ".iterations.csv.gz", client.start + low)
        os.remove(raw), os.remove(raw + ".requests")
    write_requests(path + ".csv", rows, received, low)
    json.dump(
        dict(run, num_requests=len(rows), dataset_path=json.dumps(item)), open(path + ".json", "w"), indent=1
    )
    n = len(rows)
    ttft = sorted(r["first_token_s"] - r["queued_s"] for r in rows)
    tpot = sorted((r["last_token_s"] - r["first_token_s"]) / max(1, r["output_tokens"] - 1) for r in rows)
    print(
        f"{label}: n={n} wall={wall:.1f}s steps={steps} ttft mean={sum(ttft) / n * 1e3:.1f} "
        f"p50={ttft[n // 2] * 1e3:.1f} p90={ttft[int(n * 0.9)] * 1e3:.1f} "
        f"tpot mean={sum(tpot) / n * 1e3:.3f} p90={tpot[int(n * 0.9)] * 1e3:.3f} ms",
        flush=True,
    )


def parse_options():
    a = argparse.ArgumentParser()
    for name in ("config", "name", "gpu", "out", "plan", "tag"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--kv", nargs="*", default=[])
    a.add_argument("--passes", type=int, default=2)
    a.add_argument("--requests-only", action="store_true")
    a.add_argument("--temperature", type=float, default=0.0)
    a.add_argument("--turn")
    a.add_argument("--kv-bytes", type=int)
    a.add_argument("--adapters", type=int, default=0)
    a.add_argument("--rank", type=int, default=16)
    return a.parse_args()


def adapters_of(a, folder, config, extension):
    """The adapters that requests take by turns; theirs are added to `extension`, the engine's arguments."""
    if not a.adapters:
        return []
    from vllm.lora.request import LoRARequest

    extension.update(enable_lora=True, max_loras=a.adapters, max_lora_rank=a.rank)
    paths = adapters.write_adapters(folder, config, a.adapters, a.rank)
    return [LoRARequest(f"adapter_{k}", k, path) for k, path in enumerate(paths, 1)]


async def main():
    a = parse_options()
    if not a.requests_only:
        import engine_trace  # before any engine is built
    os.makedirs(a.out, exist_ok=True)
    folder, cfg = engine_setup.model_folder(a.config, a.tag)
    kw = engine_setup.engine_arguments(
        dict(
            max_model_len=8192,
            gpu_memory_utilization=0.9,
            enable_prefix_caching=False,
            max_num_seqs=256,
            max_num_batched_tokens=8192,
            async_scheduling=True,
        ),
        a.kv,
    )
    plan = json.loads(a.plan) if a.plan.lstrip().startswith("[") else json.load(open(a.plan))
    extension = {}
    if any("profile_at" in item for item in plan):
        extension["worker_extension_cls"] = "rank_profiler.RankProfiler"
    if a.kv_bytes:
        extension["kv_cache_memory_bytes"] = a.kv_bytes
    served = adapters_of(a, folder, cfg, extension)
    import vllm
    from vllm.engine.arg_utils import AsyncEngineArgs
    from vllm.v1.engine.async_llm import AsyncLLM

    t = time.monotonic()
    fixed = dict(load_format="dummy", skip_tokenizer_init=True, disable_log_stats=False)
    engine = AsyncLLM.from_engine_args(AsyncEngineArgs(model=folder, **fixed, **extension, **kw))
    c = engine.vllm_config
    run = dict(
        model=a.name,
        gpu=a.gpu,
        vllm_version=vllm.__version__,
        engine_kwargs=dict(kw, load_format="dummy"),
        num_gpu_blocks=c.cache_config.num_gpu_blocks,
        block_size=c.cache_config.block_size,
        resolved=engine_setup.resolved(c),
        temperature=a.temperature,
        **(dict(adapters=a.adapters, adapter_rank=a.rank) if a.adapters else {}),
    )
    print("engine up in %.1f s" % (time.monotonic() - t), json.dumps(run["resolved"]), flush=True)
    try:
        vocab = cfg.get("vocab_size", 32000)
        t = time.monotonic()
        await Client(engine, vocab, "warm", a.temperature, served).warm_up()
        print("warm-up %.1f s" % (time.monotonic() - t), flush=True)
        with engine_setup.wait_for_turn(a.turn, a.tag):
            for k in range(1, a.passes + 1):
                for item in plan:
                    label = f"{a.tag}_{item['label']}.pass{k}"
                    client = Client(engine, vocab, label, a.temperature, served)
                    await measure(client, item, a.out, run, not a.requests_only)
        json.dump(engine_setup.machine(), open(os.path.join(a.out, "machine.json"), "w"), indent=1)
    finally:
        engine.shutdown()


if __name__ == "__main__":
    asyncio.run(main())
