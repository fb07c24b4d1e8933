// How far predictions are from measurements: a mark for each cell (family, GPU, type, framework).
import { isObject, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { categoryAxis, grid, lineAt, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

export interface Judged {
  family: string;
  gpu: string;
  dtype: string;
  framework: string;
  rows: number;
  mean: number;
  median: number;
  p90: number;
  bias: number; // below zero is too fast
  coverage: number;
  roofline: number; // mean error of the plain roofline
}

function judged(one: JsonObject, names: Partial<Judged> = {}): Judged {
  const value = (key: string) => numberAt(one, key) ?? NaN;
  return {
    family: textAt(one, "family"),
    gpu: textAt(one, "gpu"),
    dtype: textAt(one, "dtype"),
    framework: textAt(one, "framework"),
    rows: value("rows"),
    mean: value("mean_error"),
    median: value("median_error"),
    p90: value("p90_error"),
    bias: value("bias"),
    coverage: value("coverage"),
    roofline: value("roofline_mean_error"),
    ...names,
  };
}

export function cellsOf(document: JsonObject): Judged[] {
  return objectsAt(document, "cells").map((one) => judged(one));
}

export function groupOf(document: JsonObject, by: "families" | "gpus", name: string): Judged | null {
  const groups = document[by];
  const one = isObject(groups) ? groups[name] : undefined;
  return isObject(one) ? judged(one, by === "families" ? { family: name } : { gpu: name }) : null;
}

export function overallOf(document: JsonObject): Judged | null {
  return isObject(document["overall"]) ? judged(document["overall"]) : null;
}

export const MARKS = {
  median: { name: "median error", right: null },
  mean: { name: "mean error", right: null },
  p90: { name: "p90 of the error", right: null },
  bias: { name: "bias, below zero is too fast", right: 0 },
  coverage: { name: "coverage of p10 … p90", right: 0.8 },
} as const;
export type Mark = keyof typeof MARKS;

export function cellsSheet(cells: Judged[]): Sheet {
  return sheet(
    [
      ["family"],
      ["GPU"],
      ["type"],
      ["framework"],
      ["rows", "count"],
      ["mean error", "share"],
      ["median error", "share"],
      ["p90 error", "share"],
      { name: "bias", unit: "share", hint: "below zero is too fast" },
      { name: "coverage", unit: "share", hint: "measured inside p10 … p90; 80 % is right" },
      ["roofline, mean error", "share"],
    ],
    cells.map((one) => [
      one.family,
      one.gpu,
      one.dtype,
      one.framework,
      one.rows,
      one.mean,
      one.median,
      one.p90,
      one.bias,
      one.coverage,
      one.roofline,
    ]),
  );
}

const LANE = 26; // px of a family
const SPREAD = 0.62; // of a lane that the GPUs' marks take

// A lane for each family; inside it a place for each GPU, so that marks do not hide each other.
export function cellsPlot(cells: Judged[], mark: Mark): Plot {
  const families = [...new Set(cells.map((one) => one.family))].sort();
  const gpus = [...new Set(cells.map((one) => one.gpu))].sort();
  const { name, right } = MARKS[mark];
  const most = Math.max(...cells.map((one) => one.rows), 1);
  const size = (one: Judged) => 5 + 9 * Math.sqrt(one.rows / most);
  const shift = (gpu: string) =>
    gpus.length < 2 ? 0 : (gpus.indexOf(gpu) / (gpus.length - 1) - 0.5) * SPREAD;
  return {
    title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    says: families
      .map((family) => {
        const values = cells.filter((one) => one.family === family).map((one) => one[mark]);
        const ends = [Math.min(...values), Math.max(...values)].map((end) => quantity(end, "share"));
        return `${family}: ${ends.join(" to ")}`;
      })
      .join("; "),
    height: 70 + LANE * Math.max(3, families.length),
    note: "A mark is a cell: one family, GPU, type and framework; its area follows its rows.",
    sheet: cellsSheet(cells),
    legend: (colors) =>
      gpus.map((gpu, index) => ({ name: gpu, color: seriesColor(colors, index), mark: "dot" })),
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 6 }),
      xAxis: { ...valueAxis(colors, { name, unit: "share" }, false), scale: mark === "coverage" },
      yAxis: [
        categoryAxis(colors, families, true),
        { type: "value", show: false, min: -0.5, max: families.length - 0.5, inverse: true },
      ],
      tooltip: tooltip(colors, (hit) => {
        const one = cells[((hit as Hit).value as number[])[2] ?? -1];
        return one === undefined ? "" : cellTip(one);
      }),
      series: gpus.map((gpu, index) => ({
        type: "scatter",
        name: gpu,
        yAxisIndex: 1,
        symbolSize: (value: number[]) => size(cells[value[2] as number] as Judged),
        itemStyle: { color: faded(seriesColor(colors, index), 0.75) },
        data: cells.flatMap((one, place) =>
          one.gpu === gpu && Number.isFinite(one[mark])
            ? [[one[mark], families.indexOf(one.family) + shift(gpu), place]]
            : [],
        ),
        markLine: right === null || index > 0 ? undefined : lineAt(colors, right),
      })),
    }),
  };
}

function cellTip(one: Judged): string {
  return tooltipText(`${one.family} on ${one.gpu}, ${one.dtype}, ${one.framework}`, [
    ["rows", quantity(one.rows, "count")],
    ["mean error", quantity(one.mean, "share")],
    ["median error", quantity(one.median, "share")],
    ["p90 error", quantity(one.p90, "share")],
    ["bias", quantity(one.bias, "share")],
    ["coverage", quantity(one.coverage, "share")],
    ["roofline, mean error", quantity(one.roofline, "share")],
  ]);
}
