// The state of a view in the address: #/kernel?gpus=["H100-SXM"]&asked.operator.m=4096
// The part behind # stays in the browser, so a link to a server of one's own says nothing to others.
import { isObject, type Json, type JsonObject } from "./json";

export interface Place {
  view: string;
  state: JsonObject;
}

// Text stays as it is typed unless it would be read back as something else than text.
export function valueText(value: Json): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return readValue(value) === value ? value : JSON.stringify(value);
}

export function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

const REFUSED = new Set(["__proto__", "constructor", "prototype"]);

// {"a": {"b": 1}, "c": [2]} as [["a.b", 1], ["c", [2]]]. Lists and empty objects stay whole.
export function flattened(object: JsonObject, before = ""): [string, Json][] {
  return Object.entries(object).flatMap(([key, value]): [string, Json][] =>
    isObject(value) &&
    Object.keys(value).length > 0 &&
    Object.keys(value).every((name) => !name.includes("."))
      ? flattened(value, `${before}${key}.`)
      : [[before + key, value]],
  );
}

export function nested(pairs: Iterable<[string, Json]>): JsonObject {
  const whole: JsonObject = {};
  for (const [name, value] of pairs) {
    const keys = name.split(".");
    if (keys.some((key) => key === "" || REFUSED.has(key))) continue;
    let object = whole;
    for (const key of keys.slice(0, -1)) {
      const inner = object[key];
      object = isObject(inner) ? inner : ((object[key] = {}) as JsonObject);
    }
    object[keys[keys.length - 1] as string] = value;
  }
  return whole;
}

// encodeURIComponent, but with the characters left alone that are allowed behind # and read better.
function quoted(text: string): string {
  return encodeURIComponent(text)
    .replace(/%(2C|3A|2F|5B|5D|22|40|24)/g, (code) => decodeURIComponent(code))
    .replace(/"/g, "%22");
}

export function linkTo({ view, state }: Place): string {
  const pairs = flattened(state).map(([name, value]) => `${quoted(name)}=${quoted(valueText(value))}`);
  return `#/${view}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
}

function unquoted(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function readLink(hash: string, views: readonly string[], first: string): Place {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#\/?/, ""), "?");
  const view = views.includes(path) ? path : first;
  const pairs = query
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair): [string, Json] => {
      const [name = "", text = ""] = splitOnce(pair, "=");
      return [unquoted(name), readValue(unquoted(text))];
    });
  return { view, state: view === path ? nested(pairs) : {} };
}

function splitOnce(text: string, by: string): [string, string] {
  const place = text.indexOf(by);
  return place < 0 ? [text, ""] : [text.slice(0, place), text.slice(place + 1)];
}

// `#token=T` is taken once and never shown again; null where there is none.
export function tokenIn(hash: string): string | null {
  const found = /^#token=(.+)$/.exec(hash);
  return found?.[1] === undefined ? null : unquoted(found[1]);
}
