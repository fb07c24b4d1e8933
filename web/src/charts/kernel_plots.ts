// Charts of one operator: pipelines, roofline, waves over a size, GPUs side by side.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { interval, quantity, time } from "../core/quantity";
import { sheet } from "../core/sheet";
import { band, categoryAxis, grid, line, TEXT, tooltip, tooltipText, valueAxis, whiskers, type Hit } from "./axes";
import { boundColor, faded, seriesColor, type Palette } from "./palette";
import type { Plot } from "./plot";

export interface Named {
  name: string;
  document: JsonObject;
}

function us(document: JsonObject, key: string): number {
  return numberAt(document, key) ?? 0;
}

const PIPELINE_UNITS: Record<string, "FLOP" | "B" | "count"> = { tensor: "FLOP", fma: "FLOP", launch: "count", xu: "count" };

export function pipelineRows(document: JsonObject) {
  return objectsAt(document, "pipelines").map((one) => {
    const name = textAt(one, "pipeline");
    return { name, demand: numberAt(one, "demand") ?? 0, time: numberAt(one, "time_us") ?? 0,
      share: numberAt(one, "share") ?? 0, unit: PIPELINE_UNITS[name] ?? ("B" as const) };
  });
}

// What each pipeline alone would take, against the prediction and its interval.
export function pipelinesPlot({ name, document }: Named): Plot {
  const rows = pipelineRows(document);
  const [low, mid, high] = ["p10_us", "p50_us", "p90_us"].map((key) => us(document, key)) as [number, number, number];
  return {
    title: "Time of each pipeline alone",
    says: `Bars: ${rows.map((row) => `${row.name} ${time(row.time)}`).join(", ")}. Predicted ${time(mid)} on ${name}.`,
    height: 60 + 30 * Math.max(2, rows.length),
    sheet: sheet([["pipeline"], ["demand"], ["time alone", "us"], ["share of predicted", "share"]],
      rows.map((row) => [row.name, quantity(row.demand, row.unit), row.time, row.share])),
    legend: (colors) => [{ name: "predicted p50, p10 … p90", color: colors.ink, mark: "band" }],
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 8, right: 60 }),
      xAxis: valueAxis(colors, { name: "time", unit: "us", most: Math.max(high, ...rows.map((row) => row.time)) * 1.08 }, false),
      yAxis: categoryAxis(colors, rows.map((row) => row.name), true),
      tooltip: tooltip(colors, (hit) => {
        const row = rows[(hit as Hit).dataIndex];
        return row === undefined ? "" : tooltipText(row.name, [["demand", quantity(row.demand, row.unit)],
          ["alone", time(row.time)], ["of predicted", quantity(row.share, "share")]]);
      }),
      series: [{
        type: "bar", barMaxWidth: 16,
        data: rows.map((row) => ({ value: row.time, itemStyle: { color: boundColor(colors, row.name) } })),
        label: { show: true, position: "right", ...TEXT, color: colors.quiet,
          formatter: (hit: Hit) => time(rows[hit.dataIndex]?.time ?? 0) },
      }, predictedAcross(colors, rows.length, low, mid, high)],
    }),
  };
}

function predictedAcross(colors: Palette, count: number, low: number, mid: number, high: number): object {
  return {
    type: "custom", silent: true, z: 1, data: [[mid, 0]], tooltip: { show: false },
    renderItem: (_: unknown, api: { coord(value: number[]): number[] }) => {
      const [[left, y0], [right], [middle, y1]] = [api.coord([low, 0]), api.coord([high, 0]), api.coord([mid, count - 1])] as
        [[number, number], [number, number], [number, number]];
      const [top, bottom] = [Math.min(y0, y1) - 18, Math.max(y0, y1) + 18];
      return { type: "group", children: [
        { type: "rect", shape: { x: left, y: top, width: right - left, height: bottom - top }, style: { fill: faded(colors.ink, 0.1) } },
        { type: "line", shape: { x1: middle, x2: middle, y1: top, y2: bottom }, style: { stroke: colors.ink, lineWidth: 1.5 } }] };
    },
  };
}

// Pipelines that move bytes, each with a slope of its own; the arithmetic of the busiest pipeline is the ceiling.
const MOVERS = ["dram", "l2", "shared", "network"];
const COUNTERS = ["tensor", "fma", "xu"];

export interface Roof {
  pipeline: string;
  intensity: number; // FLOP/B
  bandwidth: number; // B/s
  peak: number; // FLOP/s
}

export function roofs(document: JsonObject): { roofs: Roof[]; flop: number; counter: string } {
  const rows = pipelineRows(document).filter((row) => row.demand > 0 && row.time > 0);
  const counter = rows.filter((row) => COUNTERS.includes(row.name)).sort((a, b) => b.time - a.time)[0];
  if (counter === undefined) return { roofs: [], flop: 0, counter: "" };
  return {
    flop: counter.demand,
    counter: counter.name,
    roofs: rows.filter((row) => MOVERS.includes(row.name)).map((row) => ({
      pipeline: row.name, intensity: counter.demand / row.demand, bandwidth: row.demand / (row.time * 1e-6),
      peak: counter.demand / (counter.time * 1e-6),
    })),
  };
}

function decade(value: number, round: (value: number) => number): number {
  return 10 ** round(Math.log10(value));
}

export function rooflinePlot({ name, document }: Named): Plot | null {
  const { roofs: all, flop, counter } = roofs(document);
  if (all.length === 0) return null;
  const rate = (key: string) => flop / (us(document, key) * 1e-6);
  const [slow, mid, fast] = [rate("p90_us"), rate("p50_us"), rate("p10_us")];
  const peak = all[0]?.peak ?? 0;
  const ridges = all.map((roof) => peak / roof.bandwidth);
  const least = decade(0.3 * Math.min(...ridges, ...all.map((roof) => roof.intensity)), Math.floor);
  const most = decade(2 * Math.max(...ridges, ...all.map((roof) => roof.intensity)), Math.ceil);
  return {
    title: "Roofline of each pipeline",
    says: `${name} reaches ${quantity(mid, "FLOP/s")} of ${quantity(peak, "FLOP/s")} of the ${counter} pipeline; ` +
      all.map((roof) => `${roof.pipeline}: ${quantity(roof.intensity, "FLOP/B")}`).join(", "),
    sheet: sheet([["pipeline"], ["intensity", "FLOP/B"], ["bandwidth", "B/s"], ["roof here", "FLOP/s"], ["predicted", "FLOP/s"]],
      all.map((roof) => [roof.pipeline, roof.intensity, roof.bandwidth, Math.min(peak, roof.intensity * roof.bandwidth), mid])),
    legend: (colors) => [...all.map((roof) => ({ name: roof.pipeline, color: boundColor(colors, roof.pipeline), mark: "line" as const })),
      { name: `${counter} peak`, color: boundColor(colors, counter), mark: "dash" }],
    note: "Roofs are the rates that the prediction of this kernel uses; a point is the predicted rate at the bytes of its pipeline.",
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: valueAxis(colors, { name: "arithmetic intensity [FLOP/B]", unit: "plain", log: true, least, most }, false),
      yAxis: valueAxis(colors, { name: "rate", unit: "FLOP/s", log: true, least: decade(Math.min(slow, peak / 100), Math.floor), most: decade(peak * 1.2, Math.ceil) }, true),
      tooltip: tooltip(colors, (hit) => {
        const roof = all[(hit as Hit).seriesIndex - all.length - 1] ?? all[0];
        return roof === undefined ? "" : tooltipText(`${roof.pipeline} on ${name}`, [["intensity", quantity(roof.intensity, "FLOP/B")],
          ["bandwidth", quantity(roof.bandwidth, "B/s")], ["roof here", quantity(Math.min(peak, roof.intensity * roof.bandwidth), "FLOP/s")],
          ["predicted", quantity(mid, "FLOP/s")], ["p90 … p10 time", interval(slow, fast, "FLOP/s")]]);
      }),
      series: [
        ...all.map((roof) => line(roof.pipeline, [[least, least * roof.bandwidth], [peak / roof.bandwidth, peak]],
          boundColor(colors, roof.pipeline), { silent: true, showSymbol: false })),
        line("peak", [[Math.min(...ridges), peak], [most, peak]], boundColor(colors, counter),
          { silent: true, showSymbol: false, lineStyle: { color: boundColor(colors, counter), width: 1.5, type: [5, 4] } }),
        ...all.map((roof) => ({
          type: "scatter", name: `${roof.pipeline} point`, symbolSize: 11, z: 6, data: [[roof.intensity, mid]],
          itemStyle: { color: boundColor(colors, roof.pipeline), borderColor: colors.ground, borderWidth: 1.5 },
          label: { show: true, position: "top", formatter: roof.pipeline, ...TEXT, color: colors.ink },
        })),
        whiskers("interval", all.map((roof) => [roof.intensity, slow, fast]), colors.quiet),
      ],
    }),
  };
}

export interface Sweep {
  name: string; // GPU
  points: { x: number; document: JsonObject }[];
}

function finite(points: Sweep["points"]) {
  return points.filter((point) => numberAt(point.document, "p50_us") !== null);
}

// Latency over one size: interval, physical bound, and the waves of the tiles on a second axis.
export function staircasePlot(sweeps: Sweep[], field: string, at: number, log: boolean): Plot {
  const first = finite(sweeps[0]?.points ?? []);
  const waves = first.map(({ x, document }) => [x, numberAt(document, "structure", "waves") || null]);
  const hasWaves = waves.some(([, count]) => count !== null);
  const rows = sweeps.flatMap(({ name, points }) => finite(points).map(({ x, document }) => [name, x, us(document, "p10_us"),
    us(document, "p50_us"), us(document, "p90_us"), us(document, "physical_bound_us"), numberAt(document, "structure", "waves"),
    textAt(document, "bound"), textAt(document, "tier")]));
  return {
    title: `Latency over ${field}`,
    says: `${sweeps.map((sweep) => sweep.name).join(", ")}: predicted latency for ${first.length} values of ${field}` +
      `${first.length > 0 ? `, from ${time(us(first[0]!.document, "p50_us"))} to ${time(us(first[first.length - 1]!.document, "p50_us"))}` : ""}.`,
    height: 320,
    sheet: sheet([["GPU"], [field, "count"], ["p10", "us"], ["p50", "us"], ["p90", "us"], ["physical bound", "us"], ["waves", "plain"],
      ["bound"], ["tier"]], rows),
    legend: (colors) => [
      ...sweeps.map((sweep, index) => ({ name: sweep.name, color: seriesColor(colors, index), mark: "line" as const })),
      { name: "p10 … p90", color: seriesColor(colors, 0), mark: "band" },
      { name: `physical bound, ${sweeps[0]?.name ?? ""}`, color: colors.quiet, mark: "dash" },
      ...(hasWaves ? [{ name: `waves, ${sweeps[0]?.name ?? ""} (right)`, color: faded(colors.ink, 0.45), mark: "line" as const }] : []),
    ],
    option: (colors) => staircaseOption(colors, sweeps, hasWaves ? waves : [], field, at, log),
  };
}

function staircaseOption(colors: Palette, sweeps: Sweep[], waves: (number | null)[][], field: string, at: number, log: boolean) {
  const first = finite(sweeps[0]?.points ?? []);
  const pick = (points: Sweep["points"], key: string) => finite(points).map(({ x, document }) => [x, us(document, key)]);
  return {
    animation: false,
    grid: grid({ right: waves.length > 0 ? 12 : 18 }),
    xAxis: { ...valueAxis(colors, { name: field, unit: "count", log, least: first[0]?.x, most: first[first.length - 1]?.x }, false),
      splitLine: { show: false } },
    yAxis: [valueAxis(colors, { name: "latency", unit: "us", log }, true),
      { ...valueAxis(colors, { name: "waves", unit: "count", right: true, log }, true), show: waves.length > 0 }],
    tooltip: tooltip(colors, (hits) => {
      const index = (hits as Hit[])[0]?.dataIndex ?? 0;
      const lines = sweeps.flatMap(({ name, points }): [string, string][] => {
        const document = finite(points)[index]?.document;
        return document === undefined ? [] : [[name, time(us(document, "p50_us"))],
          ["", `${interval(us(document, "p10_us"), us(document, "p90_us"), "us")}, ${textAt(document, "bound")}, ${textAt(document, "tier")}`]];
      });
      const count = waves[index]?.[1];
      return tooltipText(`${field} ${quantity(first[index]?.x ?? null, "count")}`,
        count === null || count === undefined ? lines : [...lines, ["waves", quantity(count, "plain")]]);
    }, "axis"),
    series: [
      ...sweeps.map(({ name, points }, index) => line(name, pick(points, "p50_us"), seriesColor(colors, index),
        index > 0 ? {} : { markLine: here(colors, at, field) })),
      ...sweeps.map(({ name, points }, index) => band(`${name} interval`, finite(points).map(({ x, document }) =>
        [x, us(document, "p10_us"), us(document, "p90_us")]), seriesColor(colors, index))),
      line("physical bound", pick(first, "physical_bound_us"), colors.quiet, { lineStyle: { color: colors.quiet, width: 1, type: [5, 4] } }),
      ...(waves.length > 0 ? [line("waves", waves, colors.ink, { yAxisIndex: 1, z: 2, step: "middle",
        lineStyle: { color: faded(colors.ink, 0.35), width: 1 } })] : []),
    ],
  };
}

export function here(colors: Palette, at: number, field: string): object {
  return { silent: true, symbol: "none", animation: false, lineStyle: { color: colors.ink, type: "solid", width: 1, opacity: 0.5 },
    label: { ...TEXT, color: colors.ink, formatter: `${field} ${quantity(at, "count")}`, position: "end", distance: 2 }, data: [{ xAxis: at }] };
}

export function gpusPlot(all: Named[]): Plot {
  return {
    title: "GPUs side by side",
    says: all.map(({ name, document }) => `${name}: ${time(us(document, "p50_us"))}`).join(", "),
    height: 56 + 34 * Math.max(2, all.length),
    sheet: gpusSheet(all),
    legend: (colors) => [{ name: "predicted p50", color: colors.accent, mark: "tile" }, { name: "p10 … p90", color: colors.ink, mark: "line" },
      { name: "physical bound", color: colors.quiet, mark: "line" }],
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 8, right: 70 }),
      xAxis: valueAxis(colors, { name: "latency", unit: "us" }, false),
      yAxis: categoryAxis(colors, all.map((one) => one.name), true),
      tooltip: tooltip(colors, (hit) => {
        const one = all[(hit as Hit).dataIndex];
        return one === undefined ? "" : tooltipText(one.name, [["p50", time(us(one.document, "p50_us"))],
          ["p10 … p90", interval(us(one.document, "p10_us"), us(one.document, "p90_us"), "us")],
          ["bound", textAt(one.document, "bound")], ["tier", textAt(one.document, "tier")]]);
      }),
      series: [
        { type: "bar", barMaxWidth: 16, data: all.map(({ document }, index) => ({ value: us(document, "p50_us"),
          itemStyle: { color: faded(seriesColor(colors, index), 0.75) } })),
        },
        { type: "scatter", symbolSize: 1, silent: true, itemStyle: { color: "transparent" }, data: all.map(({ document }, index) => [us(document, "p90_us"), index]),
          label: { show: true, position: "right", distance: 8, ...TEXT, color: colors.ink, formatter: (hit: Hit) => time(us(all[hit.dataIndex]!.document, "p50_us")) } },
        whiskers("interval", all.map(({ document }, index) => [index, us(document, "p10_us"), us(document, "p90_us")]), colors.ink, true),
        { type: "scatter", symbol: "rect", symbolSize: [2, 22], silent: true, z: 5, itemStyle: { color: colors.quiet },
          data: all.map(({ document }, index) => [us(document, "physical_bound_us"), index]) },
      ],
    }),
  };
}

export function gpusSheet(all: Named[]) {
  const base = all[0] === undefined ? 0 : us(all[0].document, "p50_us");
  return sheet([["GPU"], ["p50", "us"], ["p10", "us"], ["p90", "us"], ["bound"], ["tier"], ["physical bound", "us"],
    { name: "efficiency", unit: "share", hint: "physical bound / time" }, ["roofline", "us"],
    { name: "faster", unit: "factor", hint: "than the first GPU" }, ["kernel"]],
  all.map(({ name, document }) => [name, us(document, "p50_us"), us(document, "p10_us"), us(document, "p90_us"),
    textAt(document, "bound"), tierWords(document), us(document, "physical_bound_us"),
    us(document, "physical_bound_us") / us(document, "p50_us"), numberAt(document, "roofline_us"),
    base / us(document, "p50_us"), kernelWords(document)]));
}

export function tierWords(document: JsonObject): string {
  const marks = [document["extrapolated"] === true ? "outside" : "", document["stands_in"] === true ? "stands in" : ""];
  return [textAt(document, "tier"), ...marks.filter((mark) => mark !== "")].join(", ");
}

export function kernelWords(document: JsonObject): string {
  const version = textAt(document, "framework_version") || textAt(document, "version");
  return [textAt(document, "framework"), version, textAt(document, "kernel")].filter((part) => part !== "").join(" ");
}
