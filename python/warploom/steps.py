"""The time of one step after another, for planners, routers and mock servers that ask once an iteration."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from warploom import _core
from warploom.answer_notes import Notes
from warploom.session import Files, PathText, json_text, open_session


def _not_whole(**given: Any) -> TypeError:
    said = ", ".join(f"{name} {value!r}" for name, value in given.items())
    return TypeError(
        f"step: {said}: expected whole numbers below 2**63 (prompts: pairs of tokens and context)"
    )


class StepPrice(NamedTuple):
    """Microseconds: the GPU's p10, p50 and p90, and what the host adds to p50."""

    p10_us: float
    p50_us: float
    p90_us: float
    host_us: float

    @property
    def ms(self) -> float:
        """The whole step."""
        return (self.p50_us + self.host_us) / 1000


class Step:
    """One model on one GPU under one engine, as `simulate` prices its steps.

    `setup`: the engine's fields, for example engine="sglang", tensor_parallel_size=2. For one thread at
    a time.
    About a third of a microsecond a step once its sizes were seen.
    """

    def __init__(self, model: Any, gpu: PathText, *, predictor: PathText = "", **setup: Any) -> None:
        fields = {"model": model, "gpu": gpu, **{k: v for k, v in setup.items() if v is not None}}
        if str(predictor):
            fields["predictor"] = predictor
        with Files() as files, Notes() as notes:
            setup_text = json_text("step", files.plain(fields))
            self._step = _core.Step(open_session(str(predictor)), setup_text, notes.take)

    def decode(self, requests: int, context: int) -> StepPrice:
        """`requests` that each add a token to `context` in the cache."""
        try:
            return StepPrice(*self._step.decode(requests, context))
        except TypeError:
            raise _not_whole(requests=requests, context=context) from None

    def decode_ms(self, requests: int, context: int) -> float:
        """The same as one number: milliseconds of the whole step."""
        try:
            return self._step.decode_ms(requests, context)
        except TypeError:
            raise _not_whole(requests=requests, context=context) from None

    def prefill(self, tokens: Iterable[int]) -> StepPrice:
        """Whole prompts of so many tokens each, none in the cache."""
        if isinstance(tokens, str) or not isinstance(tokens, Iterable):
            raise TypeError(f"step: tokens {tokens!r}: expected a list of whole numbers, one for each prompt")
        return self.mixed((), [(each, 0) for each in tokens])

    def mixed(self, contexts: Sequence[int], prompts: Sequence[tuple[int, int]] = ()) -> StepPrice:
        """Decoding requests by the tokens they have in the cache, and parts of prompts as (new
        tokens, tokens in the cache)."""
        for name, value in (("contexts", contexts), ("prompts", prompts)):
            if isinstance(value, str) or not isinstance(value, Iterable):
                raise TypeError(f"step: {name} {value!r}: expected a list")
        try:
            return StepPrice(*self._step.mixed(list(contexts), list(prompts)))
        except TypeError:
            raise _not_whole(contexts=contexts, prompts=prompts) from None
