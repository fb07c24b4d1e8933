// Charts of tile tables: times and choices as m grows, and regret.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, time } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { grid, line, sizeAxis, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { barsOption } from "./bars";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

export function choicesPlot(shown: JsonObject): Plot {
  const points = objectsAt(shown, "points").map((one) => ({
    m: numberAt(one, "m") ?? 0,
    chosen: numberAt(one, "chosen_us") ?? 0,
    standard: numberAt(one, "default_us") ?? 0,
    config: textAt(one, "config"),
  }));
  const measured = objectsAt(shown, "measured").map((one) => ({
    m: numberAt(one, "m") ?? 0,
    us: numberAt(one, "time_us") ?? 0,
    config: textAt(one, "config"),
  }));
  const where = `n ${quantity(numberAt(shown, "n"), "count")}, k ${quantity(numberAt(shown, "k"), "count")}`;
  const changes = points.filter((point, index) => index === 0 || point.config !== points[index - 1]?.config);
  return {
    title: "Chosen configuration as m grows",
    says:
      `${where}: ${new Set(points.map((point) => point.config)).size} configurations ` +
      `over ${points.length} values of m.`,
    height: 360,
    sheet: sheet(
      [["m", "count"], ["chosen", "us"], ["default", "us"], ["faster", "factor"], ["configuration"]],
      points.map((point) => [
        point.m,
        point.chosen,
        point.standard,
        point.standard / point.chosen,
        point.config,
      ]),
    ),
    legend: (colors) => [
      { name: "chosen", color: colors.accent },
      { name: `default ${textAt(shown, "default")}`, color: seriesColor(colors, 1), mark: "dash" },
      { name: "another configuration from here", color: colors.ink, mark: "dot" },
      ...(measured.length > 0
        ? [{ name: "measured, of the chosen", color: colors.quiet, mark: "dot" as const }]
        : []),
    ],
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: sizeAxis(
        colors,
        "m",
        points.map((point) => point.m),
        true,
      ),
      yAxis: valueAxis(colors, { name: "predicted time", unit: "us", log: true }, true),
      tooltip: tooltip(
        colors,
        (hits) => {
          const point = points[(hits as Hit[])[0]?.dataIndex ?? 0];
          return point === undefined
            ? ""
            : tooltipText(`m ${quantity(point.m, "count")}`, [
                ["configuration", point.config],
                ["chosen", time(point.chosen)],
                ["default", time(point.standard)],
                ["faster", quantity(point.standard / point.chosen, "factor")],
              ]);
        },
        "axis",
      ),
      series: [
        line(
          "chosen",
          points.map((point) => [point.m, point.chosen]),
          colors.accent,
        ),
        line(
          "default",
          points.map((point) => [point.m, point.standard]),
          seriesColor(colors, 1),
          { lineStyle: { color: seriesColor(colors, 1), width: 1.2, type: [5, 4] } },
        ),
        {
          type: "scatter",
          name: "changes",
          silent: true,
          symbolSize: 6,
          z: 5,
          data: changes.map((point) => [point.m, point.chosen]),
          itemStyle: { color: colors.ink },
          tooltip: { show: false },
        },
        {
          type: "scatter",
          name: "measured",
          symbolSize: 4,
          z: 4,
          data: measured.map((one) => [one.m, one.us]),
          itemStyle: { color: faded(colors.quiet, 0.7) },
          tooltip: { show: false },
        },
      ],
    }),
  };
}

export function chosenSheet(shown: JsonObject): Sheet {
  const runs: { config: string; from: number; to: number; gain: number[] }[] = [];
  for (const point of objectsAt(shown, "points")) {
    const [config, m] = [textAt(point, "config"), numberAt(point, "m") ?? 0];
    const gain = (numberAt(point, "default_us") ?? 0) / (numberAt(point, "chosen_us") ?? 1);
    const last = runs[runs.length - 1];
    if (last?.config === config) {
      last.to = m;
      last.gain.push(gain);
    } else runs.push({ config, from: m, to: m, gain: [gain] });
  }
  return sheet(
    [
      ["configuration"],
      ["from m", "count"],
      ["to m", "count"],
      ["least faster", "factor"],
      ["most faster", "factor"],
    ],
    runs.map((run) => [run.config, run.from, run.to, Math.min(...run.gain), Math.max(...run.gain)]),
  );
}

export function regretSheet(document: JsonObject): Sheet {
  const ways: [string, JsonObject][] = [
    ["the table", document],
    ...Object.entries((document["baselines"] ?? {}) as Record<string, JsonObject>),
  ];
  return sheet(
    [
      ["way to choose"],
      ["shapes", "count"],
      {
        name: "of the best",
        unit: "share",
        hint: "speed over that of the best configuration, geometric mean",
      },
      { name: "p10", unit: "share" },
      { name: "worst", unit: "share" },
      ["mean speed-up", "factor"],
      ["worst speed-up", "factor"],
      ["how"],
    ],
    ways.map(([name, one]) => [
      name,
      numberAt(one, "shapes"),
      numberAt(one, "geo_mean_share"),
      numberAt(one, "p10_share"),
      numberAt(one, "worst_share"),
      numberAt(one, "geo_mean_speedup"),
      numberAt(one, "worst_speedup"),
      textAt(one, "how") || null,
    ]),
  );
}

export function regretPlot(document: JsonObject): Plot {
  const all = regretSheet(document).rows;
  const rows = objectsAt(document, "rows");
  return {
    title: "How near the best configuration",
    says: all.map((row) => `${row[0]}: ${quantity(row[2] as number, "share")} of the best speed`).join("; "),
    height: 70 + 30 * all.length,
    sheet:
      rows.length === 0
        ? regretSheet(document)
        : sheet(
            [
              ["m", "count"],
              ["n", "count"],
              ["k", "count"],
              ["picked"],
              ["best"],
              ["of the best", "share"],
              ["picked", "us"],
              ["best", "us"],
              ["predicted", "us"],
              ["default", "us"],
            ],
            rows.map((row) => [
              numberAt(row, "m"),
              numberAt(row, "n"),
              numberAt(row, "k"),
              textAt(row, "picked"),
              textAt(row, "best"),
              numberAt(row, "share"),
              numberAt(row, "picked_us"),
              numberAt(row, "best_us"),
              numberAt(row, "predicted_us"),
              numberAt(row, "default_us"),
            ]),
          ),
    legend: (colors) => [
      { name: "geometric mean of speed over the best", color: colors.accent, mark: "tile" },
      { name: "p10", color: colors.ink, mark: "line" },
      { name: "worst shape", color: colors.quiet, mark: "line" },
    ],
    option: (colors) =>
      barsOption(colors, {
        names: all.map((row) => String(row[0])),
        axis: { name: "speed over that of the best configuration", unit: "share", least: 0, most: 1 },
        groups: [
          {
            values: all.map((row) => row[2] as number),
            color: all.map((_, index) => (index === 0 ? colors.accent : faded(colors.quiet, 0.6))),
          },
        ],
        said: (index) => quantity(all[index]?.[2] as number, "share"),
        tip: (index) =>
          (
            [
              ["mean", 2, "share"],
              ["p10", 3, "share"],
              ["worst", 4, "share"],
              ["speed-up", 5, "factor"],
            ] as const
          ).map(([what, column, unit]) => [what, quantity(all[index]?.[column] as number, unit)]),
        more: (
          [
            [3, colors.ink],
            [4, colors.quiet],
          ] as const
        ).map(([column, color]) => ({
          type: "scatter",
          symbol: "rect",
          symbolSize: [2, 20],
          silent: true,
          z: 5,
          itemStyle: { color },
          data: all.map((row, index) => [row[column] as number, index]),
        })),
      }),
  };
}

// Where the picks fall short, shape by shape: time of the pick over the best, sorted.
export function regretCurve(document: JsonObject): Plot | null {
  const shares = objectsAt(document, "rows")
    .map((row) => numberAt(row, "share"))
    .filter((one): one is number => one !== null)
    .sort((a, b) => a - b);
  if (shares.length === 0) return null;
  const points = shares.map((share, index) => [(index + 1) / shares.length, 1 / share - 1]);
  return {
    title: "Regret of the shapes",
    says: `Regret of ${shares.length} shapes; the worst ${quantity(1 / shares[0]! - 1, "share")}.`,
    height: 220,
    sheet: sheet(
      [
        ["share of shapes", "share"],
        ["regret", "share"],
      ],
      points,
    ),
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: valueAxis(
        colors,
        { name: "share of shapes, worst first", unit: "share", least: 0, most: 1 },
        false,
      ),
      yAxis: valueAxis(colors, { name: "regret", unit: "share", least: 0 }, true),
      tooltip: tooltip(
        colors,
        (hits) => {
          const point = points[(hits as Hit[])[0]?.dataIndex ?? 0];
          return tooltipText("regret", [
            ["at least", quantity(point?.[1] ?? null, "share")],
            ["of shapes", quantity(point?.[0] ?? null, "share")],
          ]);
        },
        "axis",
      ),
      series: [
        line("regret", points, colors.accent, {
          step: "end",
          areaStyle: { color: faded(colors.accent, 0.12) },
          showSymbol: false,
        }),
      ],
    }),
  };
}
