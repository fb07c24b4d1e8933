// Charts of one prediction: its pipelines, and the roofline of each.
import type { JsonObject } from "../core/json";
import { interval, quantity, time } from "../core/quantity";
import { sheet } from "../core/sheet";
import { grid, line, TEXT, tooltip, tooltipText, valueAxis, whiskers, type Hit } from "./axes";
import { barsOption } from "./bars";
import { boundColor, faded, type Palette } from "./palette";
import type { Plot } from "./plot";
import { pipelineRows, us, type Named } from "./prediction_parts";

// What each pipeline alone would take, against the prediction and its interval.
export function pipelinesPlot({ name, document }: Named): Plot {
  const rows = pipelineRows(document);
  const [low, mid, high] = ["p10_us", "p50_us", "p90_us"].map((key) => us(document, key)) as [
    number,
    number,
    number,
  ];
  return {
    title: "Time of each pipeline alone",
    says:
      `${rows.map((row) => `${row.name} ${time(row.time)}`).join(", ")}. ` +
      `Predicted ${time(mid)} on ${name}.`,
    height: 60 + 30 * Math.max(2, rows.length),
    sheet: sheet(
      [["pipeline"], ["demand"], ["time alone", "us"], ["share of predicted", "share"]],
      rows.map((row) => [row.name, quantity(row.demand, row.unit), row.time, row.share]),
    ),
    legend: (colors) => [{ name: "predicted p50, p10 … p90", color: colors.ink, mark: "band" }],
    option: (colors) =>
      barsOption(colors, {
        names: rows.map((row) => row.name),
        axis: { name: "time", unit: "us", most: Math.max(high, ...rows.map((row) => row.time)) * 1.08 },
        groups: [
          {
            values: rows.map((row) => row.time),
            color: rows.map((row) => boundColor(colors, row.name)),
          },
        ],
        said: (index) => time(rows[index]?.time ?? 0),
        tip: (index) => {
          const row = rows[index]!;
          return [
            ["demand", quantity(row.demand, row.unit)],
            ["alone", time(row.time)],
            ["of predicted", quantity(row.share, "share")],
          ];
        },
        more: [predictedAcross(colors, rows.length, low, mid, high)],
      }),
  };
}

function predictedAcross(colors: Palette, count: number, low: number, mid: number, high: number): object {
  return {
    type: "custom",
    silent: true,
    z: 1,
    data: [[mid, 0]],
    tooltip: { show: false },
    renderItem: (_: unknown, api: { coord(value: number[]): number[] }) => {
      const [[left, y0], [right], [middle, y1]] = [
        api.coord([low, 0]),
        api.coord([high, 0]),
        api.coord([mid, count - 1]),
      ] as [[number, number], [number, number], [number, number]];
      const [top, bottom] = [Math.min(y0, y1) - 18, Math.max(y0, y1) + 18];
      return {
        type: "group",
        children: [
          {
            type: "rect",
            shape: { x: left, y: top, width: right - left, height: bottom - top },
            style: { fill: faded(colors.ink, 0.1) },
          },
          {
            type: "line",
            shape: { x1: middle, x2: middle, y1: top, y2: bottom },
            style: { stroke: colors.ink, lineWidth: 1.5 },
          },
        ],
      };
    },
  };
}

// Pipelines that move bytes, each with a slope of its own; the busiest that counts operations is the ceiling.
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
    roofs: rows
      .filter((row) => MOVERS.includes(row.name))
      .map((row) => ({
        pipeline: row.name,
        intensity: counter.demand / row.demand,
        bandwidth: row.demand / (row.time * 1e-6),
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
    says:
      `${name}: ${quantity(mid, "FLOP/s")} of ${quantity(peak, "FLOP/s")} of the ${counter} pipeline; ` +
      all.map((roof) => `${roof.pipeline}: ${quantity(roof.intensity, "FLOP/B")}`).join(", "),
    sheet: sheet(
      [
        ["pipeline"],
        ["intensity", "FLOP/B"],
        ["bandwidth", "B/s"],
        ["roof here", "FLOP/s"],
        ["predicted", "FLOP/s"],
      ],
      all.map((roof) => [
        roof.pipeline,
        roof.intensity,
        roof.bandwidth,
        Math.min(peak, roof.intensity * roof.bandwidth),
        mid,
      ]),
    ),
    legend: (colors) => [
      ...all.map((roof) => ({
        name: roof.pipeline,
        color: boundColor(colors, roof.pipeline),
        mark: "line" as const,
      })),
      { name: `${counter} peak`, color: boundColor(colors, counter), mark: "dash" },
    ],
    note:
      "Roofs are the rates that this prediction uses; a point is the predicted rate at the bytes " +
      "of its pipeline.",
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: valueAxis(
        colors,
        { name: "arithmetic intensity [FLOP/B]", unit: "plain", log: true, least, most },
        false,
      ),
      yAxis: valueAxis(
        colors,
        {
          name: "rate",
          unit: "FLOP/s",
          log: true,
          least: decade(Math.min(slow, peak / 100), Math.floor),
          most: decade(peak * 1.2, Math.ceil),
        },
        true,
      ),
      tooltip: tooltip(colors, (hit) => {
        const roof = all[(hit as Hit).seriesIndex - all.length - 1] ?? all[0];
        return roof === undefined
          ? ""
          : tooltipText(`${roof.pipeline} on ${name}`, [
              ["intensity", quantity(roof.intensity, "FLOP/B")],
              ["bandwidth", quantity(roof.bandwidth, "B/s")],
              ["roof here", quantity(Math.min(peak, roof.intensity * roof.bandwidth), "FLOP/s")],
              ["predicted", quantity(mid, "FLOP/s")],
              ["p90 … p10 time", interval(slow, fast, "FLOP/s")],
            ]);
      }),
      series: [
        ...all.map((roof) =>
          line(
            roof.pipeline,
            [
              [least, least * roof.bandwidth],
              [peak / roof.bandwidth, peak],
            ],
            boundColor(colors, roof.pipeline),
            { silent: true, showSymbol: false },
          ),
        ),
        line(
          "peak",
          [
            [Math.min(...ridges), peak],
            [most, peak],
          ],
          boundColor(colors, counter),
          {
            silent: true,
            showSymbol: false,
            lineStyle: { color: boundColor(colors, counter), width: 1.5, type: [5, 4] },
          },
        ),
        ...all.map((roof) => ({
          type: "scatter",
          name: `${roof.pipeline} point`,
          symbolSize: 11,
          z: 6,
          data: [[roof.intensity, mid]],
          itemStyle: {
            color: boundColor(colors, roof.pipeline),
            borderColor: colors.ground,
            borderWidth: 1.5,
          },
          label: { show: true, position: "top", formatter: roof.pipeline, ...TEXT, color: colors.ink },
        })),
        whiskers(
          "interval",
          all.map((roof) => [roof.intensity, slow, fast]),
          colors.quiet,
        ),
      ],
    }),
  };
}
