import { api, assert, chartTable, near, openPage, timeText } from "./harness.mjs";

export const tests = {
  async "Step: treemap, bounds and kernels are the API's"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go(
      "#/step?asked.decode=16x500&asked.setup.model=Llama-3.1-8B&asked.setup.gpu=H200&asked.setup.config.tensor_parallel_size=2",
    );
    const answer = await api(server, "/answers/step", {
      setup: { model: "Llama-3.1-8B", gpu: "H200", config: { tensor_parallel_size: 2 } },
      decode: "16x500",
    });
    await page.locator(".reading.big", { hasText: timeText(answer.step_ms * 1e3) }).waitFor();
    const parts = await chartTable(page, "Where the step's time goes");
    assert.equal(parts.length, answer.kernels.length + 1);
    answer.kernels.forEach((kernel, index) => near(parts[index][2], kernel.time_us));
    assert.equal(parts.at(-1)[0], "host and gaps");
    near(parts.at(-1)[2], (answer.step_ms - answer.gpu_ms.p50) * 1e3);
    const bounds = await chartTable(page, "By bound");
    assert.deepEqual(new Set(bounds.map((row) => row[0])), new Set(parts.map((row) => row[1])));
    await page.getByText("Step time over decode batch").waitFor();
    await close();
  },

  async "Step: sliders of parallelism and batch change the step"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server);
    await go("#/step");
    const figure = page.locator(".reading.big dd b").first();
    // The figure once it is another than the one before: an answer is on its way for a while.
    const next = async (before) => {
      await page.waitForFunction(
        (old) => document.querySelector(".reading.big dd b")?.textContent !== old,
        before,
      );
      return figure.textContent();
    };
    await figure.waitFor();
    const alone = await figure.textContent();
    await page.getByRole("slider", { name: "tensor_parallel_size slider" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("--tensor-parallel-size 2").waitFor();
    const split = await next(alone);
    await page.getByRole("slider", { name: "prefill requests slider" }).focus();
    await page.keyboard.press("ArrowRight");
    await page.getByText("--prefill").first().waitFor();
    await page.waitForFunction(() => /prefill=\d+x1024/.test(decodeURIComponent(location.hash)));
    const link = page.url();
    const shown = await next(split);
    await page.goto("about:blank");
    await page.goto(link);
    await page.locator(".reading.big dd b", { hasText: shown }).first().waitFor();
    await close();
  },

  async "Step: a model that does not fit is an error in words"({ browser, server }) {
    const { page, go, close } = await openPage(browser, server, { allow: [/status of 4\d\d/] });
    await go("#/step?asked.setup.model=Llama-3.1-405B&asked.setup.gpu=L40S&asked.decode=1x100");
    await page.locator(".problem").first().waitFor();
    assert.ok((await page.locator(".problem").first().textContent()).length > 20);
    await close();
  },
};
