import { defineConfig } from "vite";

// Addresses are relative, so that the page works below any path. Nothing is put inline: the page's policy
// forbids it.
export default defineConfig({
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
  server: { proxy: { "/api": process.env["WARPLOOM_SERVER"] ?? "http://127.0.0.1:8686" } },
  test: { include: ["tests/unit/**/*.test.{ts,tsx}"], environment: "happy-dom" },
} as Parameters<typeof defineConfig>[0]);
