// Charts of serving runs: latency distributions, the timeline, requests one by one.
import { numberAt, objectsAt, type JsonObject } from "../core/json";
import { shares, sorted, percentile } from "../core/distribution";
import { quantity } from "../core/quantity";
import { latencyValues, type Latency, type ServedRequest } from "../core/requests_of_run";
import { sheet } from "../core/sheet";
import { grid, line, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

export interface Run {
  name: string;
  document: JsonObject;
  requests: ServedRequest[];
  measured: boolean;
}

export const LATENCY_NAMES: Record<Latency, string> = {
  ttft: "TTFT",
  tpot: "TPOT",
  itl: "ITL",
  e2el: "E2EL",
};

export function distributionPlot(runs: Run[], which: "ttft" | "tpot" | "e2el"): Plot | null {
  const curves = runs
    .map((run) => ({ run, points: shares(latencyValues(run.requests, which)) }))
    .filter(({ points }) => points.length > 0);
  if (curves.length === 0) return null;
  const name = LATENCY_NAMES[which];
  const ordered = curves.map(({ run }) => sorted(latencyValues(run.requests, which)));
  return {
    title: `${name} of the requests`,
    says: curves
      .map(
        ({ run }, index) =>
          `${run.name}: median ${quantity(percentile(ordered[index]!, 0.5), "ms")}, ` +
          `p99 ${quantity(percentile(ordered[index]!, 0.99), "ms")}`,
      )
      .join("; "),
    height: 240,
    sheet: sheet(
      [["run"], ["share of requests", "share"], [name, "ms"]],
      curves.flatMap(({ run, points }) => points.map(([value, share]) => [run.name, share, value])),
    ),
    legend: (colors) =>
      runs.length < 2
        ? []
        : curves.map(({ run }) => ({
            name: run.name,
            color: seriesColor(colors, runs.indexOf(run)),
            mark: run.measured ? "dash" : "line",
          })),
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: valueAxis(colors, { name, unit: "ms", log: true }, false),
      yAxis: valueAxis(colors, { name: "share of requests at most", unit: "share", least: 0, most: 1 }, true),
      tooltip: tooltip(
        colors,
        (hits) => {
          const list = hits as Hit[];
          return tooltipText(
            name,
            list.map((hit): [string, string] => {
              const [value, share] = hit.value as [number, number];
              return [`${hit.seriesName ?? ""}: ${quantity(share, "share")} within`, quantity(value, "ms")];
            }),
          );
        },
        "axis",
      ),
      series: curves.map(({ run, points }) =>
        line(run.name, points, seriesColor(colors, runs.indexOf(run)), {
          step: "end",
          showSymbol: points.length === 1,
          lineStyle: {
            color: seriesColor(colors, runs.indexOf(run)),
            width: 1.5,
            type: run.measured ? [5, 4] : "solid",
          },
        }),
      ),
    }),
  };
}

export interface Span {
  from: number; // s
  to: number;
}

interface Lane {
  key: string;
  name: string;
  unit: "count" | "share" | "tokens" | "requests";
}
const LANES: Lane[] = [
  { key: "running", name: "running", unit: "requests" },
  { key: "waiting", name: "waiting", unit: "requests" },
  { key: "batch_tokens", name: "batch", unit: "tokens" },
  { key: "kv_use", name: "KV use", unit: "share" },
  { key: "preemptions", name: "preemptions", unit: "count" },
  { key: "instances", name: "instances", unit: "count" },
];
const LANE_HEIGHT = 82; // px

// Lanes under one time axis. Lanes that never change from 0 (or 1 instance) are named in a note instead.
export function timelinePlot(runs: Run[], span: Span | null): Plot | null {
  const lines = runs.map((run) => objectsAt(run.document, "timeline"));
  if (lines.every((points) => points.length === 0)) return null;
  const moves = ({ key }: Lane) =>
    lines.some((points) => points.some((point) => numberAt(point, key) !== (key === "instances" ? 1 : 0)));
  const lanes = LANES.filter(moves);
  const still = LANES.filter((lane) => !moves(lane)).map(
    (lane) => `${lane.name} ${lane.key === "instances" ? 1 : 0}`,
  );
  const rows = runs.flatMap((run, index) =>
    lines[index]!.map((point) => [
      run.name,
      numberAt(point, "time_s"),
      ...LANES.map((lane) => numberAt(point, lane.key)),
    ]),
  );
  const inner = (index: number) => ({
    left: 64,
    right: 18,
    top: 22 + index * LANE_HEIGHT,
    height: LANE_HEIGHT - 34,
  });
  return {
    title: "Batch, queue, KV and preemptions over time",
    says: `${lanes.map((lane) => lane.name).join(", ")} over the run. ${still.join(", ")}.`,
    height: 12 + LANE_HEIGHT * lanes.length + 26,
    note: still.length > 0 ? `All the time: ${still.join(", ")}.` : undefined,
    sheet: sheet(
      [["run"], ["time", "s"], ...LANES.map((lane): [string, typeof lane.unit] => [lane.name, lane.unit])],
      rows,
    ),
    legend: (colors) =>
      runs.length < 2
        ? []
        : runs.map((run, index) => ({ name: run.name, color: seriesColor(colors, index) })),
    option: (colors) => ({
      animation: false,
      axisPointer: { link: [{ xAxisIndex: "all" }] },
      grid: lanes.map((_, index) => inner(index)),
      xAxis: lanes.map((_, index) => ({
        ...valueAxis(
          colors,
          {
            name: index === lanes.length - 1 ? "time [s]" : "",
            unit: "plain",
            least: span?.from,
            most: span?.to,
          },
          false,
        ),
        gridIndex: index,
        splitLine: { show: false },
        axisLabel: { show: index === lanes.length - 1, fontSize: 11, color: colors.quiet },
        min: span?.from ?? 0,
        max: span?.to ?? "dataMax",
      })),
      yAxis: lanes.map((lane, index) => ({
        ...valueAxis(
          colors,
          { name: lane.name, unit: lane.unit === "share" ? "share" : "count", least: 0 },
          true,
        ),
        gridIndex: index,
        splitNumber: 2,
        nameGap: 7,
      })),
      tooltip: tooltip(
        colors,
        (hits) => {
          const list = hits as Hit[];
          const at = list[0]?.value as [number, number] | undefined;
          return tooltipText(
            `at ${quantity(at?.[0] ?? 0, "s")}`,
            list.map((hit) => [
              hit.seriesName ?? "",
              quantity(
                (hit.value as [number, number])[1],
                lanes[hit.seriesIndex % lanes.length]?.unit ?? "count",
              ),
            ]),
          );
        },
        "axis",
      ),
      series: runs.flatMap((run, index) =>
        lanes.map((lane, laneIndex) =>
          line(
            runs.length < 2 ? lane.name : `${run.name}: ${lane.name}`,
            lines[index]!.map((point) => [numberAt(point, "time_s") ?? 0, numberAt(point, lane.key) ?? 0]),
            seriesColor(colors, index),
            {
              xAxisIndex: laneIndex,
              yAxisIndex: laneIndex,
              step: "end",
              showSymbol: false,
              sampling: "minmax",
              lineStyle: {
                color: seriesColor(colors, index),
                width: 1,
                type: run.measured ? [4, 3] : "solid",
              },
              areaStyle: runs.length < 2 ? { color: faded(seriesColor(colors, index), 0.12) } : undefined,
            },
          ),
        ),
      ),
    }),
  };
}
