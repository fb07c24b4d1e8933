// report.html with documents of the API inside, opened from disk.
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { api, assert, openPage, timeText } from "./harness.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PLACE = '<script type="application/json" id="warploom-report">null</script>';
const MODEL = { model: "Llama-3.1-8B", gpu: "H100-SXM" };
const BENCH = {
  setup: MODEL,
  source: { random: { random_input_len: 300, random_output_len: 40 }, requests: 60, request_rate: 20 },
};

const ASKED = {
  predict: { gpu: "H100-SXM", operator: { family: "gemm", m: 777, n: 4096, k: 4096 } },
  step: { setup: MODEL, decode: "16x500" },
  static: { setup: MODEL, batch: 8, input_tokens: 512, output_tokens: 32 },
  simulate: { ...BENCH, details: true },
  plan: {
    model: "Llama-3.1-8B",
    space: { gpu_names: ["H100-SXM"], tensor_parallel_sizes: [1, 2] },
    source: { ...BENCH.source },
    slo: ["ttft_p95_ms=800"],
  },
  diagnose: {
    gpu: "H100-SXM",
    workload: { setup: MODEL, batch: 16, input_tokens: 1024, output_tokens: 128 },
  },
};
const CHARTS = {
  predict: 2,
  step: 2,
  static: 1,
  simulate: 5,
  plan: 2,
  diagnose: 1,
  validate_serving: 1,
  validate_kernels: 1,
  validate_ceilings: 2,
  tune_fit: 1,
  leaderboard: (answer) => answer.splits.length,
};
// What a report must say of its document besides: text that stands on the page.
const SAYS = {
  predict: (answer) => [timeText(answer.p50_us)],
  step: (answer) => [timeText(answer.step_ms * 1e3)],
  validate_ceilings: (answer) => Object.keys(answer.families),
  tune_fit: (answer) => [answer.default, answer.fitted[0].config],
  leaderboard: (answer) => [...answer.splits.map((one) => one.title), answer.made_with],
};

async function sent(server, root, name) {
  const content = await readFile(join(root, name));
  const reply = await fetch(new URL(`api/v1/files?name=${name.split("/").pop()}`, server.url), {
    method: "POST",
    body: content,
  });
  return (await reply.json()).file;
}

const sweep = async (file) => ({
  layout: "warploom",
  data: [await file("collector/h200/check/sweep.csv.gz")],
});

async function documentOf(server, root, request) {
  if (ASKED[request] !== undefined)
    return [ASKED[request], await api(server, `/answers/${request}`, ASKED[request])];
  if (request === "leaderboard") return [null, await api(server, "/leaderboard")];
  const file = (name) => sent(server, root, `tests/fixtures/${name}`);
  const asked = await {
    validate_serving: async () => ({
      run: await file("clients/run.json"),
      requests: await file("clients/vllm_bench.json"),
    }),
    tune_fit: async () => ({
      gpu: "H200",
      samples: [await file("tuner/tutorial_anchors.csv.gz")],
      output: "upload:new",
    }),
    validate_kernels: async () => ({ source: await sweep(file) }),
    validate_ceilings: async () => ({ source: await sweep(file) }),
  }[request]();
  return [asked, await api(server, `/answers/${request}`, asked)];
}

// As the program writes it: no `<` inside the element.
export async function reportFile(dist, given) {
  const template = await readFile(join(dist, "report.html"), "utf8");
  assert.equal(template.split(PLACE).length, 2, "the place for the document stands once in report.html");
  const text = JSON.stringify(given).replace(/</g, "\\u003c");
  const path = join(await mkdtemp(join(tmpdir(), "warploom-report-")), "report.html");
  await writeFile(
    path,
    template.replace(PLACE, () => PLACE.replace("null", () => text)),
  );
  return pathToFileURL(path).href;
}

export const tests = Object.fromEntries(
  Object.entries(CHARTS).map(([request, charts]) => [
    `Report of ${request}: opens from disk, draws, prints, is accessible`,
    async ({ browser, server, root, dist }) => {
      const [asked, answer] = await documentOf(server, root, request);
      assert.equal(answer.error, undefined, JSON.stringify(answer.error));
      const { page, close } = await openPage(browser, server);
      await page.goto(
        await reportFile(dist, { request, asked, answer, command: `warploom ${request} "a" </script><b>` }),
      );
      await page.locator("h1", { hasText: request.replace(/_/g, " ") }).waitFor();
      assert.ok((await page.locator("pre").first().textContent()).includes("</script><b>"));
      await page.locator(".chart svg").first().waitFor();
      const expected = typeof charts === "function" ? charts(answer) : charts;
      assert.equal(await page.locator(".chart svg").count(), expected);
      assert.equal(await page.locator(".problem").count(), 0);
      const text = await page.locator("main").textContent();
      for (const part of SAYS[request]?.(answer) ?? [])
        assert.ok(text.includes(part), `'${part}' stands on the page`);
      await page.evaluate(await readFile(AXE, "utf8"));
      const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(
        found.violations
          .filter((one) => ["serious", "critical"].includes(one.impact))
          .map((one) => [one.id, one.nodes[0].html]),
        [],
      );
      assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
      await close();
    },
  ]),
);

tests["Report: a document without charts of its own is shown as tables"] = async ({
  browser,
  server,
  dist,
}) => {
  const { page, close } = await openPage(browser, server);
  await page.goto(
    await reportFile(dist, {
      request: "something_else",
      asked: null,
      answer: { rows: [{ name: "mine", mean_error: 0.042, rows: 7 }], mean_error: 0.05 },
      command: "",
    }),
  );
  await page.locator("td", { hasText: "4.2" }).waitFor();
  await close();
};
