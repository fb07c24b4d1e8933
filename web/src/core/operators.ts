// Operators as the Kernel view handles them: sizes that can be swept, values to start with.
import { at, isObject, objectsAt, withValue, type Json, type JsonObject } from "./json";
import { forms, leaves, readFields, type Field } from "./schema";

// Where a family starts in the view: the example of its form, since the schema's own defaults are sizes of 1.
export function startOf(family: string, form: JsonObject | undefined): JsonObject {
  const example = at(form, ["examples"]);
  const first: Json | undefined = Array.isArray(example) ? example[0] : undefined;
  return { family, ...(isObject(first) ? first : {}) };
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
