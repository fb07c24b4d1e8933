import { api, assert, chartFile, chartTable, near, openPage } from "./harness.mjs";

export const tests = {
  async "Accuracy: the leaderboard's figures are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/accuracy");
    const document = await api(server, "/leaderboard");
    assert.ok(document.splits.length > 0, "the program ships no leaderboard");
    for (const { title, cells } of document.splits) {
      const rows = await chartTable(page, `Mean error: ${title}`);
      assert.deepEqual(
        rows.map((row) => [row[0], row[1]]),
        cells.map((cell) => [cell.family, cell.method]),
      );
      rows.forEach((row, index) => near(row[2], cells[index].mean_error, 0.03));
    }
    for (const { title } of document.tables) await page.locator("h2", { hasText: title }).waitFor();
    await close();
  },

  async "Accuracy: cells, families and figures are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/accuracy");
    const document = await api(server, "/accuracy");
    assert.ok(document.cells.length > 0, "the program ships no judged cells");
    await page.getByText(`${document.cells.length} of ${document.cells.length} cells`).waitFor();
    near(await page.locator(".reading.big b").textContent(), document.overall.mean_error, 0.03);
    const file = (await chartFile(page, "Median error", "CSV")).content.toString();
    const lines = file
      .trim()
      .split("\r\n")
      .slice(1)
      .map((line) => line.split(","));
    assert.deepEqual(
      lines.map((line) => [line[0], line[1], Number(line[6]), Number(line[9])]),
      document.cells.map((cell) => [cell.family, cell.gpu, cell.median_error, cell.coverage]),
    );
    const { family } = document.cells[0];
    await page.selectOption("#filter-family", family);
    const some = document.cells.filter((cell) => cell.family === family);
    await page.getByText(`${some.length} of ${document.cells.length} cells`).waitFor();
    near(await page.locator(".reading.big b").textContent(), document.families[family].mean_error, 0.03);
    await page.selectOption("#mark", "coverage");
    await page.locator("h3", { hasText: "Coverage of p10" }).waitFor();
    await page.waitForFunction(
      (name) => location.hash.includes(`family=${name}`) && location.hash.includes("mark=coverage"),
      family,
    );
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText(`${some.length} of ${document.cells.length} cells`).waitFor();
    await page.locator("h3", { hasText: "Coverage of p10" }).waitFor();
    await close();
  },
};
