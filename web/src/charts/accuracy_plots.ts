// Predicted against measured.
import { numberAt, textAt, type JsonObject } from "../core/json";
import { percentile, sorted } from "../core/distribution";
import { quantity, time } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { grid, line, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

export interface JudgedRow {
  family: string;
  gpu: string;
  split: string;
  measured: number; // all times in us
  p10: number;
  p50: number;
  p90: number;
}

export function judgedRows(document: JsonObject): JudgedRow[] {
  const rows = Array.isArray(document["rows"]) ? document["rows"] : [];
  return rows
    .map((row) => ({
      family: textAt(row, "family"),
      gpu: textAt(row, "gpu"),
      split: textAt(row, "split"),
      measured: numberAt(row, "measured_us") ?? 0,
      p10: numberAt(row, "p10_us") ?? 0,
      p50: numberAt(row, "p50_us") ?? 0,
      p90: numberAt(row, "p90_us") ?? 0,
    }))
    .filter((row) => row.measured > 0 && row.p50 > 0);
}

export interface Judgement {
  rows: number;
  mean: number;
  median: number;
  bias: number; // mean of signed errors, below zero is too fast
  coverage: number | null; // null: no row has an interval
}

export function judge(rows: JudgedRow[]): Judgement {
  const signed = rows.map((row) => row.p50 / row.measured - 1);
  const errors = sorted(signed.map(Math.abs));
  const mean = (values: number[]) => values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
  const bounded = rows.filter((row) => row.p10 > 0 && row.p90 > 0);
  return {
    rows: rows.length,
    mean: mean(errors),
    median: percentile(errors, 0.5) ?? 0,
    bias: mean(signed),
    coverage:
      bounded.length === 0
        ? null
        : bounded.filter((row) => row.measured >= row.p10 && row.measured <= row.p90).length / bounded.length,
  };
}

export function judgementSheet(rows: JudgedRow[]): Sheet {
  const keys = [...new Set(rows.map((row) => `${row.family}\t${row.gpu}`))].sort();
  const of = (family: string, gpu: string, part: JudgedRow[]) => {
    const { rows: count, mean, median, bias, coverage } = judge(part);
    return [family, gpu, count, mean, median, bias, coverage];
  };
  return sheet(
    [
      ["family"],
      ["GPU"],
      ["rows", "count"],
      { name: "mean error", unit: "share" },
      { name: "median error", unit: "share" },
      { name: "bias", unit: "share", hint: "below zero is too fast" },
      { name: "coverage", unit: "share", hint: "inside p10 … p90; 80 % is right" },
    ],
    [
      ...keys.map((key) => {
        const [family = "", gpu = ""] = key.split("\t");
        return of(
          family,
          gpu,
          rows.filter((row) => row.family === family && row.gpu === gpu),
        );
      }),
      of("all", "all", rows),
    ],
  );
}

const LIMIT = 1.25; // the dashed lines: 25 % off

export function scatterPlot(rows: JudgedRow[], by: "family" | "gpu"): Plot {
  const groups = [...new Set(rows.map((row) => row[by]))].sort();
  const ends = rows.flatMap((row) => [row.measured, row.p50]);
  const [least, most] = [Math.min(...ends) * 0.8, Math.max(...ends) * 1.25];
  const { mean, coverage } = judge(rows);
  return {
    title: "Predicted against measured",
    says:
      `${rows.length} measured kernels: mean error ${quantity(mean, "share")}, ` +
      `${quantity(coverage, "share")} inside p10 to p90.`,
    height: 420,
    sheet: sheet(
      [
        ["family"],
        ["GPU"],
        ["split"],
        ["measured", "us"],
        ["p10", "us"],
        ["p50", "us"],
        ["p90", "us"],
        ["error", "share"],
      ],
      rows.map((row) => [
        row.family,
        row.gpu,
        row.split,
        row.measured,
        row.p10,
        row.p50,
        row.p90,
        row.p50 / row.measured - 1,
      ]),
    ),
    legend: (colors) => [
      ...groups.map((group, index) => ({
        name: group,
        color: seriesColor(colors, index),
        mark: "dot" as const,
      })),
      { name: "equal", color: colors.ink, mark: "line" },
      { name: "25 % off", color: colors.quiet, mark: "dash" },
    ],
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: valueAxis(colors, { name: "measured", unit: "us", log: true, least, most }, false),
      yAxis: valueAxis(colors, { name: "predicted p50", unit: "us", log: true, least, most }, true),
      tooltip: tooltip(colors, (hit) => {
        const row = rows[((hit as Hit).value as number[])[2] ?? -1];
        return row === undefined
          ? ""
          : tooltipText(`${row.family} on ${row.gpu}`, [
              ["measured", time(row.measured)],
              ["predicted", time(row.p50)],
              ["error", quantity(row.p50 / row.measured - 1, "share")],
              ["split", row.split],
            ]);
      }),
      series: [
        line(
          "equal",
          [
            [least, least],
            [most, most],
          ],
          colors.ink,
          { silent: true, showSymbol: false, lineStyle: { color: faded(colors.ink, 0.6), width: 1 } },
        ),
        ...[LIMIT, 1 / LIMIT].map((factor) =>
          line(
            "off",
            [
              [least, least * factor],
              [most, most * factor],
            ],
            colors.quiet,
            {
              silent: true,
              showSymbol: false,
              lineStyle: { color: faded(colors.quiet, 0.6), width: 1, type: [5, 4] },
            },
          ),
        ),
        ...groups.map((group, index) => ({
          type: "scatter",
          name: group,
          symbolSize: 5,
          data: rows.flatMap((row, place) => (row[by] === group ? [[row.measured, row.p50, place]] : [])),
          itemStyle: { color: faded(seriesColor(colors, index), 0.6) },
        })),
      ],
    }),
  };
}
