"""CUDA events as times on the host's clock."""

from __future__ import annotations

import time
from typing import Any

# An event, the event that it counts from, and when that was on the host's clock.
Mark = tuple[Any, Any, float]


class GpuClock:
    """Marks moments of the current stream. Its zero is taken anew once a minute, since an event's distance
    from another is a 32-bit number of milliseconds: after an hour that is exact to 0.2 ms only."""

    def __init__(self, torch: Any, minute: float = 60.0) -> None:
        self.torch, self.minute = torch, minute
        self._take_zero()

    def _take_zero(self) -> None:
        zero = self.torch.cuda.Event(enable_timing=True)
        self.torch.cuda.synchronize()
        zero.record()
        at = time.monotonic()
        self.torch.cuda.synchronize()
        self.zero, self.zero_at = zero, at

    def mark(self) -> Mark:
        """An event recorded now, with the zero that it counts from."""
        if time.monotonic() - self.zero_at > self.minute:
            self._take_zero()
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event, self.zero, self.zero_at

    def time_of(self, mark: Mark) -> float | None:
        """Seconds on time.monotonic; None while the GPU has not reached the event."""
        event, zero, zero_at = mark
        return zero_at + float(zero.elapsed_time(event)) * 1e-3 if event.query() else None
