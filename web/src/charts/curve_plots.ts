// Charts of a curve: throughput against what a user waits for, each deployment a line over its loads,
// measured runs beside them.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, type Unit } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { grid, line, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { seriesColor } from "./palette";
import type { Plot } from "./plot";

interface Measure {
  name: string;
  unit: Unit;
  key: string;
}

export const CURVE_MEASURES = {
  tpot: { name: "TPOT p50", unit: "ms", key: "p50_tpot_ms" },
  ttft: { name: "TTFT p50", unit: "ms", key: "p50_ttft_ms" },
  throughput: { name: "output tokens", unit: "tokens/s", key: "output_throughput" },
  gpu: { name: "per GPU", unit: "tokens/s", key: "tokens_per_s_per_gpu" },
  user: { name: "per user", unit: "tokens/s", key: "tokens_per_s_per_user" },
} satisfies Record<string, Measure>;

// What makes a deployment another one, and what a load; the words of a point beside its line.
const DEPLOYMENT = ["engine", "quantization", "tensor_parallel_size"];
const LOAD: [string, (value: number) => string][] = [
  ["max_concurrency", (value) => (value === 1 ? "1 user" : `${value} users`)],
  ["request_rate", (value) => `${value} requests/s`],
];

export function deploymentOf(point: JsonObject): string {
  return DEPLOYMENT.flatMap((key) => {
    const value = textAt(point, key) || numberAt(point, key);
    return value === null || value === ""
      ? []
      : [key === "tensor_parallel_size" ? `tp ${value}` : `${value}`];
  }).join(", ");
}

export function loadOf(point: JsonObject): string {
  return LOAD.flatMap(([key, said]) => {
    const value = numberAt(point, key);
    return value === null ? [] : [said(value)];
  }).join(", ");
}

// A line for each deployment, in the order of the loads that were asked.
export function linesOf(curve: JsonObject): Map<string, JsonObject[]> {
  const lines = new Map<string, JsonObject[]>();
  for (const point of objectsAt(curve, "points")) {
    const name = deploymentOf(point) || textAt(curve, "model");
    lines.set(name, [...(lines.get(name) ?? []), point]);
  }
  return lines;
}

const figureOf = (point: JsonObject, which: Measure) => numberAt(point, which.key);

export function curvePlot(curve: JsonObject, title: string, x: Measure, y: Measure): Plot {
  const lines = [...linesOf(curve)];
  const measured = objectsAt(curve, "measured");
  const pair = (point: JsonObject) => [figureOf(point, x), figureOf(point, y)];
  const tips = [...lines.map(([name, points]) => ({ name, points })), { name: "measured", points: measured }];
  return {
    title,
    says:
      `${objectsAt(curve, "points").length} simulated points of ${lines.length} deployments` +
      `${measured.length === 0 ? "" : ` and ${measured.length} measured ones`}: ${y.name} against ${x.name}.`,
    height: 320,
    sheet: curveSheet(curve),
    legend: (colors) => [
      ...lines.map(([name], index) => ({ name, color: seriesColor(colors, index) })),
      ...(measured.length === 0 ? [] : [{ name: "measured", color: colors.ink, mark: "dot" as const }]),
    ],
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: { ...valueAxis(colors, { name: `${x.name} [${x.unit}]`, unit: "plain" }, false), scale: true },
      yAxis: valueAxis(colors, { name: y.name, unit: y.unit, least: 0 }, true),
      tooltip: tooltip(colors, (hit) => {
        const { seriesIndex, dataIndex } = hit as Hit;
        const point = tips[seriesIndex]?.points[dataIndex];
        return point === undefined ? "" : pointTip(tips[seriesIndex]!.name, point);
      }),
      series: [
        ...lines.map(([name, points], index) =>
          line(name, points.map(pair), seriesColor(colors, index), { showSymbol: true, symbolSize: 7 }),
        ),
        {
          type: "scatter",
          name: "measured",
          z: 5,
          symbol: "diamond",
          symbolSize: 11,
          data: measured.map(pair),
          itemStyle: { color: colors.ink },
        },
      ],
    }),
  };
}

function pointTip(name: string, point: JsonObject): string {
  return tooltipText(
    [name, textAt(point, "file") || loadOf(point)].filter((words) => words !== "").join(", "),
    Object.values(CURVE_MEASURES).map((one) => [one.name, quantity(figureOf(point, one), one.unit)]),
  );
}

export function curveSheet(curve: JsonObject): Sheet {
  const row = (point: JsonObject, name: string, load: string) => [
    name,
    load,
    numberAt(point, "output_throughput"),
    numberAt(point, "tokens_per_s_per_gpu"),
    numberAt(point, "tokens_per_s_per_user"),
    numberAt(point, "p50_ttft_ms"),
    numberAt(point, "p95_ttft_ms"),
    numberAt(point, "p50_tpot_ms"),
    numberAt(point, "p95_tpot_ms"),
  ];
  return sheet(
    [
      ["deployment"],
      ["load"],
      ["output", "tokens/s"],
      ["per GPU", "tokens/s"],
      ["per user", "tokens/s"],
      ["TTFT p50", "ms"],
      ["TTFT p95", "ms"],
      ["TPOT p50", "ms"],
      ["TPOT p95", "ms"],
    ],
    [
      ...objectsAt(curve, "points").map((point) =>
        row(point, deploymentOf(point) || textAt(curve, "model"), loadOf(point)),
      ),
      ...objectsAt(curve, "measured").map((point) =>
        row(point, `measured: ${textAt(point, "file").split("/").pop() ?? ""}`, loadOf(point)),
      ),
    ],
  );
}
