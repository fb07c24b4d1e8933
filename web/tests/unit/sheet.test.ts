import { describe, expect, it } from "vitest";
import { cellText, csv, csvField, heading, sheet, sheetOf, unitOf } from "../../src/core/sheet";

describe("CSV", () => {
  it("has a heading with units and unrounded numbers", () =>
    expect(
      csv(
        sheet(
          [["GPU"], ["p50", "us"], ["tier"]],
          [
            ["H100", 174.32221086394856, "measured"],
            ["B200", null, "cross_gpu"],
          ],
        ),
      ),
    ).toBe("GPU,p50 [us],tier\r\nH100,174.32221086394856,measured\r\nB200,,cross_gpu\r\n"));

  it.each([
    ["a,b", '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ["two\nlines", '"two\nlines"'],
    [true, "true"],
    [Infinity, ""],
    ["plain", "plain"],
  ])("writes %j as %j", (cell, text) => expect(csvField(cell)).toBe(text));

  it.each(["=1+1", "+cmd", "@x", "-cmd|' /C calc'"])("lets no spreadsheet run %s", (cell) =>
    expect(csvField(cell)).toMatch(/^"?'/),
  );
  it("leaves numbers in text alone", () => expect(csvField("-5.1 %")).toBe("-5.1 %"));
});

describe("tables", () => {
  it("say what is missing", () => {
    expect(cellText(null, { name: "x", unit: "us" })).toBe("–");
    expect(cellText(true, { name: "x" })).toBe("yes");
  });
  it("name the unit of a column once", () =>
    expect([heading({ name: "p50", unit: "us" }), heading({ name: "rows", unit: "count" })]).toEqual([
      "p50 [us]",
      "rows",
    ]));
  it("are made of alike objects", () => {
    const made = sheetOf([
      { family: "gemm", mean_error: 0.1, nested: { a: 1 } },
      { family: "moe", mean_error: 0.2, nested: {} },
    ]);
    expect(made.columns.map((column) => [column.name, column.unit])).toEqual([
      ["family", undefined],
      ["mean_error", "share"],
    ]);
    expect(made.rows).toEqual([
      ["gemm", 0.1],
      ["moe", 0.2],
    ]);
  });
  it.each([
    ["p50_us", "us"],
    ["total_ms", "ms"],
    ["duration", "s"],
    ["coverage", "share"],
    ["usd_per_hour", "$/h"],
    ["output_throughput", "tokens/s"],
    ["rows", "plain"],
  ])("know the unit of %s", (key, unit) => expect(unitOf(key)).toBe(unit));
});
