"""A mock server of twenty lines: requests decode together, each step takes what the model says.

python examples/python/mock_server.py
"""

import warploom

ARRIVALS = [
    (0.05 * i, 200 + 37 * i % 900, 50 + 11 * i % 100) for i in range(40)
]  # seconds, prompt, output tokens

step = warploom.Step("Llama-3.1-8B", "H100-SXM")
now, waiting = 0.0, list(ARRIVALS)
running: list[tuple[int, int]] = []  # tokens in the cache, tokens to come
first_tokens: list[float] = []
while waiting or running:
    arrived = [request for request in waiting if request[0] <= now]
    if not arrived and not running:
        now = waiting[0][0]
        continue
    waiting = waiting[len(arrived) :]
    price = step.mixed([context for context, _ in running], [(prompt, 0) for _, prompt, _ in arrived])
    now += price.ms / 1000
    first_tokens += [now - start for start, _, _ in arrived]
    running = [(context + 1, left - 1) for context, left in running if left > 1]
    running += [(prompt, output - 1) for _, prompt, output in arrived]
mean_ms = 1000 * sum(first_tokens) / len(first_tokens)
print(f"{len(ARRIVALS)} requests in {now:.2f} s; mean time to the first token {mean_ms:.1f} ms")
