// Charts of judgements: what they say is what the document says; and when charts are drawn.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { barsOption } from "../../src/charts/bars";
import { drawSoon, forget } from "../../src/charts/draw_queue";
import { ceilingsPlot, tunedSheet } from "../../src/charts/error_plots";
import { fitPlot, fittedSheet } from "../../src/charts/fit_plots";
import { noModelSheet, plainSheet, splitPlot, splitSheet } from "../../src/charts/leaderboard_plots";
import { palette } from "../../src/charts/palette";
import { staircasePlot } from "../../src/charts/staircase_plots";

const colors = palette("light");

interface Drawn {
  series: { type: string; data: unknown[]; markLine?: { data: { xAxis: number }[] } }[];
  xAxis: { type: string };
  tooltip: { formatter(hit: unknown): string };
}
const drawn = (option: unknown) => option as Drawn;

describe("bars", () => {
  const option = drawn(
    barsOption(colors, {
      names: ["a", "b"],
      axis: { name: "x", unit: "share" },
      groups: [
        { values: [0.5, null], color: ["red", "blue"] },
        { values: [1, 2], color: "green" },
      ],
      at: 0.2,
      tip: (index) => [["index", String(index)]],
    }),
  );

  it("have a colour each, or one for all", () => {
    expect(option.series.map((one) => one.data)).toEqual([
      [
        { value: 0.5, itemStyle: { color: "red" } },
        { value: null, itemStyle: { color: "blue" } },
      ],
      [
        { value: 1, itemStyle: { color: "green" } },
        { value: 2, itemStyle: { color: "green" } },
      ],
    ]);
  });

  it("have one line across, and words for the bar under the pointer", () => {
    expect(option.series.map((one) => one.markLine?.data[0]?.xAxis)).toEqual([0.2, undefined]);
    expect(option.tooltip.formatter({ dataIndex: 1 })).toContain("<strong>1</strong>");
    expect(option.tooltip.formatter({ dataIndex: 7 })).toBe("");
  });
});

describe("ceilings and tiles", () => {
  const ceilings = {
    quantile: 0.8,
    families: { gemm: { rows: 100, above_share: 0.21, flagged: 3 } },
    gpus: { h200_sxm: { rows: 100, above_share: 0.21, flagged: 3 } },
  };

  it("draw the share that is right", () => {
    const plot = ceilingsPlot(ceilings, "families")!;
    expect(plot.says).toBe("gemm 21.0\u00a0%");
    expect(plot.sheet.rows).toEqual([["gemm", 100, 0.21, 3]]);
    expect(drawn(plot.option(colors)).series[0]!.markLine?.data[0]?.xAxis).toBeCloseTo(0.2);
    expect(ceilingsPlot(ceilings, "gpus")!.title).toBe("Rows above the ceiling, by GPU");
    expect(ceilingsPlot({ quantile: 0.8 }, "families")).toBeNull();
  });

  it("keep what a tuner reached", () => {
    const gpus = { a100: { flagged: 5, tuned_rows: 9, flagged_of_tuned: 2, mean_speedup: 1.2 } };
    expect(tunedSheet({ gpus }).rows).toEqual([["a100", 5, 9, 2, 1.2, null]]);
  });
});

describe("fits", () => {
  it("show the worst fitted configurations first", () => {
    const fitted = Array.from({ length: 30 }, (_, index) => ({
      config: `c${index}`,
      residual: index / 100,
      buckets: 6,
      median_r_squared: 0.99,
    }));
    const plot = fitPlot({ fitted })!;
    const bars = drawn(plot.option(colors)).series[0]!.data as { value: number }[];
    expect(bars[0]!.value).toBe(0.29);
    expect(bars).toHaveLength(24);
    expect(plot.note).toContain("24 worst of 30");
    expect(fittedSheet({ fitted }).rows).toHaveLength(30);
  });

  it("of the published model are what its waves leave", () => {
    const plot = fitPlot({ fitted: [{ config: "a", buckets: 2, anchors: 9, median_r_squared: 0.75 }] })!;
    const bars = drawn(plot.option(colors)).series[0]!.data as { value: number }[];
    expect(bars[0]!.value).toBeCloseTo(0.25);
    expect(fitPlot({ fitted: [] })).toBeNull();
  });
});

describe("the leaderboard", () => {
  const split = {
    title: "New shapes",
    methods: ["roofline", "mine", "ours"],
    cells: [
      { family: "gemm", method: "roofline", rows: 10, mean_error: 0.3, median_error: 0.2, covered: 1 },
      { family: "gemm", method: "mine", rows: 10, mean_error: 0.05, median_error: 0.01, covered: 0.59 },
      { family: "gemm", method: "ours", rows: 10, mean_error: 0.1, median_error: 0.05, covered: 1 },
    ],
    no_model: [{ method: "mine", rows: 4, reason: "no such kernel" }],
  };

  it("has a mark for each method that has a model, empty where it has one for a part", () => {
    const plot = splitPlot(split)!;
    const option = drawn(plot.option(colors));
    const marks = option.series.map(
      (one) => one.data[0] as { value: number[]; itemStyle: { color: string } },
    );
    expect(marks.map((mark) => mark.value[0])).toEqual([0.3, 0.05, 0.1]);
    expect(marks.map((mark) => mark.itemStyle.color === colors.ground)).toEqual([false, true, false]);
    expect(plot.says).toBe("gemm: mine errs least, 5.0\u00a0%, ours 10.0\u00a0%");
    expect(splitSheet(split).rows[1]).toEqual(["gemm", "mine", 0.05, 0.01, 0.59, 10]);
    expect(noModelSheet(split).rows).toEqual([["mine", 4, "no such kernel"]]);
    expect(splitPlot({ ...split, cells: [] })).toBeNull();
  });

  it("takes other tables as they are", () => {
    const table = { columns: ["method", "minutes"], rows: [["mine", 2.5], ["ours"]] };
    expect(plainSheet(table).columns.map((one) => one.unit)).toEqual([undefined, "plain"]);
    expect(plainSheet(table).rows).toEqual([["mine", 2.5], ["ours"]]);
  });
});

describe("drawing", () => {
  let frames: (() => void)[] = [];
  let now = 0;
  beforeEach(() => {
    frames = [];
    now = 0;
    vi.stubGlobal("requestAnimationFrame", (call: () => void) => frames.push(call));
    vi.spyOn(performance, "now").mockImplementation(() => now);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });
  const frame = () => frames.shift()?.();

  it("happens once a frame for each chart, in its newest state", () => {
    const seen: string[] = [];
    const chart = {};
    drawSoon(chart, () => seen.push("old"));
    drawSoon(chart, () => seen.push("new"));
    expect(seen).toEqual([]);
    frame();
    expect(seen).toEqual(["new"]);
    expect(frames).toHaveLength(0);
  });

  it("leaves to the next frame what has no time in this one", () => {
    const seen: number[] = [];
    for (const which of [1, 2, 3])
      drawSoon({ which }, () => {
        seen.push(which);
        now += 7; // ms
      });
    frame();
    expect(seen).toEqual([1, 2]);
    frame();
    expect(seen).toEqual([1, 2, 3]);
  });

  it("forgets charts that are gone", () => {
    const seen: number[] = [];
    const chart = {};
    drawSoon(chart, () => seen.push(1));
    forget(chart);
    frame();
    expect(seen).toEqual([]);
  });
});

describe("the table of a sweep", () => {
  it("is made when it is looked at", () => {
    const points = [{ x: 8, document: { p10_us: 1, p50_us: 2, p90_us: 3, bound: "dram", tier: "measured" } }];
    const plot = staircasePlot([{ name: "H200", points }], "m", 8, false);
    expect(Object.getOwnPropertyDescriptor(plot, "sheet")?.get).toBeDefined();
    expect(plot.sheet.rows[0]!.slice(0, 5)).toEqual(["H200", 8, 1, 2, 3]);
  });
});
