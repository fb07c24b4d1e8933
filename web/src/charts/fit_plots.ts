// How well each configuration of a table was fitted.
import { numberAt, objectsAt, textAt, type JsonObject } from "../core/json";
import { quantity } from "../core/quantity";
import { sheet, type Sheet } from "../core/sheet";
import { barsOption } from "./bars";
import { faded } from "./palette";
import type { Plot } from "./plot";

const MOST = 24; // bars; the table has all

export function fittedSheet(document: JsonObject): Sheet {
  return sheet(
    [
      ["configuration"],
      { name: "residual", unit: "share", hint: "root mean square of ln(formula / measured)" },
      ["wave buckets", "count"],
      { name: "R²", unit: "plain", hint: "median over the wave buckets" },
      ["anchors", "count"],
    ],
    objectsAt(document, "fitted").map((one) => [
      textAt(one, "config"),
      ...["residual", "buckets", "median_r_squared", "anchors"].map((key) => numberAt(one, key)),
    ]),
  );
}

// The worst fitted first. The published wave model has no residual: what its buckets leave unexplained.
export function fitPlot(document: JsonObject): Plot | null {
  const all = objectsAt(document, "fitted").flatMap((one) => {
    const [residual, squared] = [numberAt(one, "residual"), numberAt(one, "median_r_squared")];
    const value = residual ?? (squared === null ? null : 1 - squared);
    return value === null ? [] : [{ name: textAt(one, "config"), value, squared }];
  });
  if (all.length === 0) return null;
  const worst = [...all].sort((a, b) => b.value - a.value).slice(0, MOST);
  const residuals = objectsAt(document, "fitted").some((one) => numberAt(one, "residual") !== null);
  const name = residuals ? "residual" : "1 − R²";
  const unit = residuals ? "share" : "plain";
  const least = Math.min(...all.map((one) => one.value));
  return {
    title: residuals ? "Residual of each configuration" : "What the waves leave unexplained",
    says:
      `${all.length} configurations, ${name} ` +
      `from ${quantity(least, unit)} to ${quantity(worst[0]?.value, unit)}.`,
    height: 60 + 20 * Math.max(3, worst.length),
    note:
      all.length > worst.length
        ? `The ${worst.length} worst of ${all.length}; the table has all.`
        : undefined,
    sheet: fittedSheet(document),
    legend: (colors) => [{ name, color: colors.accent, mark: "tile" }],
    option: (colors) =>
      barsOption(colors, {
        names: worst.map((one) => one.name),
        axis: { name, unit },
        groups: [{ values: worst.map((one) => one.value), color: faded(colors.accent, 0.8) }],
        said: (index) => quantity(worst[index]?.value, unit),
        tip: (index) => [
          [name, quantity(worst[index]?.value, unit)],
          ["R²", quantity(worst[index]?.squared, "plain")],
        ],
      }),
  };
}
