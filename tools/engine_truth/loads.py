"""Loads of requests over time, the same for every engine: arrivals, lengths and random tokens from a seed."""

import asyncio
import random
import time


def draw_lengths(mix, rng):
    """Log-normal lengths: chat resembles ShareGPT, rag is heavy in prompts, long in outputs."""
    mu_in, sd_in, mu_out, sd_out, top_in, top_out = {
        "chat": (5.3, 1.0, 5.2, 0.8, 2048, 768),
        "rag": (7.6, 0.5, 4.6, 0.6, 6000, 400),
        "long": (5.0, 0.6, 6.3, 0.5, 1024, 1200),
    }[mix]
    return (
        max(4, min(top_in, int(rng.lognormvariate(mu_in, sd_in)))),
        max(2, min(top_out, int(rng.lognormvariate(mu_out, sd_out)))),
    )


class Loads:
    """An engine's client; a subclass has `async request(k, ids, output, **extra)`, which adds to `rows`."""

    def __init__(self, vocab):
        self.vocab, self.start = vocab, 0.0

    def tokens(self, rng, n):
        return [rng.randrange(1000, self.vocab - 1000) for _ in range(n)]

    async def run(self, item):
        """One entry of a plan (serve.py says which there are)."""
        await (self.open_loop(item) if item["kind"] == "open" else self.closed_loop(item))

    async def open_loop(self, item):
        rng = random.Random(item["seed"])
        groups = [self.tokens(rng, item["prefix"]) for _ in range(item.get("groups", 0))]
        todo, at = [], 0.0
        for k in range(item["n"]):
            i, o = draw_lengths(item["mix"], rng)
            g = rng.randrange(len(groups)) if groups else None
            ids = (groups[g] if groups else []) + self.tokens(rng, i)
            todo.append((at, ids, o, g))
            if item["rate"] > 0:
                at += rng.expovariate(item["rate"])
        self.start = time.monotonic() + 0.05

        async def one(k):
            at, ids, o, g = todo[k]
            await asyncio.sleep(max(0.0, at - (time.monotonic() - self.start)))
            await self.request(k, ids, o, group=g, prefix=item.get("prefix") if groups else None)

        await asyncio.gather(*[one(k) for k in range(item["n"])])

    async def closed_loop(self, item):
        rng = random.Random(item["seed"])
        todo = [self.tokens(rng, item["input"]) for _ in range(item["n"])]
        self.start = time.monotonic()
        nexts = iter(range(item["n"]))

        async def client(c):
            for k in nexts:
                await self.request(k, todo[k], item["output"], client=c)

        await asyncio.gather(*[client(c) for c in range(item["clients"])])

    async def warm_up(self):
        """Prompts of all sizes, then a crowd, so that no kernel is compiled in a measured run."""
        self.start = time.monotonic()
        rng = random.Random(1)
        sizes = (16, 40, 64, 100, 200, 300, 500, 700, 1024, 1500, 2048, 3000, 4096, 6000, 8000)
        for k, n in enumerate(sizes):
            await self.request(k, self.tokens(rng, n), 3)
        crowd = [
            self.request(100 + k, self.tokens(rng, rng.randrange(20, 600)), rng.randrange(4, 80))
            for k in range(200)
        ]
        await asyncio.gather(*crowd)
