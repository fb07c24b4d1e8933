// Horizontal bars: names at the left, one bar for each of them, or a bar of each group.
import { categoryAxis, grid, lineAt, TEXT, tooltip, tooltipText, valueAxis, type AxisWords } from "./axes";
import type { Hit } from "./axes";
import type { Palette } from "./palette";

export interface BarGroup {
  name?: string;
  values: (number | null)[];
  color: string | readonly string[]; // one for all bars, or one for each
}

export interface Bars {
  names: string[];
  axis: AxisWords;
  groups: BarGroup[];
  said?: (index: number) => string; // stands at the end of the bar of the first group
  tip: (index: number) => [string, string][];
  at?: number; // a line across all bars
  more?: object[]; // further series
}

const BAR = 16; // px, alone
const SLIM = 10; // px, beside others of the same name
const SAID_ROOM = 70; // px

export function barsOption(colors: Palette, { names, axis, groups, said, tip, at, more = [] }: Bars) {
  return {
    animation: false,
    grid: grid({ top: 6, ...(said === undefined ? {} : { right: SAID_ROOM }) }),
    xAxis: valueAxis(colors, axis, false),
    yAxis: categoryAxis(colors, names, true),
    tooltip: tooltip(colors, (hit) => {
      const index = (hit as Hit).dataIndex;
      return names[index] === undefined ? "" : tooltipText(names[index], tip(index));
    }),
    series: [
      ...groups.map(({ name, values, color }, group) => ({
        type: "bar",
        name,
        barMaxWidth: groups.length > 1 ? SLIM : BAR,
        barGap: "10%",
        data: values.map((value, index) => ({
          value,
          itemStyle: { color: typeof color === "string" ? color : color[index] },
        })),
        label: {
          show: said !== undefined && group === 0,
          position: "right",
          ...TEXT,
          color: colors.ink,
          formatter: (hit: Hit) => said?.(hit.dataIndex) ?? "",
        },
        markLine: at === undefined || group > 0 ? undefined : lineAt(colors, at),
      })),
      ...more,
    ],
  };
}
