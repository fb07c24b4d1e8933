// What holds for every view, wide and narrow, light and dark.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { assert, openPage } from "./harness.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const SMALL_RUN =
  "asked.source.random.random_input_len=300&asked.source.random.random_output_len=40&asked.source.requests=120&asked.source.request_rate=20";

// Each view in a state that shows what it has, and what says that it is there.
export const VIEWS = {
  kernel: [
    "#/kernel?gpus=[%22H100-SXM%22,%22H200%22,%22B200%22]&asked.operator.family=gemm&asked.operator.m=1024&asked.operator.n=4096&asked.operator.k=4096",
    "Latency over m",
  ],
  step: [
    "#/step?asked.setup.model=Llama-3.1-70B&asked.setup.gpu=H200&asked.setup.config.tensor_parallel_size=4&asked.decode=64x2000&asked.prefill=1x512",
    "Step time over decode batch",
  ],
  serve: [`#/serve?ran=true&${SMALL_RUN}`, "Requests one by one"],
  curve: [
    "#/curve?ran=true&asked.run.source.requests=40&asked.max_concurrencies=[1,4]",
    "Throughput against time per output token",
  ],
  plan: ["#/plan?ran=true&asked.source.requests=200&asked.space.tensor_parallel_sizes=[1,2]", "Deployments"],
  accuracy: ["#/accuracy", null],
  tune: ["#/tune", null],
};

async function ready(page, what) {
  if (what === null) await page.locator(".inputs").waitFor();
  else await page.locator("h3", { hasText: what }).waitFor({ timeout: 60_000 });
  if (what !== null) await page.locator(".chart canvas").first().waitFor();
  await page.waitForTimeout(300); // charts are drawn when the page has its width
}

// axe-core comes in by the debugger: the page's policy lets no other script in, and that is right.
async function complaints(page) {
  await page.evaluate(await readFile(AXE, "utf8"));
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations
    .filter((one) => ["serious", "critical"].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 140)).join(" | ")}`);
}

async function isSound(page) {
  assert.deepEqual(await complaints(page), []);
  const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= screen, `${content} px of content on ${screen} px`);
  for (const chart of await page.locator(".chart").all()) {
    const said = await chart.getAttribute("aria-label");
    assert.ok(said !== null && said.length > 10, "a chart says what it shows");
    assert.ok((await chart.locator("canvas").count()) > 0, "a chart is drawn");
  }
}

// Loaded in one scheme, then changed to the other as a system does in the evening: the second needs no load.
const LOOKS = { narrow: ["light", "dark"], tablet: ["dark", "light"], desk: ["light", "dark"] };
export const tests = Object.fromEntries(
  Object.entries(VIEWS).flatMap(([view, [hash, what]]) =>
    Object.entries(LOOKS).map(([size, [first, then]]) => [
      `${view}, ${size}, ${first} then ${then}: loads, is accessible, fits the screen`,
      async ({ browser, server }) => {
        const { page, go, close } = await openPage(browser, server, { size, scheme: first });
        await go(hash);
        await ready(page, what);
        const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const before = await paper();
        await isSound(page);
        await page.emulateMedia({ colorScheme: then });
        await ready(page, what);
        assert.notEqual(await paper(), before);
        await isSound(page);
        await close();
      },
    ]),
  ),
);

tests["The views are reached by keyboard, and the skip link leads past them"] = async ({
  browser,
  server,
}) => {
  const { page, go, close } = await openPage(browser, server);
  await go("#/kernel");
  await page.locator(".reading.big").first().waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the results");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "MAIN");
  await page.keyboard.press("Shift+Tab");
  await page.locator("nav a", { hasText: "Step" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("h1", { hasText: "Step" }).waitFor();
  assert.equal(await page.locator("nav a[aria-current]").textContent(), "Step");
  await page.goBack();
  await page.locator("h1", { hasText: "Kernel" }).waitFor();
  await close();
};

tests["The theme can be chosen and is kept"] = async ({ browser, server }) => {
  const { page, go, close } = await openPage(browser, server);
  await go("#/accuracy");
  await page.getByLabel("theme").selectOption("dark");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.reload();
  await page.locator("h1").waitFor();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await close();
};

tests["A server that is gone is said in words"] = async ({ browser, server }) => {
  const { page, go, close } = await openPage(browser, server, { allow: [/ERR_/, /Failed to load/] });
  await go("#/kernel");
  await page.locator(".reading.big").first().waitFor();
  await page.route("**/api/**", (route) => route.abort());
  await page.getByRole("slider", { name: "m slider" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.locator(".problem", { hasText: "the server does not answer" }).first().waitFor();
  await close();
};
