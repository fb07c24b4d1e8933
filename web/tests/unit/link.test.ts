import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json";
import { flattened, linkTo, nested, readLink, readValue, tokenIn, valueText } from "../../src/core/link";

const VIEWS = ["kernel", "step"];
const back = (state: JsonObject) => readLink(linkTo({ view: "step", state }), VIEWS, "kernel");

describe("links", () => {
  it.each<JsonObject>([
    {},
    { asked: { operator: { family: "gemm", m: 4096 }, gpu: "H100-SXM" }, log: true, x: null },
    {
      gpus: ["H100-SXM", "a b&c=d#e?f%g"],
      text: "4096",
      other: "true",
      empty: "",
      quoted: '"x"',
      deep: { list: [{ a: 1.5 }], none: {} },
    },
    { slo: ["ttft_p95_ms=800", "tpot_p95_ms=40"], ünicode: "µs — 你好", minus: -0.25, tiny: 1e-9 },
    { odd: { "with.dot": 1, plain: 2 } },
  ])("restore the state %j", (state) => expect(back(state)).toEqual({ view: "step", state }));

  it("are short where they can be", () =>
    expect(
      linkTo({ view: "kernel", state: { gpus: ["H200"], asked: { operator: { m: 64, scheme: "fp8" } } } }),
    ).toBe("#/kernel?gpus=[%22H200%22]&asked.operator.m=64&asked.operator.scheme=fp8"));

  it("to an unknown view open the first one, with nothing taken over", () =>
    expect(readLink("#/nonsense?asked.m=1", VIEWS, "kernel")).toEqual({ view: "kernel", state: {} }));

  it("that are damaged still open", () => {
    expect(readLink("#/step?%E0%A4%A=1&=2&&a", VIEWS, "kernel").view).toBe("step");
    expect(readLink("", VIEWS, "kernel")).toEqual({ view: "kernel", state: {} });
  });

  it("cannot reach prototypes", () => {
    readLink(
      "#/step?__proto__.polluted=1&constructor.prototype.polluted=1&a.__proto__.polluted=1",
      VIEWS,
      "kernel",
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("tell text from other values", () => {
    expect(valueText("4096")).toBe('"4096"');
    expect(valueText("64x2000")).toBe("64x2000");
    expect(readValue("64x2000")).toBe("64x2000");
    expect(readValue("[1,2]")).toEqual([1, 2]);
  });

  it("flatten objects and nest them again", () => {
    const state = { a: { b: { c: 1 } }, d: [1] };
    expect(flattened(state)).toEqual([
      ["a.b.c", 1],
      ["d", [1]],
    ]);
    expect(nested(flattened(state))).toEqual(state);
  });

  it("carry a token only in a place of its own", () => {
    expect(tokenIn("#token=a%20b")).toBe("a b");
    expect(tokenIn("#/kernel?token=x")).toBeNull();
  });
});
