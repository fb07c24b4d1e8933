// Builds dist/: the page, and report.html as one file with scripts and styles inside.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(root, "dist");
const configFile = join(root, "vite.config.ts");

// Inside a script element `</script` and `<!--` would end it or change how it is read.
const insideScript = (code) => code.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");

async function buildReport() {
  const made = await build({
    root,
    configFile,
    logLevel: "warn",
    publicDir: false,
    build: {
      write: false,
      cssCodeSplit: false,
      rollupOptions: {
        input: join(root, "src/report/report.tsx"),
        output: { format: "iife", inlineDynamicImports: true },
      },
    },
  });
  const { output } = Array.isArray(made) ? made[0] : made;
  const code = output.find((one) => one.type === "chunk").code;
  const styles = output
    .filter((one) => one.fileName.endsWith(".css"))
    .map((one) => one.source)
    .join("\n");
  const page = await readFile(join(root, "report.html"), "utf8");
  const whole = page
    .replace("<!-- styles -->", () => `<style>${styles}</style>`)
    .replace("<!-- script -->", () => `<script>${insideScript(code)}</script>`);
  await writeFile(join(out, "report.html"), whole);
}

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({ root, configFile, logLevel: "warn", build: { outDir: out, emptyOutDir: true } });
await buildReport();
