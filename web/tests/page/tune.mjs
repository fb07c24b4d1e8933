import { api, assert, chartFile, chartTable, documentFile, fetched, near, openPage } from "./harness.mjs";

const file = (root, name) => `${root}/tests/fixtures/tuner/${name}`;

async function chooseFile(page, field, path) {
  await page.locator(`[data-field="${field}"] input[type=file]`).setInputFiles(path);
  const place = `[data-field="${field}"] input[type=text]`;
  await page.waitForFunction((where) => document.querySelector(where).value.startsWith("upload:"), place);
  return page.locator(place).inputValue();
}

export const tests = {
  async "Tune: a table without samples, from what other GPUs tell"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/tune?n=4096&k=4096&m=2048");
    await page.getByRole("button", { name: "Make a table without samples" }).click();
    await page.waitForFunction(() => location.hash.includes("table=upload:"), null, { timeout: 120_000 });
    const table = decodeURIComponent(/table=([^&]+)/.exec(page.url())[1]);
    const shown = await api(server, "/answers/tune_show", { table, n: 4096, k: 4096, m: 2048 });
    const rows = await chartTable(page, "Chosen configuration as m grows");
    assert.ok(rows.length > 10, `${rows.length} rows`); // of many points the first are shown
    rows.forEach((row, index) => assert.equal(row[4], shown.points[index].config));
    await close();
  },

  async "Tune: samples become a table, its staircase and its regret"({ browser, server, root }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/tune?n=4096&k=4096&m=2048");
    const samples = [await chooseFile(page, "samples", file(root, "tutorial_anchors.csv.gz"))];
    await page.locator('[data-field="gpu"] input').first().fill("H200");
    await page.getByRole("button", { name: "Fit a table" }).click();
    await page.locator("h2", { hasText: /^Table of / }).waitFor({ timeout: 60_000 });
    await page.waitForFunction(() => location.hash.includes("table=upload:"));
    const table = await page.locator('[data-field="table"] input[type=text]').inputValue();
    await page.getByText("How well each configuration was fitted").click();
    const fitted = await chartTable(page, "Residual of each configuration");
    const document = JSON.parse((await documentFile(page)).content).answer;
    assert.deepEqual(
      fitted.map((row) => row[0]),
      document.fitted.slice(0, fitted.length).map((one) => one.config),
    );
    fitted.forEach((row, index) => near(row[1], document.fitted[index].residual, 0.03));
    const kept = await fetched(page, () => page.getByRole("button", { name: "Download the table" }).click());
    assert.equal(kept.content.subarray(0, 7).toString(), "WLTUNE1");
    const shown = await api(server, "/answers/tune_show", { table, n: 4096, k: 4096, m: 2048 });
    const rows = (await chartFile(page, "Chosen configuration as m grows", "CSV")).content
      .toString()
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(","));
    assert.equal(rows.length, shown.points.length);
    shown.points.forEach((point, index) =>
      assert.deepEqual([Number(rows[index][1]), rows[index][4]], [point.chosen_us, point.config]),
    );
    const oracle = await chooseFile(page, "oracle", file(root, "tutorial_exhaustive.csv.gz"));
    // the baselines need the program that learns, which a build may lack
    await page.locator('[data-field="with_baselines"] input').uncheck();
    await page.getByRole("button", { name: "Judge" }).click();
    await page.locator("h3", { hasText: "How near the best configuration" }).waitFor({ timeout: 60_000 });
    const regret = await api(server, "/answers/tune_regret", {
      table,
      oracle: [oracle],
      samples,
      with_baselines: false,
    });
    near(
      await page.locator(".reading", { hasText: "mean regret" }).locator("b").textContent(),
      1 / regret.geo_mean_share - 1,
    );
    assert.equal((await chartTable(page, "Regret of the shapes")).length, regret.rows.length);
    await close();
  },

  async "Tune: a file that is no table is an error in words"({ browser, server, root }) {
    const { page, go, close } = await openPage(browser, server, { allow: [/status of 4\d\d/] });
    await go("#/tune");
    await chooseFile(page, "table", file(root, "tutorial_anchors.csv.gz"));
    await page.locator(".problem").first().waitFor();
    await close();
  },
};
