"""What an engine core did: events in, rows of iterations and of requests out. Knows no engine and no GPU.

Times are seconds on one clock of the host. An iteration is known by a key from its scheduling to its update;
with asynchronous scheduling the update of one comes after the launch of the next. Lists are handed over
whole (take_iterations, take_requests), so one thread may note while another writes."""
from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

# A request as it is noted: its name, its times and its counts, under the names of REQUEST_COLUMNS.
RequestRow = dict[str, Any]

ITERATION_COLUMNS = (
    "schedule_start_s schedule_end_us execute_start_us forward_start_us execute_end_us sample_start_us "
    "sample_end_us update_start_us update_end_us gpu_start_us gpu_end_us prompts prompt_tokens decodes "
    "kv_usage graph padded_tokens"
).split()
REQUEST_COLUMNS = (
    "request_id arrival_s input_tokens output_tokens received_s queued_s scheduled_s first_token_s "
    "last_token_s cached_tokens"
).split()
# As an iteration keeps them; the GPU's two may be events whose time is known later.
TIMES = (
    "schedule_start schedule_end execute_start forward_start execute_end sample_start sample_end "
    "update_start update_end gpu_start gpu_end"
).split()
GRAPHS = {"FULL": "F", "PIECEWISE": "P", "NONE": "N"}


class Iteration:
    """One step of the engine: its times (seconds, None where not seen) and its batch."""

    __slots__ = (*TIMES, "prompts", "prompt_tokens", "decodes", "kv_usage", "graph", "padded_tokens")
    schedule_start: float
    schedule_end: float | None
    execute_start: float | None
    forward_start: float | None
    execute_end: float | None
    sample_start: float | None
    sample_end: float | None
    update_start: float | None
    update_end: float | None
    gpu_start: Any
    gpu_end: Any
    prompts: int | None
    prompt_tokens: int | None
    decodes: int | None
    kv_usage: float | None
    graph: str | None
    padded_tokens: int | None

    def __init__(self) -> None:
        for name in self.__slots__:
            setattr(self, name, None)

    def cells(self, zero: float, gpu_time: Callable[[Any], float | None]) -> list[str]:
        """The row's texts; gpu_time(event) gives seconds on the host's clock, or None."""
        start = self.schedule_start
        out = [f"{start - zero:.6f}"]
        for name in TIMES[1:]:
            time = getattr(self, name)
            if time is not None and name.startswith("gpu_"):
                time = gpu_time(time)
            out.append("" if time is None else str(round((time - start) * 1e6)))
        batch = (self.prompts, self.prompt_tokens, self.decodes)
        out += ["" if value is None else str(value) for value in batch]
        out.append("" if self.kv_usage is None else f"{self.kv_usage:.4f}")
        out.append("" if self.graph is None else GRAPHS.get(self.graph, self.graph))
        out.append("" if self.padded_tokens is None else str(self.padded_tokens))
        return out


class Journal:
    """Notes the events of one engine core. `zero`: the time that the rows count from. `received_at` corrects
    when requests were received, where something else than this journal knows that better."""

    def __init__(
        self,
        zero: float,
        most_iterations: int = 1_000_000,
        most_requests: int = 100_000,
        received_at: Callable[[list[RequestRow]], list[RequestRow]] | None = None,
    ) -> None:
        self.zero, self.received_at = zero, received_at
        self.room_for_iterations, self.room_for_requests = most_iterations, most_requests
        self.under_way: dict[Hashable, Iteration] = {}
        self.done: list[Iteration] = []
        self.live: dict[str, RequestRow] = {}
        self.ended: list[RequestRow] = []
        self.current: Iteration | None = None

    # Requests.

    def received(self, request: str, time: float) -> None:
        if self.room_for_requests > 0:
            self.room_for_requests -= 1
            self.live[request] = {"request_id": request, "received_s": time, "output_tokens": 0}

    def queued(self, request: str, time: float, input_tokens: int) -> None:
        row = self.live.get(request)
        if row is None:
            self.received(request, time)
            row = self.live.get(request)
        if row is not None:
            row.update(queued_s=time, input_tokens=input_tokens)

    def queued_once(self, request: str, time: float, input_tokens: int) -> None:
        """For an engine that queues a request again when it stopped it, or queues what nobody asked for."""
        row = self.live.get(request)
        if row is not None and "queued_s" not in row:
            row.update(queued_s=time, input_tokens=input_tokens)

    def produced(
        self, request: str, time: float, tokens: int, finished: bool | None, cached_tokens: int | None = None
    ) -> None:
        """`tokens` new ones. `finished`: None while it goes on, True at its end, False when aborted."""
        row = self.live.get(request)
        if row is None:
            return
        if tokens > 0:
            row.setdefault("first_token_s", time)
            row["last_token_s"] = time
            row["output_tokens"] += tokens
        if cached_tokens is not None:
            row.setdefault("cached_tokens", cached_tokens)
        if finished is not None:
            del self.live[request]
            if finished and row["output_tokens"] > 0:
                self.ended.append(row)

    def grown_to(
        self, request: str, time: float, tokens: int, finished: bool | None, cached_tokens: int | None = None
    ) -> None:
        """As produced, of an engine that knows how many tokens a request has: it need not be told each."""
        row = self.live.get(request)
        if row is not None:
            self.produced(request, time, tokens - row["output_tokens"], finished, cached_tokens)

    # Iterations.

    def scheduled(
        self,
        key: Hashable,
        start: float,
        end: float,
        tokens: Mapping[str, int],
        kv_usage: float | None = None,
    ) -> None:
        """`tokens`: of each request in the batch. A batch of nothing is no iteration."""
        self.begun(tokens, end)
        ones = sum(count == 1 for count in tokens.values())
        self.step(key, (start, end), (len(tokens) - ones, sum(tokens.values()) - ones, ones), kv_usage)

    def begun(self, requests: Iterable[str], time: float) -> None:
        """Requests that are in a batch, perhaps for the first time."""
        for request in requests:
            row = self.live.get(request)
            if row is not None:
                row.setdefault("scheduled_s", time)

    def step(
        self,
        key: Hashable,
        schedule: tuple[float, float],
        batch: tuple[int, int, int],
        kv_usage: float | None = None,
    ) -> None:
        """`schedule`: its start and end. `batch`: prompts, their tokens, requests that get one token more."""
        if not batch[0] + batch[2] or self.room_for_iterations <= 0:
            return
        self.room_for_iterations -= 1
        iteration = Iteration()
        iteration.schedule_start, iteration.schedule_end = schedule
        iteration.prompts, iteration.prompt_tokens, iteration.decodes = batch
        iteration.kv_usage = kv_usage
        self.under_way[key] = iteration

    def enter(self, key: Hashable) -> Iteration | None:
        """The iteration whose launch begins: what follows is noted in `current`."""
        self.current = self.under_way.get(key)
        return self.current

    def updated(self, key: Hashable, start: float, end: float) -> None:
        iteration = self.under_way.pop(key, None)
        if iteration is not None:
            iteration.update_start, iteration.update_end = start, end
            self.done.append(iteration)

    # Handing over.

    def take_iterations(self) -> list[Iteration]:
        taken, self.done = self.done, []
        return taken

    def take_requests(self) -> list[RequestRow]:
        taken, self.ended = self.ended, []
        return taken if self.received_at is None else self.received_at(taken)

    def request_cells(self, row: RequestRow) -> list[str]:
        """The row's texts; its arrival is its receipt, since the client's clock is not known here."""
        row = dict(row, arrival_s=row["received_s"])
        row.setdefault("scheduled_s", row.get("queued_s", row["received_s"]))
        out = []
        for name in REQUEST_COLUMNS:
            value = row.get(name)
            if name.endswith("_s") and value is not None:
                value = f"{value - self.zero:.6f}"
            out.append("" if value is None else str(value))
        return out
