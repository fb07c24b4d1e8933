// A `warploom web` of its own, a Chromium, and pages that fail when the console does.
import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { proxy } from "../dev/proxy.mjs";

export { assert };

// Debian's. Ubuntu's /usr/bin/chromium-browser is a snap that cannot be driven from here.
const CHROMIUM = ["/usr/bin/chromium"];

export function findChromium(given) {
  return [given, process.env.CHROMIUM, ...CHROMIUM].find((path) => path && existsSync(path)) ?? null;
}

export async function startServer(program, { own = false } = {}) {
  const child = spawn(program, ["web", "--port", "0", "--no-browser", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const address = await new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (part) => {
      text += part;
      try {
        done(JSON.parse(text).url);
      } catch {
        // not whole yet
      }
    });
    child.on("exit", (code) => fail(new Error(`${program} web ended with status ${code}`)));
    child.on("error", fail);
  });
  const before = own ? await proxy(address) : null;
  return {
    url: before?.url ?? address,
    stop() {
      before?.close();
      child.kill("SIGTERM");
    },
  };
}

export async function api(server, path, body) {
  const options =
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const reply = await fetch(new URL(`api/v1${path}`, server.url), options);
  return reply.json();
}

export async function openBrowser(path) {
  // No name outside this machine is found; Chromium's own sandbox does not start for root, as in containers.
  const args = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return chromium.launch({ executablePath: path, args });
}

const WIDTHS = {
  wide: { width: 1280, height: 900 },
  narrow: { width: 390, height: 844 },
  tablet: { width: 768, height: 1024 },
  desk: { width: 1440, height: 900 },
};

// A page that notes console errors and requests that leave the host. `allow`: errors that a test provokes.
export async function openPage(browser, server, { size = "wide", scheme = "light", allow = [] } = {}) {
  const context = await browser.newContext({
    viewport: WIDTHS[size],
    colorScheme: scheme,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints = [];
  const origin = new URL(server.url).origin;
  const note = (text) => allow.some((one) => one.test(text)) || complaints.push(text);
  page.on(
    "console",
    (message) =>
      ["error", "warning"].includes(message.type()) && note(`console ${message.type()}: ${message.text()}`),
  );
  page.on("pageerror", (error) => note(`error: ${error.message}`));
  const inside = [`${origin}/`, "blob:", "data:", "file:"];
  page.on("request", (asked) => {
    if (!inside.some((start) => asked.url().startsWith(start)))
      complaints.push(`a request left the host: ${asked.url()}`);
  });
  return {
    page,
    go: (hash) => page.goto(`${server.url}${hash}`),
    async close() {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

// The rows of a chart's table alternative, as text.
export async function chartTable(page, title) {
  const figure = page.locator("figure", { has: page.locator("h3", { hasText: title }) }).first();
  await figure.getByRole("button", { name: "Table" }).click();
  await figure.locator("tbody tr").first().waitFor();
  const rows = await figure
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  await figure.getByRole("button", { name: "Table" }).click();
  return rows;
}

export async function fetched(page, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const parts = [];
  for await (const part of await download.createReadStream()) parts.push(part);
  return { name: download.suggestedFilename(), content: Buffer.concat(parts) };
}

// The file behind a button of a chart: CSV, SVG, PNG.
export function chartFile(page, title, kind) {
  const figure = page.locator("figure", { has: page.locator("h3", { hasText: title }) }).first();
  return fetched(page, () => figure.getByRole("button", { name: kind, exact: true }).click());
}

export function documentFile(page) {
  return fetched(page, () => page.getByRole("button", { name: "JSON", exact: true }).first().click());
}

// As the page says times: three significant digits.
export function timeText(us) {
  const [scale, unit] =
    us >= 999_500 ? [1e6, "s"] : us >= 999.5 ? [1e3, "ms"] : us >= 0.9995 ? [1, "µs"] : [1e-3, "ns"];
  const value = us / scale;
  return `${value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(value))))}\u00a0${unit}`;
}

// Within `tolerance` of the value, or within half a unit of the last digit written where that is more.
export function near(text, value, tolerance = 0.006) {
  const scales = { s: 1e6, ms: 1e3, µs: 1, us: 1, ns: 1e-3, "%": 0.01 };
  const found = /([\d.,]+)\s*(\S*)/u.exec(text.replace(/\u00a0/g, " "));
  assert.ok(found, `'${text}' holds no number`);
  const unit = scales[found[2]] ?? 1;
  const read = Number(found[1].replace(/,/g, "")) * unit;
  const written = 0.5 * 10 ** -(found[1].split(".")[1] ?? "").length * unit;
  assert.ok(
    Math.abs(read - value) <= Math.max(tolerance * Math.abs(value), written) + 1e-9,
    `the page says '${text}', the API ${value}`,
  );
}

export async function dropFile(page, selector, name, text) {
  const data = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], fileName));
      return transfer;
    },
    [name, text],
  );
  await page.dispatchEvent(selector, "dragover", { dataTransfer: data });
  await page.dispatchEvent(selector, "drop", { dataTransfer: data });
}
