// An operator on several GPUs, side by side.
import { numberAt, textAt } from "../core/json";
import { interval, time } from "../core/quantity";
import { sheet } from "../core/sheet";
import { TEXT, whiskers, type Hit } from "./axes";
import { barsOption } from "./bars";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";
import { kernelWords, tierWords, us, type Named } from "./prediction_parts";

export function gpusPlot(all: Named[]): Plot {
  return {
    title: "GPUs side by side",
    says: all.map(({ name, document }) => `${name}: ${time(us(document, "p50_us"))}`).join(", "),
    height: 56 + 34 * Math.max(2, all.length),
    sheet: gpusSheet(all),
    legend: (colors) => [
      { name: "predicted p50", color: colors.accent, mark: "tile" },
      { name: "p10 … p90", color: colors.ink, mark: "line" },
      { name: "physical bound", color: colors.quiet, mark: "line" },
    ],
    option: (colors) =>
      barsOption(colors, {
        names: all.map((one) => one.name),
        axis: { name: "latency", unit: "us" },
        groups: [
          {
            values: all.map(({ document }) => us(document, "p50_us")),
            color: all.map((_, index) => faded(seriesColor(colors, index), 0.75)),
          },
        ],
        tip: (index) => {
          const document = all[index]!.document;
          return [
            ["p50", time(us(document, "p50_us"))],
            ["p10 … p90", interval(us(document, "p10_us"), us(document, "p90_us"), "us")],
            ["bound", textAt(document, "bound")],
            ["tier", textAt(document, "tier")],
          ];
        },
        more: [
          {
            // the figure stands behind the interval, not inside it
            type: "scatter",
            symbolSize: 1,
            silent: true,
            itemStyle: { color: "transparent" },
            data: all.map(({ document }, index) => [us(document, "p90_us"), index]),
            label: {
              show: true,
              position: "right",
              distance: 8,
              ...TEXT,
              color: colors.ink,
              formatter: (hit: Hit) => time(us(all[hit.dataIndex]!.document, "p50_us")),
            },
          },
          whiskers(
            "interval",
            all.map(({ document }, index) => [index, us(document, "p10_us"), us(document, "p90_us")]),
            colors.ink,
            true,
          ),
          {
            type: "scatter",
            symbol: "rect",
            symbolSize: [2, 22],
            silent: true,
            z: 5,
            itemStyle: { color: colors.quiet },
            data: all.map(({ document }, index) => [us(document, "physical_bound_us"), index]),
          },
        ],
      }),
  };
}

export function gpusSheet(all: Named[]) {
  const base = all[0] === undefined ? 0 : us(all[0].document, "p50_us");
  return sheet(
    [
      ["GPU"],
      ["p50", "us"],
      ["p10", "us"],
      ["p90", "us"],
      ["bound"],
      ["tier"],
      ["physical bound", "us"],
      { name: "efficiency", unit: "share", hint: "physical bound / time" },
      ["roofline", "us"],
      { name: "faster", unit: "factor", hint: "than the first GPU" },
      ["kernel"],
    ],
    all.map(({ name, document }) => [
      name,
      us(document, "p50_us"),
      us(document, "p10_us"),
      us(document, "p90_us"),
      textAt(document, "bound"),
      tierWords(document),
      us(document, "physical_bound_us"),
      us(document, "physical_bound_us") / us(document, "p50_us"),
      numberAt(document, "roofline_us"),
      base / us(document, "p50_us"),
      kernelWords(document),
    ]),
  );
}
