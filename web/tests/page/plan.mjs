import { api, assert, chartTable, near, openPage } from "./harness.mjs";

const LINK =
  "#/plan?ran=true&asked.space.gpu_names=[%22H100-SXM%22,%22H200%22]&asked.space.tensor_parallel_sizes=[1,2]&asked.source.requests=200";
const ASKED = {
  model: "Llama-3.1-8B",
  space: { gpu_names: ["H100-SXM", "H200"], tensor_parallel_sizes: [1, 2] },
  source: { random: { random_input_len: 2000, random_output_len: 300 }, request_rate: 12, requests: 200 },
  slo: ["ttft_p95_ms=800", "tpot_p95_ms=40"],
};

export const tests = {
  async "Plan: deployments, costs and the best are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    await page.locator("h2", { hasText: "deployments" }).waitFor({ timeout: 60_000 });
    const answer = await api(server, "/answers/plan", ASKED);
    const rows = await chartTable(page, "Deployments");
    assert.deepEqual(
      rows.map((row) => row[0]),
      answer.points.map((point) => point.deployment.words),
    );
    answer.points.forEach((point, index) => {
      assert.equal(parseInt(rows[index][2], 10), point.rented_gpus);
      assert.equal(rows[index][3], `$${point.usd_per_hour.toFixed(2)}/h`);
    });
    const best = answer.points[answer.best - 1].deployment.words;
    assert.ok(
      (await page.locator(".reading.big", { hasText: "by the median" }).textContent()).includes(best),
    );
    assert.ok((await page.locator("tr.best-row").first().textContent()).startsWith(best));
    near(rows[0][7], answer.points[0].metrics.p95_ttft_ms * 1e3);
    await close();
  },

  async "Plan: what is rented as whole nodes, in parts and within a room is said"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(
      `${LINK}&asked.rent=[%22reserved=0.5%22,%22spot%22]&asked.price=[%22H200:spot=2%22]&asked.max_power_kw=60`,
    );
    const best = page.locator(".reading.big", { hasText: "by the median" });
    await best.waitFor({ timeout: 60_000 });
    assert.match(await best.textContent(), /GPUs? reserved for \$.*nodes: \d+, [\d.]+ kW at most/s);
    const prices = page.locator("table", { has: page.locator("th", { hasText: /^at once$/ }) }).first();
    const words = await prices.textContent();
    assert.ok(words.includes("whole nodes") && words.includes("single GPUs"), words);
    await close();
  },

  async "Plan: limits hide deployments and stay in the link"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    await page.locator('[data-limit="cost"] input').waitFor({ timeout: 60_000 });
    const all = await page.locator("h2", { hasText: "deployments" }).textContent();
    await page.locator('[data-limit="cost"] input').focus();
    await page.keyboard.press("Home");
    await page.waitForFunction(
      (before) => ![...document.querySelectorAll("h2")].some((one) => one.textContent === before),
      all,
    );
    const fewer = await page.locator("h2", { hasText: "deployments" }).textContent();
    await page.waitForFunction(() => location.hash.includes("limits.cost="));
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.locator("h2", { hasText: fewer }).waitFor({ timeout: 60_000 });
    await page.getByRole("button", { name: "Clear limits" }).click();
    await page.locator("h2", { hasText: all }).waitFor();
    await close();
  },

  async "Plan: the start command of a point can be copied"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    await page
      .locator("table", { hasText: "start command" })
      .getByRole("button", { name: "start command" })
      .first()
      .click({ timeout: 60_000 });
    const start = page.locator("section", { has: page.locator("h2", { hasText: /^Start / }) }).last();
    await start.locator("pre", { hasText: "vllm serve" }).first().waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await start.getByRole("button", { name: "Copy" }).first().click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /vllm serve/);
    await close();
  },

  async "Plan: limits that nothing keeps are said"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server, { allow: [/status of 4\d\d/] });
    await go(`${LINK}&asked.slo=[%22ttft_p95_ms=0.001%22]`);
    await page
      .getByText(/no deployment|cannot|nothing/i)
      .first()
      .waitFor({ timeout: 60_000 });
    await close();
  },
};
