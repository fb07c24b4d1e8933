// Numbers as text: three significant digits as the command line prints them, always with a unit.

const GAP = "\u00a0"; // a number and its unit stay on one line
const NONE = "–";

export type Unit =
  | "us"
  | "ms"
  | "s"
  | "B"
  | "GB/s"
  | "FLOP"
  | "FLOP/s"
  | "B/s"
  | "share"
  | "factor"
  | "tokens"
  | "tokens/s"
  | "requests"
  | "requests/s"
  | "$"
  | "$/h"
  | "GPUs"
  | "J"
  | "count"
  | "plain"
  | "MHz"
  | "GiB"
  | "W"
  | "FLOP/B";

function grouped(digits: string): string {
  const [whole = "", part] = digits.split(".");
  const parted = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return part === undefined ? parted : `${parted}.${part}`;
}

// 1234.5 -> "1,230" is not said: whole numbers keep their digits, others have at least `digits` significant.
export function rounded(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return NONE;
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  if (magnitude < -4 || magnitude > 14) return value.toExponential(digits - 1);
  const places = Math.max(0, digits - 1 - magnitude);
  const text = value.toFixed(places);
  // 9.996 with two places is "10.00": one digit too many.
  const again = Math.floor(Math.log10(Math.abs(Number(text)) || 1));
  return grouped(again > magnitude && places > 0 ? value.toFixed(places - 1) : text);
}

const TIMES: [number, string][] = [
  [1e6, "s"],
  [1e3, "ms"],
  [1, "µs"],
  [1e-3, "ns"],
];
const DECIMAL: [number, string][] = [
  [1e15, "P"],
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
];

function scaled(value: number, steps: [number, string][], unit: string, digits: number): string {
  const size = Math.abs(value);
  // 999.6 us would be printed as 1000: it is 1.00 ms
  const step =
    steps.find(([factor]) => size >= factor * 0.9995) ?? (steps[steps.length - 1] as [number, string]);
  return `${rounded(value / step[0], digits)}${GAP}${step[1]}${unit}`;
}

export function time(us: number, digits = 3): string {
  if (us === 0) return `0${GAP}µs`;
  return scaled(us, TIMES, "", digits);
}

export function percent(share: number, digits = 3): string {
  const value = share * 100;
  const places = Math.abs(value) >= 100 ? 0 : digits - 2;
  return `${grouped(value.toFixed(places))}${GAP}%`;
}

export function signedPercent(share: number): string {
  return `${share > 0 ? "+" : share < 0 ? "−" : ""}${percent(Math.abs(share))}`;
}

const PREFIXED: Partial<Record<Unit, string>> = { B: "B", "B/s": "B/s", FLOP: "FLOP", "FLOP/s": "FLOP/s" };

export function quantity(value: number | null | undefined, unit: Unit, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  if (unit === "us") return time(value, digits);
  if (unit === "ms") return time(value * 1e3, digits);
  if (unit === "s")
    return value === 0 || Math.abs(value) >= 1
      ? `${rounded(value, digits)}${GAP}s`
      : time(value * 1e6, digits);
  if (unit === "share") return percent(value, digits);
  if (unit === "factor") return `${rounded(value, digits)}${GAP}×`;
  if (unit === "$" || unit === "$/h")
    return `$${value >= 100 ? rounded(value, 3) : value.toFixed(2)}${unit.slice(1)}`;
  if (unit === "count" || unit === "plain")
    return Number.isInteger(value) ? grouped(String(value)) : rounded(value, digits);
  if (unit === "GPUs" && value === 1) return `1${GAP}GPU`;
  const prefixed = PREFIXED[unit];
  if (prefixed !== undefined) return scaled(value, DECIMAL, prefixed, digits);
  return `${Number.isInteger(value) ? grouped(String(value)) : rounded(value, digits)}${GAP}${unit}`;
}

export function interval(low: number | null, high: number | null, unit: Unit): string {
  if (low === null || high === null) return NONE;
  return `${quantity(low, unit)} … ${quantity(high, unit)}`;
}

// For axes: the shortest text that tells the ticks apart.
export function tick(value: number, unit: Unit): string {
  if (value === 0) return "0";
  return quantity(value, unit, 3)
    .replace(/(\.\d*?)0+(?=\D|$)/, "$1")
    .replace(/\.(?=\D|$)/, "");
}

const WORDS: Record<string, string> = { kv: "KV", us: "µs", gpu: "GPU", gpus: "GPUs", l2: "L2", sm: "SM" };

// kv_memory -> "KV memory", for headings made from names of groups.
export function words(name: string): string {
  const text = name
    .split("_")
    .map((word) => WORDS[word] ?? word)
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
