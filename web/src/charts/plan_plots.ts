// Charts of a plan: every deployment that was simulated, the Pareto front, what a limit costs.
import { isObject, listAt, numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, type Unit } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { grid, line, tooltip, tooltipText, valueAxis, type Hit } from "./axes";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

export interface PlanPoint {
  index: number;
  words: string;
  gpu: string;
  document: JsonObject;
}

export interface Measure {
  name: string;
  unit: Unit;
  better: "high" | "low";
  path: string[];
}

export const MEASURES: Record<string, Measure> = {
  user_speed: {
    name: "tokens/s per user",
    unit: "tokens/s",
    better: "high",
    path: ["tokens_per_s_per_user"],
  },
  gpu_speed: { name: "tokens/s per GPU", unit: "tokens/s", better: "high", path: ["tokens_per_s_per_gpu"] },
  cost: { name: "cost", unit: "$/h", better: "low", path: ["usd_per_hour"] },
  output_cost: {
    name: "cost of a million output tokens",
    unit: "$",
    better: "low",
    path: ["usd_per_million_output_tokens"],
  },
  gpus: { name: "GPUs", unit: "GPUs", better: "low", path: ["gpus"] },
  ttft: { name: "TTFT p95", unit: "ms", better: "low", path: ["metrics", "p95_ttft_ms"] },
  tpot: { name: "TPOT p95", unit: "ms", better: "low", path: ["metrics", "p95_tpot_ms"] },
  e2el: { name: "E2EL p95", unit: "ms", better: "low", path: ["metrics", "p95_e2el_ms"] },
  energy: { name: "energy of the run", unit: "J", better: "low", path: ["energy_j"] },
};

// `best`, `best_confident` and the fronts of the document count from 1.
export function ranked(plan: JsonObject, key: "best" | "best_confident"): number | null {
  const rank = numberAt(plan, key);
  return rank === null ? null : rank - 1;
}

export function planPoints(plan: JsonObject): PlanPoint[] {
  return objectsAt(plan, "points").map((document, index) => ({
    index,
    document,
    words: textAt(document, "deployment", "words"),
    gpu:
      textAt(document, "deployment", "pool", "gpu") ||
      textAt(document, "deployment", "decode", "gpu") ||
      "mixed",
  }));
}

export function measure(point: PlanPoint, which: string): number | null {
  return numberAt(point.document, ...(MEASURES[which]?.path ?? []));
}

export type Limits = Record<string, number>; // of measures, on the reader's side of `better`

export function keeps(point: PlanPoint, limits: Limits): boolean {
  return Object.entries(limits).every(([which, limit]) => {
    const value = measure(point, which);
    return value !== null && (MEASURES[which]?.better === "high" ? value >= limit : value <= limit);
  });
}

// Points that no other beats in both measures.
export function front(points: PlanPoint[], x: string, y: string): PlanPoint[] {
  const signed = (point: PlanPoint, which: string) =>
    (measure(point, which) ?? NaN) * (MEASURES[which]?.better === "high" ? 1 : -1);
  return points
    .filter(
      (one) =>
        !points.some(
          (other) =>
            signed(other, x) >= signed(one, x) &&
            signed(other, y) >= signed(one, y) &&
            (signed(other, x) > signed(one, x) || signed(other, y) > signed(one, y)),
        ),
    )
    .sort((a, b) => (measure(a, x) ?? 0) - (measure(b, x) ?? 0));
}

export function paretoPlot(plan: JsonObject, x: string, y: string, limits: Limits): Plot {
  const all = planPoints(plan);
  const kept = all.filter((point) => keeps(point, limits));
  const edge = front(kept, x, y);
  const gpus = [...new Set(all.map((point) => point.gpu))];
  const best = ranked(plan, "best");
  const [across, up] = [MEASURES[x]!, MEASURES[y]!];
  const pairs = (points: PlanPoint[]) =>
    points.map((point) => [measure(point, x), measure(point, y), point.index]);
  return {
    title: "Deployments",
    says:
      `${kept.length} of ${all.length} deployments keep to the limits; ` +
      `${edge.length} of them are on the front of ${up.name} against ${across.name}.`,
    height: 380,
    sheet: planSheet(kept),
    legend: (colors) => [
      ...gpus.map((gpu, index) => ({ name: gpu, color: seriesColor(colors, index), mark: "dot" as const })),
      { name: "front", color: colors.ink, mark: "line" },
      { name: "beyond a limit", color: faded(colors.quiet, 0.4), mark: "dot" },
    ],
    option: (colors) => ({
      animation: false,
      grid: grid(),
      xAxis: {
        ...valueAxis(
          colors,
          {
            name: across.name.includes(across.unit) ? across.name : `${across.name} [${across.unit}]`,
            unit: "plain",
          },
          false,
        ),
        scale: true,
      },
      yAxis: { ...valueAxis(colors, { name: up.name, unit: up.unit }, true), scale: true },
      tooltip: tooltip(colors, (hit) => {
        const point = all[((hit as Hit).value as number[])[2] ?? -1];
        return point === undefined ? "" : pointTip(point, point.index === best);
      }),
      series: [
        {
          type: "scatter",
          name: "beyond",
          symbolSize: 8,
          z: 2,
          data: pairs(all.filter((point) => !kept.includes(point))),
          itemStyle: { color: faded(colors.quiet, 0.35) },
        },
        line(
          "front",
          pairs(edge).map((pair) => pair.slice(0, 2)),
          colors.ink,
          { z: 3, silent: true, showSymbol: false, lineStyle: { color: faded(colors.ink, 0.55), width: 1 } },
        ),
        ...gpus.map((gpu, index) => ({
          type: "scatter",
          name: gpu,
          z: 5,
          symbolSize: (value: number[]) => (value[2] === best ? 15 : 10),
          data: pairs(kept.filter((point) => point.gpu === gpu)),
          itemStyle: { color: seriesColor(colors, index), borderColor: colors.ground, borderWidth: 1 },
        })),
      ],
    }),
  };
}

function pointTip(point: PlanPoint, best: boolean): string {
  const binding = isObject(point.document["binding"]) ? point.document["binding"] : {};
  return tooltipText(`${best ? "best: " : ""}${point.words}`, [
    ...["gpus", "cost", "output_cost", "gpu_speed", "user_speed", "ttft", "tpot"].map(
      (which): [string, string] => [
        MEASURES[which]!.name,
        quantity(measure(point, which), MEASURES[which]!.unit),
      ],
    ),
    ["nearest limit", `${textAt(binding, "name")} ${quantity(numberAt(binding, "use"), "share")}`],
    ["sure to 90 %", point.document["confident"] === true ? "yes" : "no"],
  ]);
}

export function planSheet(points: PlanPoint[]): Sheet {
  return sheet(
    [
      ["deployment"],
      ["GPUs", "GPUs"],
      { name: "rented", unit: "GPUs", hint: "what is paid for: more where only whole nodes are rented" },
      ["cost", "$/h"],
      { name: "per M output", unit: "$", hint: "dollars of a million output tokens" },
      ["per GPU", "tokens/s"],
      ["per user", "tokens/s"],
      ["TTFT p95", "ms"],
      ["TPOT p95", "ms"],
      ["nearest limit"],
      { name: "use", unit: "share", hint: "of the nearest limit" },
      { name: "sure", hint: "keeps the limits with kernels at their p90 too" },
    ],
    points.map((point) => [
      point.words,
      measure(point, "gpus"),
      numberAt(point.document, "rented_gpus"),
      measure(point, "cost"),
      measure(point, "output_cost"),
      measure(point, "gpu_speed"),
      measure(point, "user_speed"),
      measure(point, "ttft"),
      measure(point, "tpot"),
      textAt(point.document, "binding", "name") || null,
      numberAt(point.document, "binding", "use"),
      point.document["confident"] === true,
    ]),
  );
}

export function whatIfSheet(plan: JsonObject): Sheet {
  return sheet(
    [
      ["what if"],
      ["deployment"],
      ["meets the limits"],
      ["GPUs", "GPUs"],
      ["cost", "$/h"],
      ["nearest limit"],
      ["use", "share"],
    ],
    objectsAt(plan, "what_if").map((one) => [
      textAt(one, "question"),
      textAt(one, "point", "deployment", "words") || null,
      one["meets"] === true,
      numberAt(one, "point", "gpus"),
      numberAt(one, "point", "usd_per_hour"),
      textAt(one, "binding", "name") || null,
      numberAt(one, "binding", "use"),
    ]),
  );
}

export function pricesSheet(plan: JsonObject): Sheet {
  return sheet(
    [["GPU"], ["rented"], ["at once"], ["price of a GPU", "$/h"], ["provider"], ["date"], ["source"]],
    listAt(plan, "prices")
      .filter(isObject)
      .map((one) => [
        textAt(one, "gpu"),
        textAt(one, "kind"),
        one["whole_nodes"] === true ? "whole nodes" : "single GPUs",
        numberAt(one, "usd_per_gpu_hour"),
        textAt(one, "provider"),
        textAt(one, "date"),
        textAt(one, "source"),
      ]),
  );
}
