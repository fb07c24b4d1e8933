// What the charts are made of: their tables hold the documents' numbers.
import { describe, expect, it } from "vitest";
import { cellsOf, cellsPlot, groupOf } from "../../src/charts/accuracy_plots";
import { poolsOf, runOf } from "../../src/core/deployment";
import { gpusPlot } from "../../src/charts/kernel_plots";
import { rooflinePlot, roofs } from "../../src/charts/roofline_plots";
import { staircasePlot } from "../../src/charts/staircase_plots";
import { front, keeps, paretoPlot, planPoints, ranked } from "../../src/charts/plan_plots";
import { distributionPlot } from "../../src/charts/serve_plots";
import { latencySheet } from "../../src/charts/serve_sheets";
import { hostExposed, tiles } from "../../src/charts/step_plots";
import { palette } from "../../src/charts/palette";
import { batchText, readBatch } from "../../src/core/batch";
import { percentile, shares } from "../../src/core/distribution";
import { EventReader } from "../../src/core/events";
import type { JsonObject } from "../../src/core/json";
import { endAround, sizeOf, sweepValues, withSize } from "../../src/core/operators";
import { figure, readBenchmark, servedRequests } from "../../src/core/requests_of_run";
import { moved, whatIf } from "../../src/core/what_if";
import { placeOf, valueAt } from "../../src/forms/slider";

const predicted = (p50: number): JsonObject => ({
  p10_us: p50 * 0.9,
  p50_us: p50,
  p90_us: p50 * 1.1,
  physical_bound_us: p50 / 2,
  bound: "tensor",
  tier: "measured",
  structure: { waves: 3.5 },
  pipelines: [
    { pipeline: "tensor", demand: 1e12, time_us: p50 / 2, share: 0.5 },
    { pipeline: "dram", demand: 1e9, time_us: p50 / 4, share: 0.25 },
  ],
});

describe("kernel charts", () => {
  it("give a roof of each pipeline that moves bytes", () => {
    const { roofs: all, counter } = roofs(predicted(100));
    expect(counter).toBe("tensor");
    expect(all).toEqual([{ pipeline: "dram", intensity: 1000, bandwidth: 1e9 / 25e-6, peak: 1e12 / 50e-6 }]);
    expect(
      rooflinePlot({
        name: "G",
        document: { pipelines: [{ pipeline: "network", demand: 1, time_us: 1, share: 1 }] },
      }),
    ).toBeNull();
  });
  it("show the documents' numbers in their tables", () => {
    const plot = staircasePlot(
      [
        {
          name: "G",
          points: [
            { x: 1, document: predicted(10) },
            { x: 2, document: predicted(20) },
          ],
        },
      ],
      "m",
      2,
      false,
    );
    expect(plot.sheet.rows[1]).toEqual(["G", 2, 18, 20, 22, 10, 3.5, "tensor", "measured"]);
    expect(
      gpusPlot([
        { name: "A", document: predicted(10) },
        { name: "B", document: predicted(5) },
      ]).sheet.rows[1]!.slice(0, 2),
    ).toEqual(["B", 5]);
    expect(() => plot.option(palette("dark"))).not.toThrow();
  });
  it("sweep each whole number once", () => {
    expect(sweepValues(1, 5, false, 9)).toEqual([1, 2, 3, 4, 5]);
    expect(sweepValues(1, 65536, true)).toHaveLength(new Set(sweepValues(1, 65536, true)).size);
    expect(endAround(4096)).toBe(8192);
  });
  it("set a size of an operator and of its groups", () => {
    expect(withSize({ m: 1 }, ["m"], 5)).toEqual({ m: 5 });
    const grouped = withSize(
      { requests: [{ count: 1, context_tokens: 2 }] },
      ["requests", "context_tokens"],
      9,
    );
    expect(sizeOf(grouped, ["requests", "context_tokens"])).toBe(9);
  });
});

describe("what if", () => {
  const record = {
    name: "h100_sxm",
    title: "H100",
    aliases: ["H100"],
    sm_count: 132,
    boost_clock_mhz: 1800,
    base_clock_mhz: 1500,
    max_clock_mhz: 2000,
    memory_bandwidth_gb_per_s: 3352.32,
  };
  it("changes what was moved and gives the record a name of its own", () =>
    expect(whatIf(record, { sm_count: 1.1, boost_clock_mhz: 2 })).toMatchObject({
      name: "h100_sxm_what_if",
      aliases: [],
      sm_count: 145,
      boost_clock_mhz: 3600,
      base_clock_mhz: 3000,
      max_clock_mhz: 4000,
      memory_bandwidth_gb_per_s: 3352.32,
    }));
  it("takes only levers, moved", () =>
    expect(moved({ sm_count: 1, boost_clock_mhz: 2, name: 3 })).toEqual({ boost_clock_mhz: 2 }));
});

describe("step charts", () => {
  const step = {
    step_ms: 12,
    gpu_ms: { p50: 10 },
    kernels: [{ label: "a", time_us: 10_000, bound: "dram" }],
  };
  it("show what of the host is not hidden", () => {
    expect(hostExposed(step)).toBe(2);
    expect(tiles(step).map((tile) => [tile.name, tile.us, tile.bound])).toEqual([
      ["a", 10_000, "dram"],
      ["host and gaps", 2000, "host"],
    ]);
  });
  it("read batches", () =>
    expect([readBatch("64x2000"), readBatch(""), batchText({ batch: 2, length: 5 })]).toEqual([
      { batch: 64, length: 2000 },
      { batch: 0, length: 0 },
      "2x5",
    ]));
});

describe("serving charts", () => {
  const bench = {
    ttfts: [0.05, 0.07, 0],
    output_lens: [4, 3, 0],
    input_lens: [1, 1, 1],
    itls: [[0.01, 0.01, 0.01], [0.02, 0.02], []],
    start_times: [5, 6, 7],
    errors: ["", "", "Bad Request"],
  };
  it("leave failed requests out and start at 0", () => {
    const requests = servedRequests(bench);
    expect(requests.map((one) => one.start)).toEqual([0, 1]);
    expect(requests[0]!.latency).toBeCloseTo(0.08);
  });
  it("take said figures before counted ones", () => {
    expect(figure({ ...bench, mean_ttft_ms: 61 }, "ttft", "mean")).toBe(61);
    expect(figure(bench, "ttft", "mean")).toBeCloseTo(60);
    expect(figure({ median_ttft_ms: 5 }, "ttft", "p50")).toBe(5);
  });
  it("lay a measured run beside a simulated one", () => {
    const runs = [
      {
        name: "A",
        document: {
          mean_ttft_ms: 66,
          interval: { low: { mean_ttft_ms: 60 }, high: { mean_ttft_ms: 70 } },
        } as JsonObject,
        requests: servedRequests(bench),
        measured: false,
      },
      { name: "measured", document: bench as JsonObject, requests: servedRequests(bench), measured: true },
    ];
    const row = latencySheet(runs).rows.find((one) => one[0] === "TTFT mean")!;
    expect(row.slice(1, 4)).toEqual([66, 60, 70]);
    expect(row[5]).toBeCloseTo(66 / 60 - 1);
    expect(distributionPlot(runs, "ttft")!.sheet.rows.length).toBe(4);
  });
  it.each(["no json", "[]", "{}"])("refuse %s as a benchmark in words", (text) =>
    expect(() => readBenchmark(text, "x.json")).toThrow(/x\.json .*vllm bench serve/),
  );
  it("count percentiles as NumPy does", () => {
    expect(percentile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(percentile([], 0.5)).toBeNull();
    expect(shares([3, 1, 2])).toEqual([
      [1, 1 / 3],
      [2, 2 / 3],
      [3, 1],
    ]);
  });
});

describe("plan charts", () => {
  const point = (user: number, gpu: number, cost: number) => ({
    tokens_per_s_per_user: user,
    tokens_per_s_per_gpu: gpu,
    usd_per_hour: cost,
    deployment: { words: `${user}`, pool: { gpu: "g" } },
  });
  const plan = { best: 2, points: [point(10, 100, 3), point(20, 90, 4), point(15, 80, 9)] };
  it("count ranks from 1", () => expect(ranked(plan, "best")).toBe(1));
  it("find the front", () =>
    expect(front(planPoints(plan), "user_speed", "gpu_speed").map((one) => one.index)).toEqual([0, 1]));
  it("drop what is beyond a limit", () => {
    expect(
      planPoints(plan)
        .filter((one) => keeps(one, { cost: 4, user_speed: 15 }))
        .map((one) => one.index),
    ).toEqual([1]);
    expect(paretoPlot(plan, "user_speed", "gpu_speed", { cost: 4 }).sheet.rows).toHaveLength(2);
  });
});

describe("accuracy", () => {
  const cell = {
    family: "gemm",
    gpu: "h100_sxm",
    dtype: "bf16",
    framework: "vllm",
    rows: 40,
    mean_error: 0.05,
    median_error: 0.03,
    p90_error: 0.1,
    bias: -0.01,
    coverage: 0.79,
    roofline_mean_error: 0.4,
  };
  const document: JsonObject = {
    cells: [cell, { ...cell, gpu: "b200_sxm" }],
    overall: cell,
    families: { gemm: cell },
  };
  it("shows every cell in its chart and table", () => {
    const plot = cellsPlot(cellsOf(document), "coverage");
    expect(plot.sheet.rows.map((row) => [row[1], row[9]])).toEqual([
      ["h100_sxm", 0.79],
      ["b200_sxm", 0.79],
    ]);
    expect(() => plot.option(palette("light"))).not.toThrow();
    expect(groupOf(document, "families", "gemm")?.mean).toBe(0.05);
    expect(groupOf(document, "gpus", "gemm")).toBeNull();
  });
});

describe("a deployment of a plan", () => {
  const schema: JsonObject = {
    properties: {
      setup: {
        type: "object",
        properties: {
          config: {
            type: "object",
            properties: { enable_dp_attention: { type: "boolean", owners: ["sglang"] } },
          },
        },
      },
    },
  };
  const shape = {
    gpu: "h200_sxm",
    instances: 3,
    tensor_parallel: 2,
    pipeline_parallel: 1,
    data_parallel: 2,
    expert_parallel: true,
  };
  const deployment: JsonObject = {
    engine: "vllm",
    engine_version: "",
    quantization: "fp8",
    max_num_seqs: null,
    max_num_batched_tokens: 4096,
    prefix_caching: false,
    speculation: "eagle3:3",
    kv_offloading_gib: 0,
    pool: shape,
  };
  it("becomes fields of simulate", () => {
    const [pool] = poolsOf({ model: "m" }, { kv_cache_dtype: "fp8" }, deployment, schema);
    expect(pool).toMatchObject({ instances: 3, gpus: 4, gpu: "h200_sxm" });
    expect(pool!.asked).toEqual({
      setup: {
        model: "m",
        gpu: "h200_sxm",
        quantization: "fp8",
        config: {
          engine: "vllm",
          max_num_batched_tokens: 4096,
          kv_cache_dtype: "fp8",
          speculative_config: '{"method":"eagle3","num_speculative_tokens":3}',
          enable_prefix_caching: false,
          tensor_parallel_size: 2,
          pipeline_parallel_size: 1,
          data_parallel_size: 2,
          enable_expert_parallel: true,
        },
      },
    });
  });
  it("counts attention groups as its engine does", () =>
    expect(
      poolsOf({ model: "m" }, {}, { ...deployment, engine: "sglang", quantization: "stored" }, schema)[0]!
        .asked,
    ).toMatchObject({ setup: { config: { tensor_parallel_size: 4, enable_dp_attention: true } } }));
  it("has a run of its own unless prefill and decode are apart", () => {
    const pools = poolsOf({ model: "m" }, {}, deployment, schema);
    expect(runOf(pools, { source: { rate: 2 } })).toMatchObject({
      source: { rate: 2 },
      setup: { config: { instances: 3 } },
    });
    const { pool: _, ...rest } = deployment;
    expect(
      runOf(poolsOf({ model: "m" }, {}, { ...rest, prefill: shape, decode: shape }, schema), {}),
    ).toBeNull();
  });
});

describe("events and sliders", () => {
  it("read events that arrive in pieces", () => {
    const reader = new EventReader();
    expect(reader.take(": hello\n\nevent: progress\nda")).toEqual([]);
    expect(reader.take('ta: {"done":1}\r\n\r\nevent: cancelled\n\n')).toEqual([
      { name: "progress", data: '{"done":1}' },
      { name: "cancelled", data: "" },
    ]);
  });
  it("go from place to value and back", () => {
    const range = { least: 1, most: 65536, log: true };
    expect(valueAt(range, 400, true)).toBe(65536);
    expect(valueAt(range, placeOf(range, 100), true)).toBeCloseTo(100, -1);
    expect(
      valueAt(
        { least: 1, most: 8, steps: [1, 2, 4, 8] },
        placeOf({ least: 1, most: 8, steps: [1, 2, 4, 8] }, 4),
        true,
      ),
    ).toBe(4);
  });
});
