import { api, assert, chartFile, chartTable, documentFile, near, openPage, timeText } from "./harness.mjs";

const ASKED = { operator: { family: "gemm", m: 777, n: 4096, k: 4096 } };
const LINK =
  "#/kernel?gpus=[%22H100-SXM%22,%22H200%22]&asked.operator.family=gemm&asked.operator.m=777&asked.operator.n=4096&asked.operator.k=4096";

export const tests = {
  async "Kernel: the figures and charts are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    const answers = await Promise.all(
      ["H100-SXM", "H200"].map((gpu) => api(server, "/answers/predict", { ...ASKED, gpu })),
    );
    await page.getByText(timeText(answers[0].p50_us)).first().waitFor();
    const big = await page.locator(".reading.big").first().textContent();
    for (const part of [
      timeText(answers[0].p10_us),
      timeText(answers[0].p90_us),
      answers[0].bound,
      answers[0].tier,
    ])
      assert.ok(big.includes(part), `${big}: ${part}`);
    const side = await chartTable(page, "GPUs side by side");
    side.forEach((row, index) => near(row[1], answers[index].p50_us));
    const pipelines = await chartTable(page, "Time of each pipeline alone");
    pipelines.forEach((row, index) => near(row[2], answers[0].pipelines[index].time_us));
    const svg = (await chartFile(page, "Time of each pipeline alone", "SVG")).content.toString();
    for (const one of answers[0].pipelines)
      assert.ok(svg.includes(timeText(one.time_us)), `${one.pipeline} in the SVG`);
    const kept = JSON.parse((await documentFile(page)).content);
    assert.deepEqual(
      kept.answers.map((one) => one.answer),
      answers,
    );
    await close();
  },

  async "Kernel: 200 sizes in the staircase, with waves"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    await page.getByText("Latency over m").waitFor();
    const { content } = await chartFile(page, "Latency over m", "CSV");
    const rows = content
      .toString()
      .trim()
      .split("\r\n")
      .map((line) => line.split(","));
    assert.equal(rows.length, 1 + 2 * 200);
    const middle = rows[100];
    const answer = await api(server, "/answers/predict", {
      gpu: middle[0],
      operator: { ...ASKED.operator, m: Number(middle[1]) },
    });
    assert.equal(Number(middle[3]), answer.p50_us);
    assert.equal(Number(middle[6]), answer.structure.waves);
    await close();
  },

  async "Kernel: a slider moves size, figures, link and command line"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    const slider = page.getByRole("slider", { name: "n slider" });
    await slider.focus();
    for (let press = 0; press < 4; press++) await page.keyboard.press("ArrowRight");
    // the last key is read when the address has what the field says
    const n = await page
      .waitForFunction(() => {
        const said = Number(document.querySelector('[data-field="n"] input[type=text]').value);
        return said > 4096 && location.hash.includes(`operator.n=${said}`) ? said : null;
      })
      .then((found) => found.jsonValue());
    await page.getByText(`--n ${n}`).waitFor();
    const answer = await api(server, "/answers/predict", {
      gpu: "H100-SXM",
      operator: { ...ASKED.operator, n },
    });
    await page.locator(".reading.big", { hasText: timeText(answer.p50_us) }).waitFor();
    await close();
  },

  async "Kernel: the what-if changes bandwidth and says against what"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(
      "#/kernel?asked.operator.family=gemm&asked.operator.m=8&asked.operator.n=8192&asked.operator.k=8192&what_if.memory_bandwidth_gb_per_s=2",
    );
    await page.locator("[data-what-if]").waitFor();
    const side = await chartTable(page, "GPUs side by side");
    assert.equal(side.length, 2);
    assert.ok(side[1][0].includes("what if"));
    const record = {
      ...(await api(server, "/answers/gpu", { name: "H100-SXM" })),
      name: "mine",
      aliases: [],
    };
    record.memory_bandwidth_gb_per_s = Number((record.memory_bandwidth_gb_per_s * 2).toPrecision(6));
    const sent = await fetch(new URL("api/v1/files?name=mine.json", server.url), {
      method: "POST",
      body: JSON.stringify(record),
    }).then((reply) => reply.json());
    const answer = await api(server, "/answers/predict", {
      gpu: sent.file,
      operator: { family: "gemm", m: 8, n: 8192, k: 8192 },
    });
    near(side[1][1], answer.p50_us);
    await page.locator(".command", { hasText: "of the what-if" }).getByText("--gpu").waitFor();
    await page.getByRole("button", { name: "Reset" }).click();
    await page.locator("[data-what-if]").waitFor({ state: "detached" });
    await close();
  },

  async "Kernel: every family of the schema has a form and an answer"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/kernel");
    await page.locator("#family").waitFor();
    const families = await page
      .locator("#family option")
      .evaluateAll((all) => all.map((option) => option.value));
    assert.ok(families.length >= 20, `${families.length} families`);
    for (const family of families) {
      await page.selectOption("#family", family);
      await page.locator("h2", { hasText: `${family} on H100-SXM` }).waitFor();
      assert.equal(
        await page.locator(".problem").count(),
        0,
        `${family}: ${await page.locator(".problem").allTextContents()}`,
      );
    }
    await close();
  },

  async "Kernel: bad input is said in words, at the field or by the server"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(LINK);
    const field = page.locator('[data-field="m"]');
    await field.locator("input[type=text]").fill("-3");
    await field.getByRole("alert").waitFor();
    assert.match(await field.getByRole("alert").textContent(), /'-3', expected a whole number from 1/);
    await page.goto("about:blank");
    await go("#/kernel?gpus=[%22no-such-gpu%22]");
    await page.locator(".problem", { hasText: "no-such-gpu" }).waitFor();
    assert.match(await page.locator(".problem").first().textContent(), /unknown|no GPU|not known/i);
    await close();
  },
};
