// What all charts share: axes with units, tooltips without inline styles, bands between p10 and p90.
import type { Palette } from "./palette";
import { faded } from "./palette";
import { quantity, tick, type Unit } from "../core/quantity";

export interface AxisWords {
  name: string;
  unit: Unit;
  log?: boolean;
  least?: number;
  most?: number;
  right?: boolean;
}

const FONT = "ui-sans-serif, system-ui, sans-serif";
export const TEXT = { fontFamily: FONT, fontSize: 11 };

export function valueAxis(colors: Palette, words: AxisWords, vertical: boolean): Record<string, unknown> {
  return {
    type: words.log === true ? "log" : "value",
    name: words.name,
    nameLocation: vertical ? "end" : "middle",
    nameGap: vertical ? 10 : 26,
    nameTextStyle: {
      ...TEXT,
      color: colors.quiet,
      align: vertical ? (words.right ? "right" : "left") : "center",
      padding: vertical ? (words.right ? [0, 0, 0, 0] : [0, 0, 0, -40]) : 0,
    },
    min: words.least ?? (words.log ? "dataMin" : undefined),
    max: words.most ?? (words.log ? "dataMax" : undefined),
    position: words.right ? "right" : undefined,
    axisLine: { show: !vertical, onZero: false, lineStyle: { color: colors.quiet } },
    axisTick: { show: !vertical, lineStyle: { color: colors.quiet } },
    minorSplitLine: { show: false },
    splitLine: { show: !words.right, lineStyle: { color: colors.line } },
    splitNumber: vertical ? 4 : 5,
    axisLabel: {
      ...TEXT,
      color: colors.quiet,
      hideOverlap: true,
      formatter: (value: number) => tick(value, words.unit),
    },
  };
}

// An axis of sizes, from the first to the last of them, without lines across the chart.
export function sizeAxis(colors: Palette, name: string, sizes: (number | undefined)[], log: boolean) {
  const [least, most] = [sizes[0], sizes[sizes.length - 1]];
  return {
    ...valueAxis(colors, { name, unit: "count", log, least, most }, false),
    splitLine: { show: false },
  };
}

// A line at one value of the x axis, with its words at the end.
export function lineAt(colors: Palette, at: number, words = ""): object {
  return {
    silent: true,
    symbol: "none",
    animation: false,
    lineStyle: { color: colors.ink, type: "solid", width: 1, opacity: 0.5 },
    label: {
      ...TEXT,
      show: words !== "",
      color: colors.ink,
      formatter: words,
      position: "end",
      distance: 2,
    },
    data: [{ xAxis: at }],
  };
}

export function categoryAxis(colors: Palette, names: string[], vertical: boolean): Record<string, unknown> {
  return {
    type: "category",
    data: names,
    inverse: vertical,
    axisLine: { lineStyle: { color: colors.quiet } },
    axisTick: { show: false },
    axisLabel: {
      ...TEXT,
      color: colors.ink,
      interval: 0,
      hideOverlap: false,
      width: vertical ? 130 : 90,
      overflow: "truncate",
    },
  };
}

export function grid(more: Record<string, number> = {}): Record<string, unknown> {
  return {
    left: 8,
    right: 18,
    top: 30,
    bottom: 38,
    outerBoundsMode: "same",
    outerBoundsContain: "axisLabel",
    ...more,
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

// Lines of a tooltip: [what, figure]. Classes, since the policy of the page forbids style attributes.
export function tooltipText(title: string, lines: [string, string][]): string {
  const rows = lines.map(([what, said]) => {
    const parts = `<span>${escaped(what)}</span><strong>${escaped(said)}</strong>`;
    return `<div class="tip-row">${parts}</div>`;
  });
  return `<div class="tip-title">${escaped(title)}</div>${rows.join("")}`;
}

export function tooltip(colors: Palette, formatter: (hit: Hit | Hit[]) => string, trigger = "item"): object {
  return {
    trigger,
    confine: true,
    className: "tip",
    backgroundColor: colors.ground,
    borderColor: colors.line,
    borderWidth: 1,
    padding: [6, 8],
    textStyle: { ...TEXT, color: colors.ink },
    extraCssText: "box-shadow:none",
    axisPointer: { type: "line", lineStyle: { color: colors.quiet, type: [2, 3] } },
    transitionDuration: 0,
    formatter,
  };
}

// What ECharts says of the point under the pointer; the parts of it that are read here.
export interface Hit {
  dataIndex: number;
  seriesIndex: number;
  seriesName?: string;
  name: string;
  value: unknown;
  data: unknown;
}

// A band from `low` to `high` over x, as a polygon of its own: works on linear and logarithmic axes alike.
export function band(name: string, points: [number, number, number][], color: string, axis = 0): object {
  const outline = [
    ...points.map(([x, , high]) => [x, high]),
    ...[...points].reverse().map(([x, low]) => [x, low]),
  ];
  return {
    type: "custom",
    name,
    silent: true,
    yAxisIndex: axis,
    z: 1,
    clip: true,
    tooltip: { show: false },
    data: points.length === 0 ? [] : [[points[0]?.[0], points[0]?.[1]]],
    encode: { x: 0, y: 1 },
    renderItem: (_: unknown, api: { coord(value: number[]): number[] }) => ({
      type: "polygon",
      shape: { points: outline.map((point) => api.coord(point as number[])) },
      style: { fill: faded(color, 0.16), stroke: "none" },
    }),
  };
}

// A line from low to high at each point, as error bars.
export function whiskers(
  name: string,
  points: [number, number, number][],
  color: string,
  across = false,
): object {
  return {
    type: "custom",
    name,
    silent: true,
    z: 4,
    tooltip: { show: false },
    data: points,
    encode: across ? { y: 0, x: [1, 2] } : { x: 0, y: [1, 2] },
    renderItem: (_: unknown, api: { coord(value: number[]): number[]; value(index: number): number }) => {
      const ends = [api.value(1), api.value(2)].map((end) =>
        api.coord(across ? [end, api.value(0)] : [api.value(0), end]),
      );
      const [[x1, y1], [x2, y2]] = ends as [[number, number], [number, number]];
      const cap = (x: number, y: number) => ({
        type: "line",
        shape: across ? { x1: x, x2: x, y1: y - 4, y2: y + 4 } : { x1: x - 4, x2: x + 4, y1: y, y2: y },
        style: { stroke: color, lineWidth: 1.5 },
      });
      return {
        type: "group",
        children: [
          cap(x1, y1),
          cap(x2, y2),
          { type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: color, lineWidth: 1.5 } },
        ],
      };
    },
  };
}

export function line(name: string, points: (number | null)[][], color: string, more: object = {}): object {
  return {
    type: "line",
    name,
    data: points,
    showSymbol: points.length === 1,
    symbolSize: 5,
    z: 3,
    lineStyle: { color, width: 1.5 },
    itemStyle: { color },
    emphasis: { disabled: true },
    animation: false,
    ...more,
  };
}

export { quantity };
