// The requests of a serving run, simulated (`simulate` with details) or measured (`vllm bench serve
// --save-result --save-detailed`): both documents have the same keys, times in seconds.
import { at, isObject, numbersAt, type Json, type JsonObject } from "./json";
import { mean, percentile, sorted } from "./distribution";

export interface ServedRequest {
  start: number; // all times in s from the start of the run
  ttft: number;
  latency: number;
  inputTokens: number;
  outputTokens: number;
}

export const LATENCIES = ["ttft", "tpot", "itl", "e2el"] as const;
export type Latency = (typeof LATENCIES)[number];
export const FIGURES = ["mean", "p50", "p90", "p95", "p99"] as const;
export type Figure = (typeof FIGURES)[number];

function failed(document: Json, index: number): boolean {
  const errors = at(document, ["errors"]);
  return Array.isArray(errors) && typeof errors[index] === "string" && errors[index] !== "";
}

export function servedRequests(document: Json): ServedRequest[] {
  const ttfts = numbersAt(document, "ttfts");
  const inputs = numbersAt(document, "input_lens");
  const outputs = numbersAt(document, "output_lens");
  const latencies = latenciesOf(document, ttfts);
  const starts = numbersAt(document, "start_times");
  const first = starts.reduce((least, one) => Math.min(least, one), Infinity);
  return ttfts
    .map((ttft, index) => ({
      start: starts[index] === undefined ? 0 : (starts[index] as number) - first,
      ttft,
      latency: latencies[index] ?? ttft,
      inputTokens: inputs[index] ?? 0,
      outputTokens: outputs[index] ?? 0,
    }))
    .filter((_, index) => !failed(document, index) && (outputs[index] ?? 1) > 0);
}

// Older results lack `latencies`: the first token and every gap after it make them up.
function latenciesOf(document: Json, ttfts: number[]): number[] {
  const given = numbersAt(document, "latencies");
  if (given.length > 0) return given;
  const itls = at(document, ["itls"]);
  return ttfts.map(
    (ttft, index) =>
      ttft +
      (Array.isArray(itls) && Array.isArray(itls[index])
        ? (itls[index] as Json[]).reduce<number>((sum, one) => sum + (typeof one === "number" ? one : 0), 0)
        : 0),
  );
}

export function tpot(request: ServedRequest): number | null {
  return request.outputTokens > 1 ? (request.latency - request.ttft) / (request.outputTokens - 1) : null;
}

// One kind of latency of all requests, in ms. ITL is not in the details of a simulated run.
export function latencyValues(requests: readonly ServedRequest[], which: Latency): number[] {
  const one =
    which === "ttft"
      ? (request: ServedRequest) => request.ttft
      : which === "tpot"
        ? tpot
        : (request: ServedRequest) => request.latency;
  return requests
    .map(one)
    .filter((value): value is number => value !== null)
    .map((value) => value * 1e3);
}

// A figure that the document says, or what its requests say; null where neither does.
export function figure(document: JsonObject, which: Latency, what: Figure): number | null {
  for (const key of [`${what}_${which}_ms`, ...(what === "p50" ? [`median_${which}_ms`] : [])]) {
    const said = document[key];
    if (typeof said === "number") return said;
  }
  if (which === "itl") return null;
  const values = sorted(latencyValues(servedRequests(document), which));
  return what === "mean" ? mean(values) : percentile(values, Number(what.slice(1)) / 100);
}

// Throws with one sentence on a file that is no result of a benchmark.
export function readBenchmark(text: string, name: string): JsonObject {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error(`${name} is no JSON, expected a result of \`vllm bench serve --save-result\``);
  }
  if (!isObject(document))
    throw new Error(`${name} holds no JSON object, expected a result of \`vllm bench serve\``);
  const known = LATENCIES.some((which) =>
    FIGURES.some((what) => figure(document as JsonObject, which, what) !== null),
  );
  if (!known)
    throw new Error(
      `${name} has no latencies (mean_ttft_ms, ttfts, ...), ` +
        "expected a result of `vllm bench serve --save-result`",
    );
  return document;
}
