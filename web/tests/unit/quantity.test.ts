import { describe, expect, it } from "vitest";
import {
  interval,
  percent,
  quantity,
  rounded,
  signedPercent,
  tick,
  time,
  words,
} from "../../src/core/quantity";

const plain = (text: string) => text.replace(/\u00a0/g, " ");

describe("numbers", () => {
  it.each([
    [0, "0"],
    [1.2345, "1.23"],
    [12.345, "12.3"],
    [123.45, "123"],
    [1234.5, "1,235"],
    [0.012345, "0.0123"],
    [9.996, "10.0"],
    [999.6, "1,000"],
    [-1.5, "-1.50"],
    [1e-7, "1.00e-7"],
    [1234567, "1,234,567"],
    [NaN, "–"],
  ])("%d reads %s", (value, text) => expect(rounded(value)).toBe(text));

  it.each([
    [174.322, "174 µs"],
    [2.0465, "2.05 µs"],
    [0.5, "500 ns"],
    [1202477.77, "1.20 s"],
    [12719.9, "12.7 ms"],
    [999.8, "1.00 ms"],
    [0, "0 µs"],
  ])("%d us reads %s", (value, text) => expect(plain(time(value))).toBe(text));

  it.each([
    [12.72, "ms", "12.7 ms"],
    [0.42, "ms", "420 µs"],
    [192.03, "s", "192 s"],
    [0.0343, "s", "34.3 ms"],
    [137438953472, "FLOP", "137 GFLOP"],
    [100663296, "B", "101 MB"],
    [3.35e12, "B/s", "3.35 TB/s"],
    [0.7968, "share", "79.7 %"],
    [3.2, "$/h", "$3.20/h"],
    [31.92, "$", "$31.92"],
    [1000, "count", "1,000"],
    [3.878, "count", "3.88"],
    [1059.28, "tokens/s", "1,059 tokens/s"],
    [2, "GPUs", "2 GPUs"],
    [1.5, "factor", "1.50 ×"],
    [null, "us", "–"],
    [undefined, "us", "–"],
    [Infinity, "us", "–"],
  ] as const)("%s in %s reads %s", (value, unit, text) => expect(plain(quantity(value, unit))).toBe(text));

  it("says intervals, shares and signs", () => {
    expect(plain(interval(164.87, 184.5, "us"))).toBe("165 µs … 185 µs");
    expect(interval(null, 1, "us")).toBe("–");
    expect(plain(percent(1.5))).toBe("150 %");
    expect(plain(signedPercent(-0.051))).toBe("−5.1 %");
    expect(plain(signedPercent(0.051))).toBe("+5.1 %");
  });

  it("keeps ticks short", () => {
    expect(plain(tick(30, "us"))).toBe("30 µs");
    expect(plain(tick(1500, "us"))).toBe("1.5 ms");
    expect(plain(tick(0.3, "share"))).toBe("30 %");
  });

  it("makes headings of names", () => expect(words("kv_memory")).toBe("KV memory"));
});
