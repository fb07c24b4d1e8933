// What a diagnosis found: kernels against their ceilings, and what tuning them would save.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity, time } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { barsOption } from "./bars";
import { faded } from "./palette";
import type { Plot } from "./plot";

export function diagnoseSheet(document: JsonObject): Sheet {
  return sheet(
    [
      ["kernel"],
      ["family"],
      ["main cause"],
      { name: "costs", unit: "share", hint: "of the kernel's time" },
      ["kernels", "count"],
      ["calls", "count"],
      ["time", "us"],
      { name: "would save", unit: "us", hint: "at its ceiling" },
      { name: "efficiency", unit: "share", hint: "physical bound / time" },
      ["ceiling", "share"],
    ],
    objectsAt(document, "groups").map((one) => [
      textAt(one, "label"),
      textAt(one, "family"),
      textAt(one, "cause") || null,
      numberAt(one, "cause_share"),
      numberAt(one, "kernels"),
      numberAt(one, "calls"),
      numberAt(one, "time_us"),
      numberAt(one, "saved_us"),
      numberAt(one, "efficiency"),
      numberAt(one, "ceiling_efficiency"),
    ]),
  );
}

export function savingsPlot(document: JsonObject): Plot {
  const all = objectsAt(document, "groups")
    .map((one) => ({
      name: textAt(one, "label"),
      us: numberAt(one, "time_us") ?? 0,
      saved: numberAt(one, "saved_us") ?? 0,
      cause: textAt(one, "cause"),
      efficiency: numberAt(one, "efficiency"),
      ceiling: numberAt(one, "ceiling_efficiency"),
    }))
    .sort((a, b) => b.saved - a.saved)
    .slice(0, 20);
  return {
    title: "What tuning would save",
    says: all
      .slice(0, 3)
      .map((one) => `${one.name} ${time(one.saved)}`)
      .join(", "),
    height: 60 + 24 * Math.max(2, all.length),
    sheet: diagnoseSheet(document),
    legend: (colors) => [{ name: "would save at its ceiling", color: colors.accent, mark: "tile" }],
    option: (colors) =>
      barsOption(colors, {
        names: all.map((one) => one.name),
        axis: { name: "would save", unit: "us" },
        groups: [{ values: all.map((one) => one.saved), color: faded(colors.accent, 0.8) }],
        said: (index) => time(all[index]?.saved ?? 0),
        tip: (index) => {
          const one = all[index]!;
          return [
            ["time", time(one.us)],
            ["would save", time(one.saved)],
            ["main cause", one.cause || "–"],
            ["efficiency", quantity(one.efficiency, "share")],
            ["ceiling", quantity(one.ceiling, "share")],
          ];
        },
      }),
  };
}

export function changesSheet(document: JsonObject): Sheet {
  return sheet(
    [["figure"], ["now", "ms"], ["would save", "ms"], ["at least", "ms"], ["at most", "ms"]],
    objectsAt(document, "changes").map((one) => [
      textAt(one, "figure"),
      numberAt(one, "now_ms"),
      numberAt(one, "saved_ms"),
      numberAt(one, "least_saved_ms"),
      numberAt(one, "most_saved_ms"),
    ]),
  );
}
