import { api, assert, chartFile, documentFile, dropFile, near, openPage } from "./harness.mjs";

const SMALL =
  "asked.source.random.random_input_len=300&asked.source.random.random_output_len=40&asked.source.requests=120&asked.source.request_rate=20";
const ASKED = {
  setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" },
  source: { random: { random_input_len: 300, random_output_len: 40 }, requests: 120, request_rate: 20 },
};
const LONG = "asked.source.workload=conversation&asked.source.requests=400000";

async function figureOf(page, name) {
  const row = page.locator("tr", { has: page.locator("th", { hasText: new RegExp(`^${name}$`) }) }).first();
  await row.waitFor();
  return row.locator("td").allTextContents();
}

export const tests = {
  async "Serve: engine, scheme and workload are chosen from names that are known"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(`#/serve?${SMALL}`);
    const schema = await api(server, "/schemas");
    for (const [path, name] of [
      ["setup.quantization", "fp8"],
      ["setup.config.engine", "sglang"],
      ["source.workload", "agents"],
    ]) {
      const input = page.locator(`[data-field="${path}"] input[type=text]`);
      const offered = await input.evaluate((one) => [...one.list.options].map((option) => option.value));
      const known = path.split(".").reduce((one, key) => one.properties[key], schema.simulate).examples;
      assert.deepEqual(offered, known);
      assert.ok(offered.includes(name), `${name} among ${offered}`);
    }
    await close();
  },

  async "Serve: a run's figures and charts are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(`#/serve?${SMALL}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const answer = await api(server, "/answers/simulate", { ...ASKED, details: true });
    near((await figureOf(page, "TTFT p99"))[0], answer.p99_ttft_ms * 1e3);
    near((await figureOf(page, "TPOT mean"))[1], answer.interval.low.mean_tpot_ms * 1e3);
    const requests = (await chartFile(page, "Requests one by one", "CSV")).content
      .toString()
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(",").map(Number));
    assert.deepEqual(
      requests.map((row) => row[2]),
      answer.ttfts,
    );
    assert.deepEqual(
      requests.map((row) => row[3]),
      answer.latencies,
    );
    const timeline = (await chartFile(page, "Batch, queue, KV", "CSV")).content
      .toString()
      .trim()
      .split("\r\n")
      .slice(1);
    assert.equal(timeline.length, answer.timeline.length);
    assert.equal(Number(timeline[1].split(",")[5]), answer.timeline[1].kv_use);
    const png = await chartFile(page, "TTFT of the requests", "PNG");
    assert.equal(png.content.subarray(1, 4).toString(), "PNG");
    assert.match(page.url(), /ran=true/);
    await close();
  },

  async "Serve: a permalink runs what it says, and two runs are compared"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(`#/serve?ran=true&${SMALL}`);
    await page.getByRole("button", { name: "Keep as B" }).click();
    await page.locator('[data-field="setup.gpu"] input[type=text]').fill("H200");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator("h2", { hasText: "A against B" }).waitFor();
    const [faster, base] = await Promise.all(
      ["H200", "H100-SXM"].map((gpu) =>
        api(server, "/answers/simulate", { ...ASKED, setup: { ...ASKED.setup, gpu } }),
      ),
    );
    await page.getByText("on h200_sxm").first().waitFor();
    const cells = await figureOf(page, "TPOT p50");
    near(cells[0], faster.p50_tpot_ms * 1e3);
    near(cells[3], base.p50_tpot_ms * 1e3);
    await page.waitForTimeout(400); // the address follows
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.locator("h2", { hasText: "A against B" }).waitFor();
    near((await figureOf(page, "TPOT p50"))[3], base.p50_tpot_ms * 1e3);
    await close();
  },

  async "Serve: a measured vllm bench result is laid over"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(`#/serve?ran=true&${SMALL}`);
    await figureOf(page, "TTFT p99");
    const measured = {
      mean_ttft_ms: 60,
      ttfts: [0.05, 0.06, 0.07],
      itls: [[0.01], [0.02], [0.01]],
      output_lens: [2, 2, 2],
      input_lens: [300, 300, 300],
      start_times: [5, 6, 7],
      errors: ["", "", ""],
    };
    await dropFile(page, '[data-drop="measured"]', "bench.json", JSON.stringify(measured));
    await page.getByText("3 measured requests.").waitFor();
    near((await figureOf(page, "TTFT mean"))[3], 60_000);
    await page.locator("h2", { hasText: "A against measured" }).waitFor();
    await page.getByRole("button", { name: "Put into the link" }).click();
    await page.waitForFunction(() => location.hash.includes("measured=upload:"));
    const link = page.url();
    const other = await page.context().newPage();
    await other.goto(link);
    await other.getByText("3 measured requests.").waitFor();
    await other.locator("h2", { hasText: "A against measured" }).waitFor();
    near((await figureOf(other, "TTFT mean"))[3], 60_000);
    await other.close();
    await page.getByRole("button", { name: "Replay" }).click();
    await page.waitForFunction(() =>
      document.querySelector('[data-field="source.trace"] input').value.startsWith("upload:"),
    );
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".reading", { hasText: /^completed3$/ }).waitFor();
    await dropFile(page, '[data-drop="measured"]', "not.json", "{]");
    await page.locator(".problem", { hasText: "not.json is no JSON" }).waitFor();
    await close();
  },

  async "Serve: a link whose measured run the server no longer has says so"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server, { allow: [/status of 404/] });
    await go("#/serve?measured=upload:0123456789abcdef0123456789abcdef");
    await page.locator(".problem", { hasText: "measured run of the link" }).waitFor();
    await close();
  },

  async "Serve: a pasted engine command fills the form"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server, { allow: [/status of 4\d\d/] });
    await go("#/serve");
    await page.getByText("Paste an engine's command line").click();
    await page
      .locator("#engine-command")
      .fill("vllm serve Qwen/Qwen3-8B --max-num-seqs 77 --tensor-parallel-size 2 --port 80");
    await page.getByRole("button", { name: "Take over" }).click();
    await page.getByText("without effect: --port").waitFor();
    assert.equal(
      await page.locator('[data-field="setup.model"] input[type=text]').inputValue(),
      "Qwen/Qwen3-8B",
    );
    assert.equal(await page.locator('[data-field="setup.config.max_num_seqs"] input').inputValue(), "77");
    assert.equal(
      await page.locator('[data-field="setup.config.tensor_parallel_size"] input[type=text]').inputValue(),
      "2",
    );
    await page.locator("#engine-command").fill("rm -rf /");
    await page.getByRole("button", { name: "Take over" }).click();
    await page.locator(".field .problem").waitFor();
    await close();
  },

  async "Serve: a dropped trace is sent and replayed"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/serve");
    const trace = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,10\n0.1,200,20\n0.2,300,30\n";
    await dropFile(page, '[data-field="source.trace"] .typed', "mine.csv", trace);
    await page.waitForFunction(() =>
      document.querySelector('[data-field="source.trace"] input').value.startsWith("upload:"),
    );
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".reading", { hasText: /^completed3$/ }).waitFor(); // the default's run stood there
    const kept = JSON.parse((await documentFile(page)).content);
    assert.deepEqual(kept.answers[0].answer.input_lens, [100, 200, 300]);
    await close();
  },

  async "Serve: a long run shows progress and is cancelled"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(`#/serve?${LONG}`);
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".working", { hasText: /of [\d,]+ \(/ }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".working").waitFor({ state: "detached" });
    assert.ok((await page.getByText(/Cancelled|partial: cancelled/).count()) > 0);
    assert.equal(await page.locator(".problem").count(), 0);
    await close();
  },

  async "Serve: an error of a job is said in words"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server, { allow: [/status of 4\d\d/] });
    await go("#/serve?ran=true&asked.setup.gpu=no-such-gpu");
    await page.locator(".problem", { hasText: "no-such-gpu" }).waitFor();
    await close();
  },
};
