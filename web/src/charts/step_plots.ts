// Charts of one forward pass: where the time goes by kernel and bound, host and gaps beside it.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { interval, quantity, time } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { band, grid, line, lineAt, sizeAxis, TEXT, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { kernelWords, tierWords } from "./prediction_parts";
import { boundColor, palette } from "./palette";
import type { Plot } from "./plot";

// Tiles carry white text, so they have the darker colours in both themes.
const TILES = palette("light");

interface Tile {
  name: string;
  us: number;
  bound: string;
  document: JsonObject | null; // null: the host
}

export function tiles(step: JsonObject): Tile[] {
  const kernels = objectsAt(step, "kernels").map(
    (kernel): Tile => ({
      name: textAt(kernel, "label"),
      us: numberAt(kernel, "time_us") ?? 0,
      bound: textAt(kernel, "bound") || "network",
      document: kernel,
    }),
  );
  const host = hostExposed(step) * 1e3;
  return host > 0
    ? [...kernels, { name: "host and gaps", us: host, bound: "host", document: null }]
    : kernels;
}

// What of the host's time is not hidden behind the GPU, and pauses: the step less its kernels [ms].
export function hostExposed(step: JsonObject): number {
  return Math.max(0, (numberAt(step, "step_ms") ?? 0) - (numberAt(step, "gpu_ms", "p50") ?? 0));
}

export function kernelSheet(step: JsonObject): Sheet {
  return sheet(
    [
      ["kernel"],
      ["family"],
      ["calls", "count"],
      ["time", "us"],
      ["p10", "us"],
      ["p90", "us"],
      { name: "share", unit: "share", hint: "of the step" },
      ["bound"],
      ["tier"],
      ["answered by"],
    ],
    objectsAt(step, "kernels").map((kernel) => [
      textAt(kernel, "label"),
      textAt(kernel, "family"),
      numberAt(kernel, "calls"),
      numberAt(kernel, "time_us"),
      numberAt(kernel, "p10_us"),
      numberAt(kernel, "p90_us"),
      numberAt(kernel, "share"),
      textAt(kernel, "bound") || null,
      tierWords(kernel),
      kernelWords(kernel),
    ]),
  );
}

export function treemapPlot(step: JsonObject): Plot {
  const all = tiles(step);
  const total = (numberAt(step, "step_ms") ?? 0) * 1e3;
  const bounds = [...new Set(all.map((tile) => tile.bound))];
  const said = (tile: Tile) => `${tile.name}\n${time(tile.us)}  ${quantity(tile.us / total, "share")}`;
  return {
    title: "Where the step's time goes",
    says:
      `Treemap of ${all.length} parts by the pipeline that bounds them; the largest: ` +
      [...all]
        .sort((a, b) => b.us - a.us)
        .slice(0, 3)
        .map((tile) => `${tile.name} ${time(tile.us)} (${tile.bound})`)
        .join(", "),
    height: 360,
    sheet: sheet(
      [["part"], ["bound"], ["time", "us"], ["share of the step", "share"]],
      all.map((tile) => [tile.name, tile.bound, tile.us, tile.us / total]),
    ),
    legend: (colors) =>
      bounds.map((bound) => ({ name: bound, color: boundColor(colors, bound), mark: "tile" })),
    option: (colors) => ({
      animation: false,
      tooltip: tooltip(colors, (hit) => {
        const tile = all[((hit as Hit).data as { place: number } | null)?.place ?? -1];
        if (tile === undefined) return "";
        const { document } = tile;
        return tooltipText(tile.name, [
          ["time", time(tile.us)],
          ["of the step", quantity(tile.us / total, "share")],
          ["bound", tile.bound],
          ...(document === null
            ? []
            : ([
                ["p10 … p90", interval(numberAt(document, "p10_us"), numberAt(document, "p90_us"), "us")],
                ["calls", quantity(numberAt(document, "calls"), "count")],
                ["tier", tierWords(document)],
              ] as [string, string][])),
        ]);
      }),
      series: [
        {
          type: "treemap",
          roam: false,
          nodeClick: false,
          breadcrumb: { show: false },
          left: 0,
          right: 0,
          top: 0,
          bottom: 0,
          label: {
            ...TEXT,
            color: "#fff",
            formatter: (hit: Hit) => said(all[(hit.data as { place: number }).place]!),
            lineHeight: 15,
            overflow: "truncate",
          },
          itemStyle: { borderColor: colors.ground, borderWidth: 0, gapWidth: 2 },
          data: all.map((tile, place) => ({
            name: tile.name,
            value: tile.us,
            place,
            itemStyle: { color: boundColor(TILES, tile.bound) },
          })),
        },
      ],
    }),
  };
}

// One bar: the GPU's time by bound, then the host.
export function boundsPlot(step: JsonObject): Plot {
  const all = tiles(step);
  const bounds = [...new Set(all.map((tile) => tile.bound))]
    .map((bound) => ({
      bound,
      us: all.filter((tile) => tile.bound === bound).reduce((sum, tile) => sum + tile.us, 0),
    }))
    .sort((a, b) => Number(a.bound === "host") - Number(b.bound === "host") || b.us - a.us);
  const total = bounds.reduce((sum, one) => sum + one.us, 0);
  return {
    title: "By bound",
    says: bounds.map(({ bound, us }) => `${bound} ${time(us)}`).join(", "),
    height: 74,
    sheet: sheet(
      [["bound"], ["time", "us"], ["share", "share"]],
      bounds.map(({ bound, us }) => [bound, us, us / total]),
    ),
    legend: (colors) =>
      bounds.map(({ bound, us }) => ({
        name: `${bound} ${quantity(us / total, "share")}`,
        color: boundColor(colors, bound),
        mark: "tile",
      })),
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 4, bottom: 20, left: 4 }),
      xAxis: {
        ...valueAxis(colors, { name: "", unit: "us", most: total }, false),
        splitLine: { show: false },
      },
      yAxis: { type: "category", data: [""], show: false },
      tooltip: tooltip(colors, (hit) => {
        const one = bounds[(hit as Hit).seriesIndex];
        return one === undefined
          ? ""
          : tooltipText(one.bound, [
              ["time", time(one.us)],
              ["share", quantity(one.us / total, "share")],
            ]);
      }),
      series: bounds.map(({ bound, us }) => ({
        type: "bar",
        stack: "step",
        barWidth: 22,
        data: [us],
        name: bound,
        itemStyle: { color: boundColor(colors, bound), borderColor: colors.ground, borderWidth: 1 },
      })),
    }),
  };
}

export interface BatchPoint {
  x: number;
  document: JsonObject;
}

export function batchPlot(points: BatchPoint[], now: number, of: string): Plot {
  const ms = (point: BatchPoint, ...path: string[]) => numberAt(point.document, ...path) ?? 0;
  const host = (point: BatchPoint) => hostExposed(point.document);
  return {
    title: `Step time over ${of}`,
    says: `Step time for ${points.length} values of ${of}.`,
    sheet: sheet(
      [
        [of, "count"],
        ["step", "ms"],
        ["GPU p10", "ms"],
        ["GPU p50", "ms"],
        ["GPU p90", "ms"],
        ["host and gaps", "ms"],
      ],
      points.map((point) => [
        point.x,
        ms(point, "step_ms"),
        ms(point, "gpu_ms", "p10"),
        ms(point, "gpu_ms", "p50"),
        ms(point, "gpu_ms", "p90"),
        host(point),
      ]),
    ),
    legend: (colors) => [
      { name: "step", color: colors.accent },
      { name: "GPU p10 … p90, and the host", color: colors.accent, mark: "band" },
    ],
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: sizeAxis(
        colors,
        of,
        points.map((point) => point.x),
        true,
      ),
      yAxis: valueAxis(colors, { name: "step", unit: "ms", least: 0 }, true),
      tooltip: tooltip(
        colors,
        (hits) => {
          const point = points[(hits as Hit[])[0]?.dataIndex ?? 0];
          return point === undefined
            ? ""
            : tooltipText(`${of} ${point.x}`, [
                ["step", quantity(ms(point, "step_ms"), "ms")],
                ["GPU p10 … p90", interval(ms(point, "gpu_ms", "p10"), ms(point, "gpu_ms", "p90"), "ms")],
                ["host and gaps", quantity(host(point), "ms")],
              ]);
        },
        "axis",
      ),
      series: [
        line(
          "step",
          points.map((point) => [point.x, ms(point, "step_ms")]),
          colors.accent,
          {
            markLine: lineAt(colors, now, `${now}`),
          },
        ),
        band(
          "interval",
          points.map((point) => [
            point.x,
            ms(point, "gpu_ms", "p10") + host(point),
            ms(point, "gpu_ms", "p90") + host(point),
          ]),
          colors.accent,
        ),
      ],
    }),
  };
}
