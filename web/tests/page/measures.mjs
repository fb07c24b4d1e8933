// What the page costs: bytes of the first load, time to it, time of a redraw while a slider moves.
import { gzipSync } from "node:zlib";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { assert, openPage } from "./harness.mjs";

const MOST_BYTES = 400 * 1024; // gzip, of what a first visit loads
const MOST_LOAD = 1000; // ms until the first answer stands there
const MOST_REDRAW = 50; // ms, p95, of a chart with 200 points
const MOVES = 60;
const MOST_RUN = 200; // ms from Run to the first figure in Serve, median
const RUNS = 9;

async function firstLoad(dist) {
  const files = ["index.html", ...(await readdir(join(dist, "assets"))).map((name) => `assets/${name}`)];
  let bytes = 0;
  for (const file of files) bytes += gzipSync(await readFile(join(dist, file)), { level: 9 }).length;
  return bytes;
}

const quantile = (values, share) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

async function loadTimes(browser, server) {
  const times = [];
  for (let visit = 0; visit < 5; visit++) {
    const { page, go, close } = await openPage(browser, server);
    const started = Date.now();
    await go("#/kernel");
    await page.locator(".reading.big").first().waitFor();
    times.push(Date.now() - started);
    await close();
  }
  return times;
}

// For every move of a slider: from the input event until the frame that shows the chart of 200 points as it
// then is, and the drawing alone.
async function redraws(page, chart) {
  return page.evaluate(
    async ([moves, title]) => {
      const slider = document.querySelector('input[type=range][aria-label="m slider"]');
      const drawnAt = () =>
        performance
          .getEntriesByName("warploom-redraw")
          .filter((entry) => entry.detail === title)
          .at(-1)?.startTime ?? 0;
      const nextFrame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const frames = [];
      performance.clearMeasures("warploom-redraw");
      for (let move = 0; move < moves; move++) {
        const started = performance.now();
        slider.value = String(Number(slider.value) + (move % 2 === 0 ? 1 : -1));
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        do await nextFrame();
        while (drawnAt() < started && performance.now() - started < 5000);
        frames.push(performance.now() - started);
        await new Promise((done) => setTimeout(done, 60));
      }
      return {
        frames,
        drawn: performance.getEntriesByName("warploom-redraw").map((entry) => entry.duration),
      };
    },
    [MOVES, chart],
  );
}

const RUN =
  "asked.setup.model=Llama-3.1-8B&asked.setup.gpu=H100-SXM&asked.source.workload=conversation&asked.source.requests=1000";

// From the click until the frame that shows the figures of this run: while a run goes on, Run is disabled.
async function runToFigure(page) {
  await page.getByRole("button", { name: "Run", exact: true }).waitFor();
  return page.evaluate(async () => {
    const button = [...document.querySelectorAll("button")].find((one) => one.textContent === "Run");
    const nextFrame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const started = performance.now();
    button.click();
    await nextFrame();
    while (button.disabled || document.querySelector(".results .reading") === null) await nextFrame();
    return performance.now() - started;
  });
}

export const tests = {
  async "Measured: first load, time to the first answer, redraw of 200 points"({
    browser,
    server,
    dist,
    strict,
  }) {
    const bytes = await firstLoad(dist);
    const loads = await loadTimes(browser, server);
    const { page, go, close } = await openPage(browser, server);
    await go(
      "#/kernel?gpus=[%22H100-SXM%22]&asked.operator.family=gemm&asked.operator.m=8192&asked.operator.n=4096&asked.operator.k=4096",
    );
    await page.locator("h3", { hasText: "Latency over m" }).waitFor();
    await page.locator(".chart canvas").nth(2).waitFor();
    await page.locator("h3", { hasText: "Latency over m" }).scrollIntoViewIfNeeded();
    await page.waitForTimeout(500);
    const { frames, drawn } = await redraws(page, "Latency over m");
    await close();
    const ms = (value) => `${value.toFixed(1)} ms`;
    console.log(`    first load ${(bytes / 1024).toFixed(0)} KiB gzip (index.html, script, styles)`);
    console.log(
      `    first answer after ${loads.map((one) => `${one} ms`).join(", ")} (median ${ms(quantile(loads, 0.5))})`,
    );
    console.log(
      `    slider to frame, p50 ${ms(quantile(frames, 0.5))}, p95 ${ms(quantile(frames, 0.95))}; drawing alone, each of ${drawn.length}: p50 ${ms(quantile(drawn, 0.5))}, p95 ${ms(quantile(drawn, 0.95))}`,
    );
    assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);
    assert.ok(drawn.length >= MOVES, `${drawn.length} redraws`);
    // Times are judged where the machine has nothing else to do (--strict); elsewhere five times as much is allowed.
    const slack = strict ? 1 : 5;
    assert.ok(quantile(loads, 0.5) <= MOST_LOAD * slack, `loads ${loads}`);
    assert.ok(
      quantile(frames, 0.95) <= MOST_REDRAW * slack,
      `slider to frame p95 ${quantile(frames, 0.95)} ms`,
    );
  },

  async "Measured: from Run to the first figure in Serve"({ browser, server, strict }) {
    const { page, go, close } = await openPage(browser, server);
    await go(`#/serve?${RUN}`);
    const times = [];
    for (let visit = 0; visit < RUNS; visit++) times.push(await runToFigure(page));
    await close();
    const shown = times.map((one) => one.toFixed(0)).join(", ");
    console.log(`    Run to the first figure ${shown} ms (median ${quantile(times, 0.5).toFixed(0)} ms)`);
    assert.ok(times.length === RUNS && times.every((one) => one > 0), shown);
    // The run takes most of it, and takes as long as the machine's other work lets it: judged with --strict alone.
    if (strict) assert.ok(quantile(times, 0.5) <= MOST_RUN, `Run to figure ${shown} ms`);
  },
};
