// Tables of serving runs.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { figure, FIGURES, LATENCIES } from "../core/requests_of_run";
import { sheet, type Sheet } from "../core/sheet";
import { LATENCY_NAMES, type Run } from "./serve_plots";

// Every latency of every run, with the interval of the kernels of the first.
export function latencySheet(runs: Run[]): Sheet {
  const rows = LATENCIES.flatMap((which) => FIGURES.map((what) => ({ which, what }))).map(
    ({ which, what }) => {
      const values = runs.map((run) => figure(run.document, which, what));
      const ends = ["low", "high"].map((end) =>
        numberAt(runs[0]?.document, "interval", end, `${what}_${which}_ms`),
      );
      const change =
        runs.length > 1 && values[0] !== null && values[1] !== null ? values[0]! / values[1]! - 1 : null;
      return [
        `${LATENCY_NAMES[which]} ${what}`,
        values[0] ?? null,
        ...ends,
        ...values.slice(1),
        ...(runs.length > 1 ? [change] : []),
      ];
    },
  );
  return {
    columns: [
      { name: "latency" },
      { name: runs.length > 1 ? (runs[0]?.name ?? "") : "run", unit: "ms" },
      { name: "p10", unit: "ms", hint: "with kernels at their p10" },
      { name: "p90", unit: "ms", hint: "with kernels at their p90" },
      ...runs.slice(1).map((run) => ({ name: run.name, unit: "ms" as const })),
      ...(runs.length > 1
        ? [{ name: "difference", unit: "share" as const, hint: `${runs[0]?.name} against ${runs[1]?.name}` }]
        : []),
    ],
    rows: rows.filter((row) => row.slice(1).some((cell) => cell !== null)),
  };
}

export function kernelTimeSheet(document: JsonObject): Sheet {
  const kernels = objectsAt(document, "kernel_time");
  const total = kernels.reduce((sum, one) => sum + (numberAt(one, "time_s") ?? 0), 0);
  return sheet(
    [["kernel"], ["family"], ["time", "s"], ["share", "share"], ["calls", "count"], ["mean call", "us"]],
    kernels.map((one) => [
      textAt(one, "label"),
      textAt(one, "family"),
      numberAt(one, "time_s"),
      (numberAt(one, "time_s") ?? 0) / total,
      numberAt(one, "calls"),
      ((numberAt(one, "time_s") ?? 0) / (numberAt(one, "calls") ?? 1)) * 1e6,
    ]),
  );
}
