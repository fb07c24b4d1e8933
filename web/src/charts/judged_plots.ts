// Serving runs and batches against measurements.
import { isObject, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, signedPercent } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { grid, line, tooltip, tooltipText, valueAxis, whiskers, type Hit } from "./axes";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

interface Compared {
  name: string;
  measured: number;
  predicted: number;
  low: number | null;
  high: number | null;
  unit: "ms" | "s" | "tokens/s" | "requests/s";
}

// `validate serving`: a figure for each latency and percentile.
export function servingCompared(document: JsonObject): Compared[] {
  const metrics = isObject(document["metrics"]) ? document["metrics"] : {};
  const latencies = Object.entries(metrics).flatMap(([which, figures]) =>
    !isObject(figures)
      ? []
      : Object.entries(figures).map(([what, one]) => ({
          name: `${which.toUpperCase()} ${what}`,
          measured: numberAt(one, "measured_ms") ?? 0,
          predicted: numberAt(one, "predicted_ms") ?? 0,
          low: null,
          high: null,
          unit: "ms" as const,
        })),
  );
  const whole = [
    ["duration", "_s", "s"],
    ["output_throughput", "", "tokens/s"],
    ["request_throughput", "", "requests/s"],
  ] as const;
  return [
    ...latencies,
    ...whole.flatMap(([key, ending, unit]) =>
      isObject(document[key])
        ? [
            {
              name: key.replace(/_/g, " "),
              measured: numberAt(document, key, `measured${ending}`) ?? 0,
              predicted: numberAt(document, key, `predicted${ending}`) ?? 0,
              low: null,
              high: null,
              unit,
            },
          ]
        : [],
    ),
  ];
}

// `validate static` and `validate concurrency`: a row for each batch.
export function batchesCompared(document: JsonObject): Compared[] {
  return objectsAt(document, "rows")
    .filter((row) => numberAt(row, "measured_total_ms") !== null)
    .map((row) => ({
      name: ["hardware", "engine", "model", "workload"]
        .map((key) => textAt(row, key))
        .filter((part) => part !== "")
        .join(" "),
      measured: numberAt(row, "measured_total_ms") ?? 0,
      predicted: numberAt(row, "predicted_total_ms") ?? 0,
      low: numberAt(row, "predicted_total_p10_ms"),
      high: numberAt(row, "predicted_total_p90_ms"),
      unit: "ms" as const,
    }));
}

export function comparedSheet(rows: Compared[]): Sheet {
  return sheet(
    [["figure"], ["measured"], ["predicted"], ["p10"], ["p90"], ["bias", "share"]],
    rows.map((row) => [
      row.name,
      quantity(row.measured, row.unit),
      quantity(row.predicted, row.unit),
      row.low === null ? null : quantity(row.low, row.unit),
      row.high === null ? null : quantity(row.high, row.unit),
      row.predicted / row.measured - 1,
    ]),
  );
}

export function comparedPlot(all: Compared[], title: string): Plot | null {
  const rows = all.filter((row) => row.unit === "ms" && row.measured > 0 && row.predicted > 0);
  if (rows.length === 0) return null;
  const ends = rows.flatMap((row) => [row.measured, row.predicted]);
  const [least, most] = [Math.min(...ends) * 0.8, Math.max(...ends) * 1.25];
  return {
    title,
    says: rows.map((row) => `${row.name}: ${signedPercent(row.predicted / row.measured - 1)}`).join(", "),
    height: 380,
    sheet: comparedSheet(all),
    legend: (colors) => [
      { name: "equal", color: colors.ink, mark: "line" },
      { name: "a figure", color: colors.accent, mark: "dot" },
    ],
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: valueAxis(colors, { name: "measured", unit: "ms", log: true, least, most }, false),
      yAxis: valueAxis(colors, { name: "predicted", unit: "ms", log: true, least, most }, true),
      tooltip: tooltip(colors, (hit) => {
        const row = rows[(hit as Hit).dataIndex];
        return row === undefined
          ? ""
          : tooltipText(row.name, [
              ["measured", quantity(row.measured, row.unit)],
              ["predicted", quantity(row.predicted, row.unit)],
              ["bias", signedPercent(row.predicted / row.measured - 1)],
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
          { silent: true, showSymbol: false, lineStyle: { color: faded(colors.ink, 0.5), width: 1 } },
        ),
        {
          type: "scatter",
          symbolSize: 8,
          data: rows.map((row) => [row.measured, row.predicted]),
          itemStyle: { color: seriesColor(colors, 0) },
        },
        whiskers(
          "interval",
          rows
            .filter((row) => row.low !== null && row.high !== null)
            .map((row) => [row.measured, row.low!, row.high!]),
          colors.quiet,
        ),
      ],
    }),
  };
}
