// Charts of reports: kernels against their ceilings, serving runs and batches against measurements.
import { isObject, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, signedPercent, time } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { categoryAxis, grid, line, TEXT, tooltip, tooltipText, valueAxis, whiskers, type Hit } from "./axes";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

export function diagnoseSheet(document: JsonObject): Sheet {
  return sheet(
    [
      ["kernel"],
      ["family"],
      ["main cause"],
      { name: "costs", unit: "share", hint: "of the kernel's time" },
      ["kernels", "count"],
      ["calls", "count"],
      ["time", "us"],
      { name: "would save", unit: "us", hint: "at its ceiling" },
      { name: "efficiency", unit: "share", hint: "physical bound / time" },
      ["ceiling", "share"],
    ],
    objectsAt(document, "groups").map((one) => [
      textAt(one, "label"),
      textAt(one, "family"),
      textAt(one, "cause") || null,
      numberAt(one, "cause_share"),
      numberAt(one, "kernels"),
      numberAt(one, "calls"),
      numberAt(one, "time_us"),
      numberAt(one, "saved_us"),
      numberAt(one, "efficiency"),
      numberAt(one, "ceiling_efficiency"),
    ]),
  );
}

export function savingsPlot(document: JsonObject): Plot {
  const all = objectsAt(document, "groups")
    .map((one) => ({
      name: textAt(one, "label"),
      us: numberAt(one, "time_us") ?? 0,
      saved: numberAt(one, "saved_us") ?? 0,
      cause: textAt(one, "cause"),
      efficiency: numberAt(one, "efficiency"),
      ceiling: numberAt(one, "ceiling_efficiency"),
    }))
    .sort((a, b) => b.saved - a.saved)
    .slice(0, 20);
  return {
    title: "What tuning would save",
    says: all
      .slice(0, 3)
      .map((one) => `${one.name} ${time(one.saved)}`)
      .join(", "),
    height: 60 + 24 * Math.max(2, all.length),
    sheet: diagnoseSheet(document),
    legend: (colors) => [{ name: "would save at its ceiling", color: colors.accent, mark: "tile" }],
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 6, right: 70 }),
      xAxis: valueAxis(colors, { name: "would save", unit: "us" }, false),
      yAxis: categoryAxis(
        colors,
        all.map((one) => one.name),
        true,
      ),
      tooltip: tooltip(colors, (hit) => {
        const one = all[(hit as Hit).dataIndex];
        return one === undefined
          ? ""
          : tooltipText(one.name, [
              ["time", time(one.us)],
              ["would save", time(one.saved)],
              ["main cause", one.cause || "–"],
              ["efficiency", quantity(one.efficiency, "share")],
              ["ceiling", quantity(one.ceiling, "share")],
            ]);
      }),
      series: [
        {
          type: "bar",
          barMaxWidth: 14,
          itemStyle: { color: faded(colors.accent, 0.8) },
          data: all.map((one) => one.saved),
          label: {
            show: true,
            position: "right",
            ...TEXT,
            color: colors.ink,
            formatter: (hit: Hit) => time(hit.value as number),
          },
        },
      ],
    }),
  };
}

export function changesSheet(document: JsonObject): Sheet {
  return sheet(
    [["figure"], ["now", "ms"], ["would save", "ms"], ["at least", "ms"], ["at most", "ms"]],
    objectsAt(document, "changes").map((one) => [
      textAt(one, "figure"),
      numberAt(one, "now_ms"),
      numberAt(one, "saved_ms"),
      numberAt(one, "least_saved_ms"),
      numberAt(one, "most_saved_ms"),
    ]),
  );
}

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

// `validate kernels`: errors by family, against the plain roofline.
export function errorsPlot(document: JsonObject): Plot | null {
  const families = isObject(document["families"])
    ? Object.entries(document["families"]).filter((one): one is [string, JsonObject] => isObject(one[1]))
    : [];
  if (families.length === 0) return null;
  const columns: [string, string][] = [
    ["mean_error", "mean error"],
    ["median_error", "median error"],
    ["roofline_mean_error", "roofline, mean error"],
  ];
  return {
    title: "Error by family",
    says: families
      .map(([name, one]) => `${name} ${quantity(numberAt(one, "mean_error"), "share")}`)
      .join(", "),
    height: 60 + 46 * families.length,
    sheet: errorsSheet(document, "families"),
    legend: (colors) =>
      columns.map(([, name], index) => ({
        name,
        color: index === 2 ? colors.quiet : seriesColor(colors, index),
        mark: "tile" as const,
      })),
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 6 }),
      xAxis: valueAxis(colors, { name: "error", unit: "share" }, false),
      yAxis: categoryAxis(
        colors,
        families.map(([name]) => name),
        true,
      ),
      tooltip: tooltip(colors, (hit) => {
        const [name, one] = families[(hit as Hit).dataIndex] ?? ["", {}];
        return tooltipText(name, [
          ["rows", quantity(numberAt(one, "rows"), "count")],
          ...columns.map(([key, what]): [string, string] => [what, quantity(numberAt(one, key), "share")]),
          ["coverage", quantity(numberAt(one, "coverage"), "share")],
        ]);
      }),
      series: columns.map(([key, name], index) => ({
        type: "bar",
        name,
        barMaxWidth: 10,
        barGap: "10%",
        data: families.map(([, one]) => numberAt(one, key) ?? 0),
        itemStyle: { color: index === 2 ? faded(colors.quiet, 0.6) : seriesColor(colors, index) },
      })),
    }),
  };
}

export function errorsSheet(document: JsonObject, by: string): Sheet {
  const groups = isObject(document[by]) ? Object.entries(document[by]) : [];
  return sheet(
    [
      [by === "gpus" ? "GPU" : by.replace(/ies$/, "y").replace(/s$/, "")],
      ["rows", "count"],
      ["mean error", "share"],
      ["median error", "share"],
      ["p90 error", "share"],
      ["bias", "share"],
      ["coverage", "share"],
      ["roofline, mean error", "share"],
    ],
    groups.map(([name, one]) => [
      name,
      numberAt(one, "rows"),
      ...["mean_error", "median_error", "p90_error", "bias", "coverage", "roofline_mean_error"].map((key) =>
        numberAt(one, key),
      ),
    ]),
  );
}
