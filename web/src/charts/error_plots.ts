// Judgements of predictors by group: errors of kernels, ceilings that were kept.
import { isObject, numberAt, type JsonObject } from "../core/json";
import { quantity } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { barsOption } from "./bars";
import { faded, seriesColor } from "./palette";
import type { Plot } from "./plot";

function groupsOf(document: JsonObject, by: string): [string, JsonObject][] {
  const groups = document[by];
  return isObject(groups)
    ? Object.entries(groups).filter((one): one is [string, JsonObject] => isObject(one[1]))
    : [];
}

// `validate kernels`: errors by family, against the plain roofline.
export function errorsPlot(document: JsonObject): Plot | null {
  const families = groupsOf(document, "families");
  if (families.length === 0) return null;
  const columns: [string, string][] = [
    ["mean_error", "mean error"],
    ["median_error", "median error"],
    ["roofline_mean_error", "roofline, mean error"],
  ];
  return {
    title: "Error by family",
    says: families
      .map(([name, one]) => `${name} ${quantity(numberAt(one, "mean_error"), "share")}`)
      .join(", "),
    height: 60 + 46 * families.length,
    sheet: errorsSheet(document, "families"),
    legend: (colors) =>
      columns.map(([, name], index) => ({
        name,
        color: index === 2 ? colors.quiet : seriesColor(colors, index),
        mark: "tile" as const,
      })),
    option: (colors) =>
      barsOption(colors, {
        names: families.map(([name]) => name),
        axis: { name: "error", unit: "share" },
        groups: columns.map(([key, name], index) => ({
          name,
          values: families.map(([, one]) => numberAt(one, key) ?? 0),
          color: index === 2 ? faded(colors.quiet, 0.6) : seriesColor(colors, index),
        })),
        tip: (index) => {
          const one = families[index]![1];
          return [
            ["rows", quantity(numberAt(one, "rows"), "count")],
            ...columns.map(([key, what]): [string, string] => [what, quantity(numberAt(one, key), "share")]),
            ["coverage", quantity(numberAt(one, "coverage"), "share")],
          ];
        },
      }),
  };
}

export function errorsSheet(document: JsonObject, by: string): Sheet {
  return sheet(
    [
      [groupName(by)],
      ["rows", "count"],
      ["mean error", "share"],
      ["median error", "share"],
      ["p90 error", "share"],
      ["bias", "share"],
      ["coverage", "share"],
      ["roofline, mean error", "share"],
    ],
    groupsOf(document, by).map(([name, one]) => [
      name,
      numberAt(one, "rows"),
      ...["mean_error", "median_error", "p90_error", "bias", "coverage", "roofline_mean_error"].map((key) =>
        numberAt(one, key),
      ),
    ]),
  );
}

const groupName = (by: string) => (by === "gpus" ? "GPU" : by.replace(/ies$/, "y").replace(/s$/, ""));

// `validate ceilings`: at quantile q, a share 1 - q of the rows lies above a ceiling that is right.
export function ceilingsPlot(document: JsonObject, by: "families" | "gpus"): Plot | null {
  const groups = groupsOf(document, by);
  const above = (one: JsonObject) => numberAt(one, "above_share");
  if (groups.length === 0) return null;
  const wanted = 1 - (numberAt(document, "quantile") ?? 1);
  return {
    title: `Rows above the ceiling, by ${groupName(by)}`,
    says: groups.map(([name, one]) => `${name} ${quantity(above(one), "share")}`).join(", "),
    height: 60 + 24 * Math.max(2, groups.length),
    sheet: ceilingsSheet(document, by),
    legend: (colors) => [
      { name: "rows above the ceiling", color: colors.accent, mark: "tile" },
      { name: `right: ${quantity(wanted, "share")}`, color: colors.ink, mark: "line" },
    ],
    option: (colors) =>
      barsOption(colors, {
        names: groups.map(([name]) => name),
        axis: { name: "rows above the ceiling", unit: "share" },
        groups: [{ values: groups.map(([, one]) => above(one)), color: faded(colors.accent, 0.8) }],
        said: (index) => quantity(above(groups[index]![1]), "share"),
        at: wanted,
        tip: (index) => {
          const one = groups[index]![1];
          return [
            ["rows", quantity(numberAt(one, "rows"), "count")],
            ["above", quantity(above(one), "share")],
            ["flagged", quantity(numberAt(one, "flagged"), "count")],
          ];
        },
      }),
  };
}

export function ceilingsSheet(document: JsonObject, by: "families" | "gpus"): Sheet {
  return sheet(
    [
      [groupName(by)],
      ["rows", "count"],
      ["above", "share"],
      { name: "flagged", unit: "count", hint: "rows far below their ceiling" },
    ],
    groupsOf(document, by).map(([name, one]) => [
      name,
      ...["rows", "above_share", "flagged"].map((key) => numberAt(one, key)),
    ]),
  );
}

// `validate ceilings`: GPUs whose kernels a tuner sped up, beside the rows that the ceilings flag.
export function tunedSheet(comparison: JsonObject): Sheet {
  return sheet(
    [
      ["GPU"],
      ["flagged", "count"],
      ["tuned rows", "count"],
      ["flagged of these", "count"],
      ["mean speed-up", "factor"],
      ["geometric mean", "factor"],
    ],
    groupsOf(comparison, "gpus").map(([name, one]) => [
      name,
      ...["flagged", "tuned_rows", "flagged_of_tuned", "mean_speedup", "geomean_speedup"].map((key) =>
        numberAt(one, key),
      ),
    ]),
  );
}
