// A GPU that does not exist: a record with some of its figures multiplied.
import { numberAt, textAt, type JsonObject } from "./json";
import { words } from "./quantity";

export const LEVERS = [
  "memory_bandwidth_gb_per_s",
  "sm_count",
  "boost_clock_mhz",
  "l2_bandwidth_gb_per_s",
  "l2_capacity_mib",
  "link_bandwidth_gb_per_s",
] as const;
// A record's clocks keep their order when one moves.
const WITH_THE_CLOCK = ["base_clock_mhz", "max_clock_mhz"];
const WHOLE = new Set(["sm_count"]);

export type Factors = Record<string, number>;

export function leverWords(key: string): { name: string; unit: string } {
  const [, name = key, unit = ""] = /^(.*?)(?:_(gb_per_s|mhz|mib))?$/.exec(key) ?? [];
  return { name: words(name), unit: { gb_per_s: "GB/s", mhz: "MHz", mib: "MiB" }[unit] ?? "" };
}

function times(record: JsonObject, key: string, factor: number): number | null {
  const value = numberAt(record, key);
  if (value === null) return null;
  return WHOLE.has(key) ? Math.max(1, Math.round(value * factor)) : Number((value * factor).toPrecision(6));
}

// Its name is its own: the records that ship keep theirs.
export function whatIf(record: JsonObject, factors: Factors): JsonObject {
  const changed: JsonObject = {
    ...record,
    name: `${textAt(record, "name")}_what_if`,
    aliases: [],
    title: `${textAt(record, "title")}, what if`,
    source: `${textAt(record, "name")} with changes made on the page`,
  };
  for (const [key, factor] of Object.entries(factors)) {
    for (const one of key === "boost_clock_mhz" ? [key, ...WITH_THE_CLOCK] : [key]) {
      const value = times(record, one, factor);
      if (value !== null) changed[one] = value;
    }
  }
  return changed;
}

export function moved(factors: Factors): Factors {
  return Object.fromEntries(
    Object.entries(factors).filter(
      ([key, factor]) =>
        (LEVERS as readonly string[]).includes(key) &&
        typeof factor === "number" &&
        factor > 0 &&
        factor !== 1,
    ),
  );
}
