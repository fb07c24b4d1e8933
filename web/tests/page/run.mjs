// Every view in Chromium against a `warploom web` of its own.
// Usage: node tests/page/run.mjs --warploom PROGRAM [--chromium PATH] [--only TEXT] [--own] [--strict]
//                                [--workers N]
//   --own     the working tree's dist/ in place of the page inside the program
//   --strict  times are judged too: for a machine that does nothing else
//   --workers tests at a time, each in a profile of its own; what is timed runs after them, alone
import { cpus } from "node:os";
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
    workers: { type: "string", default: String(Math.max(2, cpus().length)) },
  },
});
const web = join(dirname(fileURLToPath(import.meta.url)), "../..");
const root = resolve(web, "..");
const MODULES = [
  "kernel",
  "step",
  "serve",
  "curve",
  "plan",
  "accuracy",
  "tune",
  "every_view",
  "first_view",
  "report",
];
const TIMED = ["measures"];

const chromium = findChromium(values.chromium);
if (chromium === null || values.warploom === undefined) {
  console.error("expected --warploom PROGRAM and a Chromium (/usr/bin/chromium, --chromium or CHROMIUM)");
  process.exit(2);
}
const server = await startServer(resolve(values.warploom), { own: values.own });
const browser = await openBrowser(chromium);
let failed = 0;
let passed = 0;

async function testsOf(modules) {
  const all = [];
  for (const module of modules) all.push(...Object.entries((await import(`./${module}.mjs`)).tests));
  const wanted = values.only?.toLowerCase() ?? "";
  return all.filter(([name]) => name.toLowerCase().includes(wanted));
}

async function run([name, test]) {
  const started = Date.now();
  try {
    await test({ browser, server, root, dist: join(web, "dist"), strict: values.strict === true });
    passed++;
    console.log(`ok    ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed++;
    const lines = String(error.stack ?? error).split("\n");
    console.log(`FAILED ${name}\n    ${lines.slice(0, 14).join("\n    ")}`);
  }
}

// Each worker takes the next test that nobody has.
async function runAll(tests, workers) {
  const work = async () => {
    for (let next = tests.shift(); next !== undefined; next = tests.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: workers }, work));
}

await runAll(await testsOf(MODULES), Math.max(1, Number(values.workers) || 1));
await runAll(await testsOf(TIMED), 1);
await browser.close();
server.stop();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
