"""Kernels of vLLM 0.33 with every configuration that time_kernels.py asks for, and their operands.

Each family has `key` (text, as the CSV has it), `program()` (what the compiler tells apart), `candidates()`,
`usual()`, what the engine takes without a file by its own function, `sets(most)`, operands that rotate out of
L2, and `call(operands, config)`, one launch of a configuration (a tuple of `NAMES`). Adapters and states are
launched as `tuned-files --profile` does. Torch and vLLM are imported late: a plan is listed without them.
"""

import itertools

COLD_BYTES = 128 * 2**20  # more than twice the L2 of an H200 (50 MiB)


def copies(operand_bytes, most):
    return min(most, max(2, -(-COLD_BYTES // operand_bytes)))


class Adapter:
    """Shrink or expand of tokens spread evenly over adapters; slices: output sizes beside each other."""

    NAMES = ("block_m", "block_n", "block_k", "split_k", "num_warps", "num_stages")
    GROUP = 8  # the engine's, where a row has none

    def __init__(self, kind, tokens, rank, hidden, slices, adapters):
        self.kind, self.tokens, self.rank = kind, tokens, rank
        self.hidden, self.slices, self.adapters = hidden, slices, adapters
        sizes = "+".join(map(str, slices))
        self.key = f"{kind} rank={rank} hidden={hidden} slices={sizes} adapters={adapters} tokens={tokens}"
        self.family, self.launched = f"lora_{kind}", None

    def candidates(self):
        few, room = self.tokens <= 64 * self.adapters, max(16, self.rank)
        if self.kind == "shrink":
            rows, columns = (16, 32) if few else (32, 64, 128), (16,) if room == 16 else (32, 64)
            depths, parts = (32, 64, 128, 256), (1, 4, 8, 16, 64)
            if not few:
                depths, parts = (32, 64, 128), (1, 2, 4, 8)
            sizes = itertools.product(rows, columns, depths, parts, (4, 8), (2, 3, 4))
            return [one for one in sizes if (one[4] == 4 or one[0] * one[1] >= 1024)
                    and one[2] * one[3] <= self.hidden and (one[5] < 4 or one[2] == 128)]
        rows, depths = (16, 32) if few else (16, 32, 64, 128), (16,) if room == 16 else (32, 64)
        sizes = itertools.product(rows, (32, 64, 128, 256), depths, (1,), (4, 8), (2,))
        return [one for one in sizes if one[4] == 4 or one[0] * one[1] >= 4096]

    def program(self):
        return self.kind, self.rank, self.hidden, tuple(self.slices), self.tokens == 1

    def usual(self):
        from vllm.lora.ops.triton_ops import utils
        shrinks = self.kind == "shrink"
        hidden = self.hidden if shrinks else max(self.slices)
        found = utils.get_lora_op_configs(self.kind, self.adapters + 1, self.tokens, hidden, self.rank,
                                          len(self.slices), None if shrinks else True)
        return tuple(found.get(name, 1) for name in self.NAMES)

    def _launched(self):
        from warploom import engine_adapters, vllm_launches
        if self.launched is None:
            shrinks, slices = self.kind == "shrink", len(self.slices)
            n, k = (self.rank, self.hidden) if shrinks else (max(self.slices), self.rank)
            outputs = slices * self.rank if shrinks else sum(self.slices)
            variant = "shrink" if shrinks else "expand_adding"
            self.launched = engine_adapters.Adapters(vllm_launches, variant, self.adapters, slices, n, k,
                                                     outputs)
        return self.launched

    def sets(self, most=None):
        return self._launched().sets(self.tokens, most)

    def call(self, operands, config):
        rows, columns, depth, parts, warps, stages = config
        self._launched().call(operands, (rows, columns, depth, warps, stages, self.GROUP, parts))


class State:
    """selective_state_update of one token of each of `batch` sequences."""

    NAMES = ("BLOCK_SIZE_M", "num_warps")
    family = "state_update"
    BYTES = {"float32": 4, "bfloat16": 2}

    def __init__(self, batch, heads, head_dim, state, dtype):
        self.batch, self.heads, self.head_dim, self.state, self.dtype = batch, heads, head_dim, state, dtype
        self.key = f"headdim={head_dim} dstate={state} dtype={dtype} heads={heads} batch={batch}"

    def candidates(self):
        sizes = itertools.product((4, 8, 16, 32, 64), (1, 2, 4, 8))
        return [one for one in sizes if one[0] <= self.head_dim]

    def program(self):
        return self.head_dim, self.state, self.dtype, self.heads, self.batch == 1, self.batch % 16 == 0

    def usual(self):
        from vllm.model_executor.layers.mamba.ops import mamba_ssm
        return mamba_ssm._get_default_ssm_launch_config(self.state, False)

    def _launched(self):
        from warploom import engine_adapters, vllm_launches
        return engine_adapters.StateUpdate(vllm_launches, self.head_dim, self.state, self.BYTES[self.dtype],
                                           self.heads)

    def sets(self, most=None):
        return self._launched().sets(self.batch * self.heads, most)

    def call(self, operands, config):
        rows, warps = config
        self._launched().call(operands, (rows, 0, 0, warps))


class Attention:
    """unified_attention over paged keys: query_len new tokens of each sequence of `keys` tokens."""

    NAMES = ("BLOCK_M", "TILE_SIZE", "num_warps", "num_stages")
    PAGE, SEGMENTS, FEWEST_PROGRAMS = 16, 16, 128  # vLLM's block, and two constants of its backend

    def __init__(self, sequences, queries, keys, heads, kv_heads, dim=128):
        self.sequences, self.queries, self.keys = sequences, queries, keys
        self.heads, self.kv_heads, self.dim = heads, kv_heads, dim
        self.parts = queries == 1 and sequences <= self.FEWEST_PROGRAMS // kv_heads
        self.family = "attention_decode" if queries == 1 else "attention_prefill"
        self.key = (f"sequences={sequences} queries={queries} keys={keys} heads={heads} kv_heads={kv_heads} "
                    f"dim={dim} parts={int(self.parts)}")

    def candidates(self):
        group = self.heads // self.kv_heads
        rows = (16,) if self.parts else (16, 32) if self.queries == 1 else (16, 32, 64, 128)
        steps = (16, 32, 64) if self.queries == 1 else (32, 64, 128)
        stages = (2, 3, 4) if self.queries == 1 else (2, 3)
        warps = (2, 4, 8) if self.queries == 1 else (4, 8)
        return [one for one in itertools.product(rows, steps, warps, stages) if one[0] >= group]

    def usual(self):
        return 16, 16 if self.parts else 32, 4, 3

    def program(self):
        return (self.heads, self.kv_heads, self.dim, self.queries == 1, self.parts, self.sequences == 1,
                self.sequences % 16 == 0)

    def sets(self, most=24):
        import torch
        sequences, keys, kv = self.sequences, self.keys, self.kv_heads
        half = dict(device="cuda", dtype=torch.bfloat16)
        pages = -(-keys // self.PAGE)
        moved = 4 * sequences * keys * kv * self.dim
        count = copies(moved, most)
        tokens = sequences * self.queries
        starts = torch.arange(0, tokens + 1, self.queries, device="cuda", dtype=torch.int32)
        lengths = torch.full((sequences,), keys, device="cuda", dtype=torch.int32)
        parts = (torch.empty(tokens, self.heads, self.SEGMENTS, self.dim, device="cuda"),
                 torch.empty(tokens, self.heads, self.SEGMENTS, device="cuda"),
                 torch.empty(tokens, self.heads, self.SEGMENTS, device="cuda")) if self.parts else (None,) * 3

        def one():
            k, v = (torch.randn(sequences * pages, self.PAGE, kv, self.dim, **half) for _ in range(2))
            table = torch.randperm(sequences * pages, device="cuda").to(torch.int32).view(sequences, pages)
            q = torch.randn(tokens, self.heads, self.dim, **half)
            return q, k, v, torch.empty_like(q), starts, lengths, table, parts

        return [one() for _ in range(count)]

    def call(self, operands, config):
        from vllm.v1.attention.ops import triton_unified_attention as engine
        if not hasattr(engine, "own_kernel"):
            engine.own_kernel = engine.kernel_unified_attention
        rows, step, warps, stages = config
        q, k, v, out, starts, lengths, table, parts = operands
        group = self.heads // self.kv_heads

        class Chosen:
            def __getitem__(self, grid):
                def launch(**given):
                    given.update(BLOCK_M=rows, BLOCK_Q=rows // group, num_warps=warps, num_stages=stages)
                    blocks = given["query_ptr"].shape[0] // (rows // group) + given["num_seqs"]
                    return engine.own_kernel[(blocks, *grid[1:])](**given)
                return launch

        engine.kernel_unified_attention = Chosen()
        engine._get_tile_size = lambda *_, **__: step  # the reduction of parts counts by it too
        segments = dict(seq_threshold_3D=self.FEWEST_PROGRAMS // self.kv_heads,
                        num_par_softmax_segments=self.SEGMENTS, softmax_segm_output=parts[0],
                        softmax_segm_max=parts[1], softmax_segm_expsum=parts[2])
        engine.unified_attention(q, k, v, out, starts, self.queries, lengths, self.keys, self.dim**-0.5, True,
                                 (-1, -1), table, 0.0, None, None, None, **segments)


class Dense:
    """Warploom's own product (kernels/gemm.py), whose tables are judged; bytes_of a value: 1, 2."""

    NAMES = ("bm", "bn", "bk", "warps", "stages")

    def __init__(self, m, n, k, bytes_of, configs):
        self.m, self.n, self.k, self.bytes_of, self.configs = m, n, k, bytes_of, configs
        self.family = "dense_fp8" if bytes_of == 1 else "dense_bf16"
        self.key = f"m={m} n={n} k={k} bytes={bytes_of}"

    def candidates(self):
        return self.configs

    def usual(self):
        return 128, 128, 32, 4, 3

    def program(self):
        return self.bytes_of, self.n % 16 == 0, self.k % 16 == 0

    def sets(self, most=24):
        import torch
        from warploom.kernels import gemm
        dtype = torch.float8_e4m3fn if self.bytes_of == 1 else torch.bfloat16
        moved = self.bytes_of * (self.m + self.n) * self.k + 2 * self.m * self.n
        return [gemm.operands(self.m, self.n, self.k, dtype)
                for _ in range(copies(moved, most))]

    def call(self, operands, config):
        from warploom.kernels import gemm
        gemm.launch(config, *operands)


class Experts:
    """Both products of a mixture's layer. scheme: bf16, fp8_blocks, int8 (by channel), int8_w8a16,
    int4_w4a16 (groups of 128); product: both, up or down."""

    NAMES = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "num_warps", "num_stages", "GROUP_SIZE_M")
    GROUP = 128

    def __init__(self, scheme, tokens, experts, top_k, width, hidden, configs):
        self.scheme, self.tokens, self.experts, self.top_k = scheme, tokens, experts, top_k
        self.width, self.hidden, self.configs, self.kept = width, hidden, configs, None
        self.family = f"experts_{scheme}"
        self.key = f"{scheme} E={experts} top_k={top_k} N={width} K={hidden} tokens={tokens}"

    def candidates(self):
        return self.configs

    def usual(self):
        from vllm.model_executor.layers.fused_moe import fused_moe
        dtype = {"bf16": None, "int8": None, "fp8_blocks": "fp8_w8a8"}.get(self.scheme, self.scheme)
        blocks = [0, self.GROUP] if "a16" in self.scheme else None
        if self.scheme == "fp8_blocks":
            blocks = [128, 128]
        found = fused_moe.get_default_config(self.tokens, self.experts, self.width, self.hidden, self.top_k,
                                             dtype, blocks)
        # With narrow weights the launch chooses both where the file has none (get_moe_wna16_block_config).
        few = self.tokens == 1
        found = {"BLOCK_SIZE_N": 32 if few else 64, "BLOCK_SIZE_K": 64 if few else 32, "num_warps": 4,
                 "num_stages": 3, **found}
        return tuple(found[name] for name in self.NAMES)

    def program(self):
        return self.scheme, self.experts, self.width, self.hidden, self.tokens == 1, self.tokens % 16 == 0

    def _weights(self):
        import torch
        if self.kept is None:
            e, w, h = self.experts, self.width, self.hidden

            def one(n, k):
                if self.scheme == "bf16":
                    return torch.randn(e, n, k, device="cuda", dtype=torch.bfloat16), None
                if self.scheme == "fp8_blocks":
                    values = torch.randn(e, n, k, device="cuda", dtype=torch.bfloat16)
                    scales = torch.rand(e, -(-n // 128), -(-k // 128), device="cuda")
                    return values.to(torch.float8_e4m3fn), scales
                if self.scheme == "int8":
                    values = torch.randint(-100, 100, (e, n, k), device="cuda", dtype=torch.int8)
                    return values, torch.rand(e, n, 1, device="cuda")
                packed = k // 2 if self.scheme == "int4_w4a16" else k
                values = torch.randint(0, 255, (e, n, packed), device="cuda", dtype=torch.uint8)
                return values, torch.rand(e, n, k // self.GROUP, device="cuda", dtype=torch.bfloat16)

            self.kept = (*one(2 * w, h), *one(h, w))
        return self.kept

    def sets(self, most=8):
        import torch
        from warploom.kernels import fused_moe
        self._weights()
        tokens, top_k = self.tokens, self.top_k

        def rows(count, width):
            values = torch.randn(count, width, device="cuda", dtype=torch.bfloat16)
            if self.scheme == "fp8_blocks":
                return values.to(torch.float8_e4m3fn), torch.rand(count, width // 128, device="cuda")
            if self.scheme == "int8":
                return values.to(torch.int8), torch.rand(count, 1, device="cuda")
            return values, None

        def empty(columns):
            return torch.empty(tokens, top_k, columns, device="cuda", dtype=torch.bfloat16)

        values = (rows(tokens, self.hidden), empty(2 * self.width), rows(tokens * top_k, self.width),
                  empty(self.hidden), torch.rand(tokens, top_k, device="cuda"))
        routings = min(most, 8 if tokens <= 48 else 4 if tokens <= 512 else 2)
        return [(values, fused_moe.random_experts(tokens, self.experts, top_k, seed), {})
                for seed in range(routings)]

    def call(self, operands, config):
        import triton.language as tl
        from vllm.model_executor.layers.fused_moe import fused_moe as engine
        from warploom.kernels import fused_moe
        ((x, x_scales), first, (middle, middle_scales), last, weights), chosen, aligned = operands
        if config[0] not in aligned:
            aligned[config[0]] = fused_moe.align(chosen, self.experts, config[0])
        tiles = dict(zip(self.NAMES, config))
        up, up_scales, down, down_scales = self._weights()

        def launch(a, b, c, a_scales, b_scales, top_k, weighted):
            if "a16" in self.scheme:
                tiles["SPLIT_K"] = 1
                engine.invoke_fused_moe_wna16_triton_kernel(
                    a, b, c, b_scales, None, weights, *aligned[config[0]], weighted, top_k, tiles,
                    tl.bfloat16, self.scheme == "int8_w8a16", self.scheme == "int4_w4a16", [0, self.GROUP])
                return
            engine.invoke_fused_moe_triton_kernel(
                a, b, c, a_scales, b_scales, weights, *aligned[config[0]], weighted, top_k, tiles,
                compute_type=tl.bfloat16, use_fp8_w8a8=self.scheme == "fp8_blocks",
                use_int8_w8a8=self.scheme == "int8",
                use_int8_w8a16=False, use_int4_w4a16=False, per_channel_quant=self.scheme == "int8",
                block_shape=[128, 128] if self.scheme == "fp8_blocks" else None)

        launch(x, up, first, x_scales, up_scales, self.top_k, False)
        launch(middle, down, last, middle_scales, down_scales, 1, True)
