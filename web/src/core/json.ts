// JSON values, and reading and writing inside them by path. Nothing here changes its arguments.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
export type Path = readonly string[];

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function at(value: Json | undefined, path: Path): Json | undefined {
  let inner: Json | undefined = value;
  for (const key of path) {
    if (!isObject(inner) || !Object.hasOwn(inner, key)) return undefined;
    inner = inner[key];
  }
  return inner;
}

// `undefined` takes the key away, and objects that it leaves empty with it.
export function withValue(object: JsonObject, path: Path, value: Json | undefined): JsonObject {
  const [key, ...rest] = path;
  if (key === undefined) return isObject(value) ? value : object;
  const copy = { ...object };
  if (rest.length === 0) {
    if (value === undefined) delete copy[key];
    else copy[key] = value;
    return copy;
  }
  const below = copy[key];
  const inner = withValue(isObject(below) ? below : {}, rest, value);
  if (value === undefined && Object.keys(inner).length === 0) delete copy[key];
  else copy[key] = inner;
  return copy;
}

export function numberAt(value: Json | undefined, ...path: string[]): number | null {
  const found = at(value, path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

export function textAt(value: Json | undefined, ...path: string[]): string {
  const found = at(value, path);
  return typeof found === "string" ? found : "";
}

export function listAt(value: Json | undefined, ...path: string[]): Json[] {
  const found = at(value, path);
  return Array.isArray(found) ? found : [];
}

export function objectsAt(value: Json | undefined, ...path: string[]): JsonObject[] {
  return listAt(value, ...path).filter(isObject);
}

export function numbersAt(value: Json | undefined, ...path: string[]): number[] {
  return listAt(value, ...path).filter((one): one is number => typeof one === "number");
}

export function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
