// Where the time of a first load and of a slider's moves goes: a development tool, read by people.
// Usage: node tests/dev/profile.mjs --warploom PROGRAM [--own] [--moves 60]
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { findChromium, openBrowser, openPage, startServer } from "../page/harness.mjs";

const { values } = parseArgs({
  options: {
    warploom: { type: "string" },
    own: { type: "boolean" },
    moves: { type: "string", default: "60" },
  },
});
const SHAPE =
  "#/kernel?gpus=[%22H100-SXM%22]&asked.operator.family=gemm&asked.operator.m=8192&asked.operator.n=4096&asked.operator.k=4096";
const MOST = 30; // functions that are listed

const server = await startServer(resolve(values.warploom), { own: values.own });
const browser = await openBrowser(findChromium());

async function firstLoad() {
  const { page, go, close } = await openPage(browser, server);
  const started = Date.now();
  await go("#/kernel");
  await page.locator(".reading.big").first().waitFor();
  const whole = Date.now() - started;
  const entries = await page.evaluate(() =>
    [...performance.getEntriesByType("resource"), ...performance.getEntriesByType("paint")].map((one) => ({
      name: one.name.replace(location.origin, ""),
      from: one.startTime,
      to: one.responseEnd ?? one.startTime,
      bytes: one.encodedBodySize ?? 0,
    })),
  );
  console.log(`first answer after ${whole} ms`);
  for (const one of entries.sort((a, b) => a.from - b.from))
    console.log(
      `  ${one.from.toFixed(0).padStart(6)} .. ${one.to.toFixed(0).padStart(6)} ms ${String(one.bytes).padStart(8)} B  ${one.name}`,
    );
  await close();
}

async function moves() {
  const { page, go, close } = await openPage(browser, server);
  await go(SHAPE);
  await page.locator(".chart canvas").nth(2).waitFor();
  await page.waitForTimeout(800);
  const debug = await page.context().newCDPSession(page);
  await debug.send("Profiler.enable");
  await debug.send("Profiler.setSamplingInterval", { interval: 200 });
  await debug.send("Profiler.start");
  const frames = await page.evaluate(async (count) => {
    const slider = document.querySelector('input[type=range][aria-label="m slider"]');
    const all = [];
    for (let move = 0; move < count; move++) {
      const from = performance.now();
      slider.value = String(Number(slider.value) + (move % 2 === 0 ? 1 : -1));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const drawn = () =>
        performance
          .getEntriesByName("warploom-redraw")
          .filter((one) => one.detail === "Latency over m")
          .at(-1)?.startTime ?? 0;
      do await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      while (drawn() < from && performance.now() - from < 5000);
      all.push(performance.now() - from);
      await new Promise((done) => setTimeout(done, 60));
    }
    return all;
  }, Number(values.moves));
  const { profile } = await debug.send("Profiler.stop");
  const own = new Map();
  const step = (profile.endTime - profile.startTime) / profile.samples.length / 1000;
  const named = new Map(profile.nodes.map((node) => [node.id, node]));
  for (const id of profile.samples) {
    const { functionName, url, lineNumber } = named.get(id).callFrame;
    const name = `${functionName || "(anonymous)"} ${url.split("/").pop()}:${lineNumber + 1}`;
    own.set(name, (own.get(name) ?? 0) + step);
  }
  const sorted = [...frames].sort((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(1);
  console.log(`slider to frame: p50 ${at(0.5)}, p90 ${at(0.9)}, p95 ${at(0.95)}, most ${at(1)} ms`);
  for (const [name, ms] of [...own].sort((a, b) => b[1] - a[1]).slice(0, MOST))
    console.log(`  ${(ms / frames.length).toFixed(2).padStart(7)} ms a move  ${name}`);
  await close();
}

try {
  for (let visit = 0; visit < 3; visit++) await firstLoad();
  await moves();
} finally {
  await browser.close();
  server.stop();
}
