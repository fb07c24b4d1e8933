import { readFile } from "node:fs/promises";
import { api, assert, chartTable, dropFile, near, openPage } from "./harness.mjs";

const LINK = "#/curve?ran=true&asked.run.source.requests=40&asked.max_concurrencies=[1,4]";
const RUN = {
  setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" },
  source: { random: { random_input_len: 1000, random_output_len: 200 }, requests: 40 },
};
const CHARTS = [
  "Throughput of a GPU against speed for a user",
  "Throughput against time per output token",
  "Throughput against time to first token",
];

const looks = ["narrow", "tablet", "desk"].flatMap((size) =>
  ["light", "dark"].map((scheme) => [size, scheme]),
);
const run = (page) => page.getByRole("button", { name: "Run", exact: true }).click();
const chart = (page, title) => page.locator("figure", { has: page.locator("h3", { hasText: title }) });

async function fits(page) {
  const [content, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(content <= screen, `${content} px of content on ${screen} px`);
}

export const tests = Object.fromEntries(
  looks.map(([size, scheme]) => [
    `Curve, ${size} and ${scheme}: the points are the API's, each chart is drawn and fits the screen`,
    async ({ browser, server }) => {
      const { page, go, close } = await openPage(browser, server, { size, scheme });
      await go(LINK);
      for (const title of CHARTS) await chart(page, title).locator(".chart canvas").first().waitFor();
      await fits(page);
      const answer = await api(server, "/answers/curve", { run: RUN, max_concurrencies: [1, 4] });
      for (const title of CHARTS) {
        const rows = await chartTable(page, title);
        assert.deepEqual(
          rows.map((row) => row[1]),
          ["1 user", "4 users"],
        );
        rows.forEach((row, index) => {
          near(row[2], answer.points[index].output_throughput);
          near(row[5], answer.points[index].p50_ttft_ms * 1e3);
          near(row[7], answer.points[index].p50_tpot_ms * 1e3);
        });
      }
      await fits(page);
      const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = paper.match(/\d+/g).slice(0, 3).map(Number)[0] > 127;
      assert.equal(light, scheme === "light", paper);
      await close();
    },
  ]),
);

tests["Curve: deployments are lines of their own, and other loads take the place of the first"] = async ({
  browser,
  server,
}) => {
  const { page, go, close } = await openPage(browser, server);
  await go("#/curve?asked.run.source.requests=40&asked.tp_sizes=[1,2]&asked.request_rates=[2,4]");
  await run(page);
  await chart(page, CHARTS[0]).locator(".chart canvas").first().waitFor();
  const entries = await chart(page, CHARTS[0]).locator(".legend li").allTextContents();
  assert.deepEqual(entries, ["tp 1", "tp 2"]);
  const rows = await chartTable(page, CHARTS[0]);
  assert.deepEqual(
    rows.map((row) => row.slice(0, 2)),
    [
      ["tp 1", "2 requests/s"],
      ["tp 1", "4 requests/s"],
      ["tp 2", "2 requests/s"],
      ["tp 2", "4 requests/s"],
    ],
  );
  await close();
};

tests["Curve: a measured run is laid over the points"] = async ({ browser, server, root }) => {
  const { page, go, close } = await openPage(browser, server);
  await go(LINK);
  await chart(page, CHARTS[1]).locator(".chart canvas").first().waitFor();
  const measured = await readFile(`${root}/tests/fixtures/clients/vllm_bench.json`, "utf8");
  await dropFile(page, '[data-field="measured"] .typed', "vllm_bench.json", measured);
  await page.waitForFunction(() => location.hash.includes("measured"));
  await run(page);
  await chart(page, CHARTS[1]).locator(".legend li", { hasText: "measured" }).waitFor();
  const rows = await chartTable(page, CHARTS[1]);
  assert.equal(rows.length, 3);
  assert.match(rows[2][0], /^measured: /);
  await close();
};

tests["Curve: a load that no run can have is refused in words"] = async ({ browser, server }) => {
  const { page, go, close } = await openPage(browser, server, { allow: [/Failed to load/] });
  await go("#/curve?asked.max_concurrencies=[0]");
  await run(page);
  await page.locator(".problem", { hasText: "max_concurrenc" }).first().waitFor();
  await close();
};
