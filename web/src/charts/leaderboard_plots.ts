// The leaderboard: what each method errs by on the same rows.
import { listAt, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity } from "../core/quantity";
import { sheet, unitOf, type Cell, type Sheet } from "../core/sheet";
import { categoryAxis, grid, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { faded, seriesColor, type Palette } from "./palette";
import type { Plot } from "./plot";

export const OURS = "ours"; // as the document names the program's own method

interface Entry {
  family: string;
  method: string;
  rows: number | null;
  mean: number;
  median: number | null;
  covered: number | null; // of the rows, where the method has no model for the others
}

function entries(split: JsonObject): Entry[] {
  return objectsAt(split, "cells").flatMap((one) => {
    const mean = numberAt(one, "mean_error");
    return mean === null
      ? []
      : [
          {
            family: textAt(one, "family"),
            method: textAt(one, "method"),
            rows: numberAt(one, "rows"),
            mean,
            median: numberAt(one, "median_error"),
            covered: numberAt(one, "covered"),
          },
        ];
  });
}

export function splitSheet(split: JsonObject): Sheet {
  return sheet(
    [
      ["family"],
      ["method"],
      ["mean error", "share"],
      ["median error", "share"],
      { name: "has a model for", unit: "share", hint: "of the rows; its errors are of these alone" },
      ["rows", "count"],
    ],
    entries(split).map((one) => [one.family, one.method, one.mean, one.median, one.covered, one.rows]),
  );
}

const LANE = 34; // px of a family
const SPREAD = 0.7; // of a lane that the methods' marks take

// A lane for each family, a mark for each method: errors of methods are apart by powers of ten.
export function splitPlot(split: JsonObject): Plot | null {
  const all = entries(split).filter((one) => one.mean > 0);
  if (all.length === 0) return null;
  const families = [...new Set(all.map((one) => one.family))];
  const methods = listAt(split, "methods").map(String);
  const color = (colors: Palette, method: string) =>
    method === OURS
      ? colors.accent
      : method === "roofline"
        ? colors.quiet
        : seriesColor(colors, methods.indexOf(method));
  const lane = (one: Entry) => {
    const place = methods.length < 2 ? 0 : methods.indexOf(one.method) / (methods.length - 1) - 0.5;
    return families.indexOf(one.family) + place * SPREAD;
  };
  return {
    title: textAt(split, "title"),
    says: families
      .map((family) => {
        const best = all.filter((one) => one.family === family).sort((a, b) => a.mean - b.mean);
        const ours = best.find((one) => one.method === OURS);
        const behind = ours === undefined || ours === best[0] ? "" : `, ours ${quantity(ours.mean, "share")}`;
        return `${family}: ${best[0]!.method} errs least, ${quantity(best[0]!.mean, "share")}${behind}`;
      })
      .join("; "),
    height: 70 + LANE * Math.max(2, families.length),
    note: "Mean error of each method; an empty mark has a model for a part of the rows alone.",
    sheet: splitSheet(split),
    legend: (colors) => methods.map((name) => ({ name, color: color(colors, name), mark: "dot" })),
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 6 }),
      xAxis: valueAxis(colors, { name: "mean error", unit: "share", log: true }, false),
      yAxis: [
        categoryAxis(colors, families, true),
        { type: "value", show: false, min: -0.5, max: families.length - 0.5, inverse: true },
      ],
      tooltip: tooltip(colors, (hit) => {
        const one = all[((hit as Hit).value as number[])[2] ?? -1];
        return one === undefined
          ? ""
          : tooltipText(`${one.method}, ${one.family}`, [
              ["mean error", quantity(one.mean, "share")],
              ["median error", quantity(one.median, "share")],
              ["has a model for", quantity(one.covered, "share")],
              ["rows", quantity(one.rows, "count")],
            ]);
      }),
      series: methods.map((method) => ({
        type: "scatter",
        name: method,
        yAxisIndex: 1,
        symbolSize: method === OURS ? 12 : 8,
        z: method === OURS ? 4 : 3,
        data: all.flatMap((one, index) =>
          one.method === method
            ? [
                {
                  value: [one.mean, lane(one), index],
                  itemStyle: {
                    color: (one.covered ?? 1) < 1 ? colors.ground : faded(color(colors, method), 0.85),
                    borderColor: color(colors, method),
                    borderWidth: 1.5,
                  },
                },
              ]
            : [],
        ),
      })),
    }),
  };
}

export function noModelSheet(split: JsonObject): Sheet {
  return sheet(
    [["method"], ["rows", "count"], ["why it has no model"]],
    objectsAt(split, "no_model").map((one) => [
      textAt(one, "method"),
      numberAt(one, "rows"),
      textAt(one, "reason"),
    ]),
  );
}

// A table of the document as it stands there: names of columns, rows of cells.
export function plainSheet(table: JsonObject): Sheet {
  const rows = listAt(table, "rows").map((row): Cell[] =>
    (Array.isArray(row) ? row : []).map((cell) => (typeof cell === "object" ? null : cell)),
  );
  return sheet(
    listAt(table, "columns").map((name, index) => [
      String(name),
      rows.some((row) => typeof row[index] === "number") ? unitOf(String(name)) : undefined,
    ]),
    rows,
  );
}
