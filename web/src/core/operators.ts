// Operators as the Kernel view handles them: sizes that can be swept, values to start with.
import { at, isObject, objectsAt, withValue, type Json, type JsonObject } from "./json";
import { forms, leaves, readFields, type Field } from "./schema";

// Where a family starts in the view: sizes of a Llama-3.1-8B layer, since the schema's own defaults are 1.
const STARTS: Record<string, JsonObject> = {
  gemm: { m: 4096, n: 4096, k: 4096 },
  attention_prefill: {
    heads: 32,
    kv_heads: 8,
    requests: [{ count: 4, query_tokens: 1024, context_tokens: 0 }],
  },
  attention_decode: {
    heads: 32,
    kv_heads: 8,
    requests: [{ count: 64, query_tokens: 1, context_tokens: 2000 }],
  },
  mla_prefill: { requests: [{ count: 4, query_tokens: 1024, context_tokens: 0 }] },
  mla_decode: { requests: [{ count: 64, query_tokens: 1, context_tokens: 2000 }] },
  mla_module: { requests: [{ count: 4, query_tokens: 1024, context_tokens: 0 }] },
  moe: { tokens: 256, hidden: 2048, intermediate: 768, experts: 128, top_k: 8 },
  rmsnorm: { tokens: 4096 },
  activation: { tokens: 4096 },
  elementwise: { rows: 4096 },
  rope: { tokens: 4096 },
  kv_write: { tokens: 4096 },
  quantize: { rows: 4096 },
  embedding: { tokens: 4096 },
  sampling: { sequences: 64 },
  linear_attention: { sequences: 16, tokens_per_sequence: 64 },
};
const START_OF_COLLECTIVES: JsonObject = { size_bytes: 67_108_864, ranks: 8, top_k: 8, token_bytes: 4096 };

export function startOf(family: string, form: JsonObject | undefined): JsonObject {
  const given = STARTS[family] ?? START_OF_COLLECTIVES;
  const known = new Set(form === undefined ? [] : readFields(form).map((field) => field.name));
  return { family, ...Object.fromEntries(Object.entries(given).filter(([name]) => known.has(name))) };
}

export function families(schema: JsonObject): Map<string, JsonObject> {
  return forms(schema, ["operator"], "family");
}

const ALONE = new Set(["top_k", "token_bytes"]); // say what a buffer holds; they do not make it larger

// Sizes a chart can run over: whole numbers of the operator, and those of its groups of requests.
export function sizes(form: JsonObject): Field[] {
  return leaves(readFields(form))
    .flatMap((field) =>
      field.kind === "rows"
        ? field.inner
            .filter((one) => one.kind === "integer")
            .map((one) => ({ ...one, path: [...field.path, one.name] }))
        : [field],
    )
    .filter((field) => (field.kind === "integer" || field.name === "size_bytes") && !ALONE.has(field.name));
}

export function sizeOf(operator: JsonObject, path: readonly string[], standard?: Json): number {
  const row = path[0] === undefined ? undefined : objectsAt(operator, path[0])[0];
  const value = path.length === 2 && row !== undefined ? row[path[1] as string] : at(operator, path);
  return typeof value === "number" ? value : typeof standard === "number" ? standard : 1;
}

// In groups of requests every group gets the value.
export function withSize(operator: JsonObject, path: readonly string[], value: number): JsonObject {
  const [first = "", name = ""] = path;
  const rows = operator[first];
  if (path.length === 2 && Array.isArray(rows))
    return { ...operator, [first]: rows.map((row) => (isObject(row) ? { ...row, [name]: value } : row)) };
  return withValue(operator, path, value);
}

export const SWEEP_POINTS = 200;

// Whole numbers from least to most, each once: even, or even in logarithm.
export function sweepValues(least: number, most: number, log: boolean, count = SWEEP_POINTS): number[] {
  const values = Array.from({ length: count }, (_, index) => {
    const share = count === 1 ? 0 : index / (count - 1);
    return Math.round(log ? least * (most / least) ** share : least + (most - least) * share);
  });
  return [...new Set(values)];
}

// The end of a chart around a value: twice the value, up to a power of two, so that small moves leave it.
export function endAround(value: number, most = Infinity): number {
  return Math.min(most, Math.max(64, 2 ** Math.ceil(Math.log2(Math.max(1, value) * 2))));
}
