// Requests of a serving run, one by one.
import { quantity } from "../core/quantity";
import { sheet } from "../core/sheet";
import { grid, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import type { Plot } from "./plot";
import type { Run, Span } from "./serve_plots";

const MOST_BARS = 400; // requests of the waterfall at once; the rest by moving the window

export function waterfallPlot(run: Run, span: Span | null): Plot | null {
  const all = run.requests.map((request, index) => ({ ...request, index }));
  if (all.length === 0) return null;
  const within =
    span === null ? all : all.filter((one) => one.start <= span.to && one.start + one.latency >= span.from);
  const shown = within.slice(0, MOST_BARS);
  return {
    title: "Requests one by one",
    says: `${shown.length} requests of ${run.name}: time to the first token, then decoding.`,
    height: Math.min(460, 60 + shown.length * 7),
    note:
      within.length > shown.length
        ? `The first ${MOST_BARS} of ${within.length} requests in the window; narrow it for the rest.`
        : undefined,
    sheet: sheet(
      [
        ["request", "count"],
        ["start", "s"],
        ["TTFT", "s"],
        ["E2EL", "s"],
        ["input", "tokens"],
        ["output", "tokens"],
      ],
      within.map((one) => [one.index, one.start, one.ttft, one.latency, one.inputTokens, one.outputTokens]),
    ),
    legend: (colors) => [
      { name: "to the first token", color: colors.bounds["dram"]!, mark: "tile" },
      { name: "decoding", color: colors.bounds["tensor"]!, mark: "tile" },
    ],
    option: (colors) => ({
      animation: false,
      grid: grid({ top: 24 }),
      xAxis: {
        ...valueAxis(colors, { name: "time [s]", unit: "plain" }, false),
        axisLine: { onZero: false, lineStyle: { color: colors.quiet } },
        min: span?.from ?? 0,
        max: span?.to ?? Math.max(...shown.map((one) => one.start + one.latency)),
      },
      // downwards: an inverse axis would take its labels' room from the wrong side
      yAxis: {
        ...valueAxis(colors, { name: "request", unit: "count" }, true),
        min: -(shown[shown.length - 1]?.index ?? 0) - 1,
        max: 1 - (shown[0]?.index ?? 0),
        splitLine: { show: false },
        axisLabel: {
          color: colors.quiet,
          fontSize: 11,
          formatter: (value: number) => quantity(Math.max(0, -value), "count"),
        },
      },
      tooltip: tooltip(colors, (hit) => {
        const one = shown[(hit as Hit).dataIndex];
        return one === undefined
          ? ""
          : tooltipText(`request ${one.index}`, [
              ["starts", quantity(one.start, "s")],
              ["TTFT", quantity(one.ttft, "s")],
              ["E2EL", quantity(one.latency, "s")],
              ["input", quantity(one.inputTokens, "tokens")],
              ["output", quantity(one.outputTokens, "tokens")],
            ]);
      }),
      series: [
        {
          type: "custom",
          name: "requests",
          clip: true,
          encode: { x: [1, 3], y: 0 },
          data: shown.map((one) => [-one.index, one.start, one.start + one.ttft, one.start + one.latency]),
          renderItem: (
            _: unknown,
            api: {
              coord(value: number[]): number[];
              value(index: number): number;
              size(value: number[]): number[];
            },
          ) => {
            const height = Math.max(1, Math.min(12, (api.size([0, 1])[1] ?? 2) * 0.72));
            const bar = (from: number, to: number, color: string) => {
              const [x1 = 0, y = 0] = api.coord([from, api.value(0)]);
              const [x2 = 0] = api.coord([to, api.value(0)]);
              return {
                type: "rect",
                shape: { x: x1, y: y - height / 2, width: Math.max(1, x2 - x1), height },
                style: { fill: color },
              };
            };
            return {
              type: "group",
              children: [
                bar(api.value(1), api.value(2), colors.bounds["dram"]!),
                bar(api.value(2), api.value(3), colors.bounds["tensor"]!),
              ],
            };
          },
        },
      ],
    }),
  };
}
