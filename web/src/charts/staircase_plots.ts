// Latency over one size of an operator, with its waves.
import { numberAt, textAt, type JsonObject } from "../core/json";
import { interval, quantity, time } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { band, grid, line, lineAt, sizeAxis, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { faded, seriesColor, type Palette } from "./palette";
import type { Plot } from "./plot";
import { us } from "./prediction_parts";

export interface Sweep {
  name: string; // GPU
  points: { x: number; document: JsonObject }[];
}

function median(point: Sweep["points"][number] | undefined): string {
  return point === undefined ? "–" : time(us(point.document, "p50_us"));
}

function finite(points: Sweep["points"]) {
  return points.filter((point) => numberAt(point.document, "p50_us") !== null);
}

// Latency over one size: interval, physical bound, and the waves of the tiles on a second axis.
export function staircasePlot(sweeps: Sweep[], field: string, at: number, log: boolean): Plot {
  const first = finite(sweeps[0]?.points ?? []);
  const waves = first.map(({ x, document }) => [x, numberAt(document, "structure", "waves") || null]);
  const hasWaves = waves.some(([, count]) => count !== null);
  return {
    title: `Latency over ${field}`,
    says:
      `${sweeps.map((sweep) => sweep.name).join(", ")}: latency for ${first.length} values of ${field}` +
      (first.length > 0 ? `, from ${median(first[0])} to ${median(first[first.length - 1])}.` : "."),
    height: 320,
    // made where it is looked at: while a slider moves, nobody does
    get sheet() {
      return sweepSheet(sweeps, field);
    },
    legend: (colors) => [
      ...sweeps.map((sweep, index) => ({
        name: sweep.name,
        color: seriesColor(colors, index),
        mark: "line" as const,
      })),
      { name: "p10 … p90", color: seriesColor(colors, 0), mark: "band" },
      { name: `physical bound, ${sweeps[0]?.name ?? ""}`, color: colors.quiet, mark: "dash" },
      ...(hasWaves
        ? [
            {
              name: `waves, ${sweeps[0]?.name ?? ""} (right)`,
              color: faded(colors.ink, 0.45),
              mark: "line" as const,
            },
          ]
        : []),
    ],
    option: (colors) => staircaseOption(colors, sweeps, hasWaves ? waves : [], field, at, log),
  };
}

export function sweepSheet(sweeps: Sweep[], field: string): Sheet {
  const rows = sweeps.flatMap(({ name, points }) =>
    finite(points).map(({ x, document }) => [
      name,
      x,
      us(document, "p10_us"),
      us(document, "p50_us"),
      us(document, "p90_us"),
      us(document, "physical_bound_us"),
      numberAt(document, "structure", "waves"),
      textAt(document, "bound"),
      textAt(document, "tier"),
    ]),
  );
  return sheet(
    [
      ["GPU"],
      [field, "count"],
      ["p10", "us"],
      ["p50", "us"],
      ["p90", "us"],
      ["physical bound", "us"],
      ["waves", "plain"],
      ["bound"],
      ["tier"],
    ],
    rows,
  );
}

function staircaseOption(
  colors: Palette,
  sweeps: Sweep[],
  waves: (number | null)[][],
  field: string,
  at: number,
  log: boolean,
) {
  const first = finite(sweeps[0]?.points ?? []);
  const pick = (points: Sweep["points"], key: string) =>
    finite(points).map(({ x, document }) => [x, us(document, key)]);
  return {
    animation: false,
    grid: grid({ right: waves.length > 0 ? 12 : 18 }),
    xAxis: sizeAxis(
      colors,
      field,
      first.map((point) => point.x),
      log,
    ),
    yAxis: [
      valueAxis(colors, { name: "latency", unit: "us", log }, true),
      {
        ...valueAxis(colors, { name: "waves", unit: "count", right: true, log }, true),
        show: waves.length > 0,
      },
    ],
    tooltip: tooltip(
      colors,
      (hits) => {
        const index = (hits as Hit[])[0]?.dataIndex ?? 0;
        const lines = sweeps.flatMap(({ name, points }): [string, string][] => {
          const document = finite(points)[index]?.document;
          return document === undefined
            ? []
            : [
                [name, time(us(document, "p50_us"))],
                [
                  "",
                  [
                    interval(us(document, "p10_us"), us(document, "p90_us"), "us"),
                    textAt(document, "bound"),
                    textAt(document, "tier"),
                  ].join(", "),
                ],
              ];
        });
        const count = waves[index]?.[1];
        return tooltipText(
          `${field} ${quantity(first[index]?.x ?? null, "count")}`,
          count === null || count === undefined ? lines : [...lines, ["waves", quantity(count, "plain")]],
        );
      },
      "axis",
    ),
    series: [
      ...sweeps.map(({ name, points }, index) =>
        line(
          name,
          pick(points, "p50_us"),
          seriesColor(colors, index),
          index > 0 ? {} : { markLine: lineAt(colors, at, `${field} ${quantity(at, "count")}`) },
        ),
      ),
      ...sweeps.map(({ name, points }, index) =>
        band(
          `${name} interval`,
          finite(points).map(({ x, document }) => [x, us(document, "p10_us"), us(document, "p90_us")]),
          seriesColor(colors, index),
        ),
      ),
      line("physical bound", pick(first, "physical_bound_us"), colors.quiet, {
        lineStyle: { color: colors.quiet, width: 1, type: [5, 4] },
      }),
      ...(waves.length > 0
        ? [
            line("waves", waves, colors.ink, {
              yAxisIndex: 1,
              z: 2,
              step: "middle",
              lineStyle: { color: faded(colors.ink, 0.35), width: 1 },
            }),
          ]
        : []),
    ],
  };
}
