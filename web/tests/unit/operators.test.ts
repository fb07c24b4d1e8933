import { expect, test } from "vitest";
import { startOf } from "../../src/core/operators";

test("a family starts at the example of its form, with its name", () => {
  const form = { properties: {}, examples: [{ rows: 4096, requests: [{ count: 4 }] }] };
  expect(startOf("quantize", form)).toEqual({ family: "quantize", rows: 4096, requests: [{ count: 4 }] });
});

test("a family without a form or an example starts at the defaults", () => {
  expect(startOf("gemm", undefined)).toEqual({ family: "gemm" });
  expect(startOf("gemm", { properties: {} })).toEqual({ family: "gemm" });
});
