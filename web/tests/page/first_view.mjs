// What a reader meets first: an answer without a click, on every width, and on a phone before the inputs.
import { api, assert, near, openPage } from "./harness.mjs";

const SMALL =
  "asked.source.random.random_input_len=300&asked.source.random.random_output_len=40&asked.source.requests=120&asked.source.request_rate=20";
const LOOKS = { narrow: ["light", "dark"], tablet: ["dark", "light"], desk: ["light", "dark"] };

async function fits(page) {
  const [content, screen, over] = await page.evaluate(() => {
    const width = innerWidth;
    const beyond = [...document.querySelectorAll("main *")].filter(
      (one) => one.getBoundingClientRect().right > width,
    );
    return [document.documentElement.scrollWidth, width, beyond.map((one) => one.outerHTML.slice(0, 80))];
  });
  assert.ok(content <= screen, `${content} px of content on ${screen} px: ${over.slice(0, 4).join(" | ")}`);
}

// Wholly on the screen, without scrolling.
async function inSight(page, shown) {
  await shown.waitFor();
  const box = await shown.boundingBox();
  const height = page.viewportSize().height;
  assert.ok(box.y >= 0 && box.y + box.height <= height, `at ${box.y} px, ${height} px are on the screen`);
}

const ttft = (page) => page.locator("tr", { has: page.locator("th", { hasText: /^TTFT mean$/ }) }).first();

export const tests = Object.fromEntries(
  Object.entries(LOOKS).map(([size, [first, then]]) => [
    `The bare address, ${size}, ${first} then ${then}: says at once how the default model serves`,
    async ({ browser, server }) => {
      const { page, go, close } = await openPage(browser, server, { size, scheme: first });
      await go("");
      await inSight(page, page.locator(".results .reading").first());
      const answer = await api(server, "/answers/simulate", {
        setup: { model: "Llama-3.1-8B", gpu: "H100-SXM" },
        source: { workload: "conversation", requests: 1000 },
      });
      near((await ttft(page).locator("td").allTextContents())[0], answer.mean_ttft_ms * 1e3);
      await page.locator(".chart canvas").first().waitFor();
      await fits(page);
      await page.emulateMedia({ colorScheme: then });
      await fits(page);
      await close();
    },
  ]),
);

tests["On a phone Run folds the inputs, and its result is in sight"] = async ({ browser, server }) => {
  const { page, go, close } = await openPage(browser, server, { size: "narrow" });
  await go(`#/serve?${SMALL}`);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await inSight(page, page.locator(".results .reading").first());
  assert.equal(await page.locator(".inputs .run").isVisible(), false);
  assert.equal(await page.evaluate(() => document.activeElement.className), "results");
  await page.getByRole("button", { name: "Show inputs" }).click();
  assert.equal(await page.locator(".inputs .run").isVisible(), true);
  await fits(page);
  await close();
};

tests["On a phone the error of a run is in sight"] = async ({ browser, server }) => {
  const { page, go, close } = await openPage(browser, server, { size: "narrow", allow: [/status of 4\d\d/] });
  await go("#/serve?asked.setup.model=no-such-model");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await inSight(page, page.locator(".results .problem"));
  await close();
};
