// Pictures of every view for the documents, from a `warploom web` of its own.
// Usage: node tests/page/screenshots.mjs --warploom PROGRAM [--to FOLDER] [--chromium PATH] [--own]
import { mkdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { VIEWS } from "./every_view.mjs";
import { api, findChromium, openBrowser, openPage, startServer } from "./harness.mjs";
import { reportFile } from "./report.mjs";

const { values } = parseArgs({
  options: {
    warploom: { type: "string" },
    to: { type: "string" },
    chromium: { type: "string" },
    own: { type: "boolean" },
  },
});
const web = join(dirname(fileURLToPath(import.meta.url)), "../..");
const root = resolve(web, "..");
const to = resolve(values.to ?? join(root, "docs/images/web"));
const MOST_BYTES = 200_000;

const server = await startServer(resolve(values.warploom), { own: values.own });
const browser = await openBrowser(findChromium(values.chromium));
await mkdir(to, { recursive: true });

// The upper part of the page where the whole would be too large a file.
async function taken(page, name) {
  const path = join(to, `${name}.png`);
  const { width, height } = page.viewportSize();
  for (let part = 1; ; part -= 0.05) {
    await page.screenshot({ path, clip: { x: 0, y: 0, width, height: Math.round(height * part) } });
    const { size } = await stat(path);
    if (size > MOST_BYTES) continue;
    console.log(`${path} ${size} bytes, ${Math.round(part * 100)} % of the page`);
    return;
  }
}

// Tall enough for the charts: the inputs scroll by themselves.
const SHOTS = {
  kernel: { hash: VIEWS.kernel[0].replace(",%22H200%22,%22B200%22", ""), height: 1060 },
  kernel_what_if: {
    hash: `${VIEWS.kernel[0]}&what_if.memory_bandwidth_gb_per_s=1.5`
      .replace(",%22H200%22,%22B200%22", "")
      .replace("operator.m=1024", "operator.m=16"),
    what: VIEWS.kernel[1],
    height: 1000,
    scheme: "dark",
  },
  step: { hash: VIEWS.step[0], height: 1000 },
  serve: {
    hash: "#/serve?ran=true&asked.source.workload=conversation&asked.source.requests=300",
    height: 1500,
  },
  plan: { hash: VIEWS.plan[0], height: 1240 },
  accuracy: { hash: VIEWS.accuracy[0], height: 1100 },
};

async function view(name, { hash, what, height, scheme = "light" }) {
  const { page, go, close } = await openPage(browser, server, { scheme });
  await page.setViewportSize({ width: 1280, height });
  await go(hash);
  const shown = what ?? VIEWS[name]?.[1];
  if (shown) await page.locator("h3", { hasText: shown }).waitFor({ timeout: 60_000 });
  else await page.locator(".reading.big").first().waitFor();
  await page.waitForTimeout(700);
  await taken(page, name);
  await close();
}

async function tune() {
  const { page, go, close } = await openPage(browser, server);
  await page.setViewportSize({ width: 1280, height: 1100 });
  await go("#/tune");
  const file = (name) => join(root, "tests/fixtures/tuner", name);
  await page.locator('[data-field="samples"] input[type=file]').setInputFiles(file("gemm_anchors.csv.gz"));
  await page.getByRole("button", { name: "Fit a table" }).click();
  await page.locator("h3", { hasText: "Chosen configuration as m grows" }).waitFor({ timeout: 60_000 });
  await page.waitForTimeout(700);
  await taken(page, "tune");
  await close();
}

async function narrow() {
  const { page, go, close } = await openPage(browser, server, { size: "narrow", scheme: "dark" });
  await go(VIEWS.step[0]);
  await page.locator("h3", { hasText: "Where the step's time goes" }).waitFor();
  await page.waitForTimeout(700);
  await taken(page, "step_narrow");
  await close();
}

async function report() {
  const asked = {
    gpu: "H100-SXM",
    workload: {
      setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" },
      batch: 16,
      input_tokens: 1024,
      output_tokens: 128,
    },
  };
  const answer = await api(server, "/answers/diagnose", asked);
  const command = "warploom diagnose --model Llama-3.1-8B --gpu H100-SXM --batch 16 --input 1024 --output 128 --html report.html";
  const { page, close } = await openPage(browser, server);
  await page.setViewportSize({ width: 1000, height: 1000 });
  await page.goto(await reportFile(join(web, "dist"), { request: "diagnose", asked, answer, command }));
  await page.waitForTimeout(500);
  await taken(page, "report");
  await close();
}

try {
  for (const [name, shot] of Object.entries(SHOTS)) await view(name, shot);
  await tune();
  await narrow();
  await report();
} finally {
  await browser.close();
  server.stop();
}
