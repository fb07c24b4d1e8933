// A table of figures: what a chart shows, for readers, screen readers and spreadsheets.
import type { Json } from "./json";
import { quantity, type Unit } from "./quantity";

export type Cell = string | number | boolean | null;

export interface Column {
  name: string;
  unit?: Unit; // absent: text
  hint?: string;
}

export interface Sheet {
  columns: Column[];
  rows: Cell[][];
}

export function sheet(columns: (Column | [string, Unit?])[], rows: Cell[][]): Sheet {
  return { columns: columns.map((one) => (Array.isArray(one) ? { name: one[0], unit: one[1] } : one)), rows };
}

export function cellText(cell: Cell | undefined, column: Column | undefined): string {
  if (cell === null || cell === undefined || cell === "") return "–";
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  if (typeof cell === "number") return quantity(cell, column?.unit ?? "plain");
  return cell;
}

// Units whose values are stored as they are; the header says so.
export function heading(column: Column): string {
  return column.unit === undefined || column.unit === "plain" || column.unit === "count"
    ? column.name
    : `${column.name} [${column.unit}]`;
}

// RFC 4180; numbers unrounded. A text that a spreadsheet would take for a formula gets an apostrophe.
export function csvField(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : "";
  const text = typeof cell === "boolean" ? (cell ? "true" : "false") : cell;
  const safe = /^[=+@\t\r]|^-(?![\d.])/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csv({ columns, rows }: Sheet): string {
  return [columns.map(heading), ...rows].map((row) => row.map(csvField).join(",")).join("\r\n") + "\r\n";
}

// Objects with alike keys as a table; what is nested is left out.
export function sheetOf(objects: { [key: string]: Json }[]): Sheet {
  const names = [...new Set(objects.flatMap((one) => Object.keys(one)))].filter((name) =>
    objects.some((one) => typeof one[name] !== "object" || one[name] === null),
  );
  const rows = objects.map((one) =>
    names.map((name): Cell => {
      const value = one[name];
      return value === undefined || typeof value === "object" ? null : value;
    }),
  );
  const unit = (name: string) =>
    unitOf(
      name,
      rows.some((row) => typeof row[names.indexOf(name)] === "number"),
    );
  return { columns: names.map((name) => ({ name: withoutUnit(name, unit(name)), unit: unit(name) })), rows };
}

function withoutUnit(name: string, unit: Unit | undefined): string {
  return unit === undefined ? name : name.replace(new RegExp(`_${unit}$`), "");
}

// The documents' keys end with their unit.
export function unitOf(key: string, number = true): Unit | undefined {
  if (!number) return undefined;
  if (/_us$/.test(key)) return "us";
  if (/_ms$/.test(key)) return "ms";
  if (/(^|_)(time|duration|host)_s$|^duration$/.test(key)) return "s";
  if (/(share|error|bias|coverage|regret|efficiency)$/.test(key)) return "share";
  if (/usd_per_hour$/.test(key)) return "$/h";
  if (/^usd/.test(key)) return "$";
  if (/tokens_per_s|output_throughput|token_throughput/.test(key)) return "tokens/s";
  if (/request_throughput|request_rate/.test(key)) return "requests/s";
  if (/_j$/.test(key)) return "J";
  return "plain";
}
