import { api, assert, chartFile, near, openPage } from "./harness.mjs";

export const tests = {
  async "Accuracy: rows, errors and coverage are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/accuracy");
    const { rows } = await api(server, "/accuracy");
    assert.ok(rows.length > 0, "the program ships no measured rows for this view");
    await page.getByText(`of ${rows.length} measured kernels`).waitFor();
    const mean = (all) => all.reduce((sum, one) => sum + one, 0) / all.length;
    near(
      await page.locator(".reading.big b").textContent(),
      mean(rows.map((row) => Math.abs(row.p50_us / row.measured_us - 1))),
      0.02,
    );
    const lines = (await chartFile(page, "Predicted against measured", "CSV")).content
      .toString()
      .trim()
      .split("\r\n")
      .slice(1);
    assert.equal(lines.length, rows.length);
    await page.selectOption("#filter-family", rows[0].family);
    const some = rows.filter((row) => row.family === rows[0].family);
    await page.getByText(`${some.length} of ${rows.length} measured kernels`).waitFor();
    await page.waitForFunction((family) => location.hash.includes(`family=${family}`), rows[0].family);
    await close();
  },
};
