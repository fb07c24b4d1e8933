"""Timestamps of every iteration of a vLLM engine core, and of what its GPU does in it.

Importing this module makes each EngineCore that is built afterwards note, on the host's monotonic clock,
when a step is scheduled, prepared, launched, sampled and processed, and, with two CUDA events a step, when
the GPU ran it. The engine's own objects are wrapped one by one; the wrapping costs about 20 us a step."""

import gzip
import time

import vllm.v1.engine.core as engine_core_module

now = time.monotonic
COLUMNS = (
    "iteration schedule_start_s schedule_end_s execute_start_s forward_start_s execute_end_s sample_start_s "
    "sample_end_s update_start_s update_end_s prompts prompt_tokens decodes kv_usage graph padded_tokens "
    "gpu_start_s gpu_end_s"
).split()
IT, SCH0, SCH1, EX0, FW0, EX1, SA0, SA1, UP0, UP1, NP, TP, ND, KV, MODE, PAD, EV0, EV1 = range(len(COLUMNS))


class Trace:
    def __init__(self):
        self.rows, self.received, self.added = [], [], []
        self.by_output, self.current = {}, None
        self.base_event, self.base_time, self.has_runner = None, 0.0, False

    def start(self):
        """Forgets what was noted and sets the GPU clock's zero."""
        self.rows.clear(), self.received.clear(), self.added.clear()
        self.base_time = now()
        if self.has_runner:
            import torch

            torch.cuda.synchronize()
            self.base_event = torch.cuda.Event(enable_timing=True)
            self.base_event.record()
            self.base_time = now()
            torch.cuda.synchronize()
        return None

    def gpu_time(self, event):
        return self.base_time + self.base_event.elapsed_time(event) * 1e-3

    def finish(self, row):
        """The row with its CUDA events turned into times; call after the GPU is done with it."""
        out = list(row)
        for k in (EV0, EV1):
            try:
                out[k] = self.gpu_time(row[k]) if row[k] is not None else None
            except Exception:
                out[k] = None
        return out

    def dump(self, path):
        if self.has_runner:
            import torch

            torch.cuda.synchronize()
        with gzip.open(path, "wt", compresslevel=6) as f:
            f.write(",".join(COLUMNS) + "\n")
            for row in self.rows:
                out = self.finish(row)
                f.write(
                    ",".join(f"{v:.6f}" if isinstance(v, float) else "" if v is None else str(v) for v in out)
                    + "\n"
                )
        with gzip.open(path + ".requests", "wt") as f:
            for kind, items in (("received", self.received), ("added", self.added)):
                for name, t in list(items):
                    f.write(f"{kind},{name},{t:.6f}\n")
        return len(self.rows)


def install(core):
    trace = Trace()
    core.wl_trace, core.wl_start, core.wl_dump = trace, trace.start, trace.dump
    watch_scheduler(trace, core.scheduler)
    watch_executor(trace, core.model_executor)
    watch_arrivals(trace, core)
    try:
        install_runner(trace, core.model_executor.driver_worker.worker.model_runner)
        trace.has_runner = True
    except Exception as e:  # several GPUs: the runners live in other processes
        print("engine_trace: no GPU events here:", repr(e), flush=True)
    trace.start()
    print("engine_trace: on, GPU events", trace.has_runner, flush=True)


def watch_scheduler(trace, scheduler):
    schedule, update = scheduler.schedule, scheduler.update_from_output
    try:
        pool = scheduler.kv_cache_manager.block_pool
        pool.get_usage()
    except Exception:
        pool = None

    def traced_schedule(*a, **k):
        start = now()
        out = schedule(*a, **k)
        end = now()
        counts = list(out.num_scheduled_tokens.values())
        ones = counts.count(1)
        row = [None] * len(COLUMNS)
        row[IT], row[SCH0], row[SCH1] = len(trace.rows), start, end
        row[NP], row[TP], row[ND] = len(counts) - ones, out.total_num_scheduled_tokens - ones, ones
        row[KV] = pool.get_usage() if pool else None
        trace.rows.append(row)
        trace.by_output[id(out)] = row
        return out

    def traced_update(scheduler_output, *a, **k):
        row = trace.by_output.pop(id(scheduler_output), None) or [None] * len(COLUMNS)
        row[UP0] = now()
        out = update(scheduler_output, *a, **k)
        row[UP1] = now()
        return out

    scheduler.schedule, scheduler.update_from_output = traced_schedule, traced_update


def watch_executor(trace, executor):
    execute, sample = executor.execute_model, executor.sample_tokens

    def traced_execute(scheduler_output, *a, **k):
        row = trace.current = trace.by_output.get(id(scheduler_output)) or [None] * len(COLUMNS)
        row[EX0] = now()
        try:
            return execute(scheduler_output, *a, **k)
        finally:
            row[EX1] = now()

    def traced_sample(*a, **k):
        row = trace.current
        row[SA0] = now()
        try:
            return sample(*a, **k)
        finally:
            row[SA1] = now()

    executor.execute_model, executor.sample_tokens = traced_execute, traced_sample


def watch_arrivals(trace, core):
    add, preprocess = core.scheduler.add_request, core.preprocess_add_request

    def traced_add(request, *a, **k):
        trace.added.append((request.request_id, now()))
        return add(request, *a, **k)

    def traced_preprocess(request):
        trace.received.append((request.request_id, now()))
        return preprocess(request)

    core.scheduler.add_request, core.preprocess_add_request = traced_add, traced_preprocess


def install_runner(trace, runner):
    import torch

    event = lambda: torch.cuda.Event(enable_timing=True)

    def mark_forward():
        row = trace.current
        if row is not None and row[FW0] is None:
            e = event()
            e.record()
            row[EV0] = e
            row[FW0] = now()

    def mark_end():
        row = trace.current
        if row is not None:
            e = event()
            e.record()
            row[EV1] = e

    def after(obj, name, action):
        f = getattr(obj, name)

        def wrapped(*a, **k):
            out = f(*a, **k)
            action(out, a)
            return out

        setattr(obj, name, wrapped)

    def note(mode, padded):
        if trace.current is not None:
            trace.current[MODE], trace.current[PAD] = str(mode).split(".")[-1], padded

    if hasattr(runner, "_model_forward"):  # model runner 1
        trace.runner = 1
        forward = runner._model_forward

        def traced_forward(*a, **k):
            mark_forward()
            return forward(*a, **k)

        runner._model_forward = traced_forward
        after(runner, "_sample", lambda out, a: mark_end())
        after(
            runner, "_determine_batch_execution_and_padding", lambda out, a: note(out[0], out[1].num_tokens)
        )
    else:  # model runner 2
        trace.runner = 2
        after(runner.model_state, "prepare_inputs", lambda out, a: mark_forward())
        after(runner, "sample", lambda out, a: mark_end())
        after(runner, "prepare_inputs", lambda out, a: note(a[1].cg_mode, a[1].num_tokens))


_init = engine_core_module.EngineCore.__init__


def _traced_init(self, *a, **k):
    _init(self, *a, **k)
    try:
        install(self)
    except Exception as e:
        print("engine_trace: failed", repr(e), flush=True)


engine_core_module.EngineCore.__init__ = _traced_init
