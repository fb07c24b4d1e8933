// dist/ of the working tree before the API of a running `warploom web`, with its policy: for work on the page
// without building the program again. Usage: node tests/dev/proxy.mjs http://127.0.0.1:PORT [PORT]
import { createServer, request } from "node:http";
import { readFile } from "node:fs/promises";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const DIST = join(dirname(fileURLToPath(import.meta.url)), "../../dist");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

function forward(from, to, server) {
  const headers = { ...from.headers, host: server.host };
  delete headers.origin;
  const out = request(
    { host: server.hostname, port: server.port, path: from.url, method: from.method, headers },
    (answer) => {
      to.writeHead(answer.statusCode, answer.headers);
      answer.pipe(to);
    },
  );
  out.on("error", () => to.destroy());
  to.on("close", () => out.destroy());
  from.pipe(out);
}

export async function proxy(address, port = 0) {
  const server = new URL(address);
  const policy = await fetch(new URL("/", server)).then(
    (reply) => reply.headers.get("content-security-policy") ?? "",
  );
  const made = createServer(async (from, to) => {
    const path = new URL(from.url, "http://page").pathname;
    if (path.startsWith("/api/")) return forward(from, to, server);
    const file = join(DIST, normalize(path === "/" ? "/index.html" : path));
    const content = await readFile(file).catch(() => null);
    if (content === null || !file.startsWith(DIST)) return to.writeHead(404).end();
    return to
      .writeHead(200, {
        "Content-Type": TYPES[extname(file)] ?? "text/plain",
        "Content-Security-Policy": policy,
      })
      .end(content);
  });
  await new Promise((done) => made.listen(port, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${made.address().port}/`, close: () => made.close() };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url } = await proxy(process.argv[2], Number(process.argv[3] ?? 8686));
  console.log(url);
}
