// Every view in Chromium against a `warploom web` of its own.
// Usage: node tests/page/run.mjs --warploom PROGRAM [--chromium PATH] [--only TEXT] [--own] [--strict]
//   --own     the working tree's dist/ in place of the page inside the program
//   --strict  times are judged too: for a machine that does nothing else
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findChromium, openBrowser, startServer } from "./harness.mjs";

const { values } = parseArgs({
  options: {
    warploom: { type: "string" },
    chromium: { type: "string" },
    only: { type: "string" },
    own: { type: "boolean" },
    strict: { type: "boolean" },
  },
});
const web = join(dirname(fileURLToPath(import.meta.url)), "../..");
const root = resolve(web, "..");
const MODULES = ["kernel", "step", "serve", "plan", "accuracy", "tune", "every_view", "report", "measures"];

const chromium = findChromium(values.chromium);
if (chromium === null || values.warploom === undefined) {
  console.error("expected --warploom PROGRAM and a Chromium (/usr/bin/chromium, --chromium or CHROMIUM)");
  process.exit(2);
}
const server = await startServer(resolve(values.warploom), { own: values.own });
const browser = await openBrowser(chromium);
let failed = 0;
let passed = 0;
for (const module of MODULES) {
  const { tests } = await import(`./${module}.mjs`);
  for (const [name, test] of Object.entries(tests)) {
    if (values.only !== undefined && !name.toLowerCase().includes(values.only.toLowerCase())) continue;
    const started = Date.now();
    try {
      await test({ browser, server, root, dist: join(web, "dist"), strict: values.strict === true });
      passed++;
      console.log(`ok    ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(
        `FAILED ${name}\n    ${String(error.stack ?? error)
          .split("\n")
          .slice(0, 14)
          .join("\n    ")}`,
      );
    }
  }
}
await browser.close();
server.stop();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
