// Chromium and the server of a page, for the scripts of this folder.
// Driven by playwright-core (npm i playwright-core; PLAYWRIGHT=its folder; CHROMIUM=path).
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, resolve } from "node:path";

/** Launches Chromium; prints `skipped: …` and returns nothing where that is not possible. */
export async function launchChromium() {
  let chromium;
  try {
    const from = process.env.PLAYWRIGHT || process.env.NODE_PATH || process.cwd();
    ({ chromium } = createRequire(join(resolve(from), "x.js"))("playwright-core"));
  } catch {
    console.log("skipped: Chromium: playwright-core is not installed (npm i playwright-core; PLAYWRIGHT=folder)");
    return undefined;
  }
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  const executablePath = process.env.CHROMIUM || found;
  return chromium.launch({ executablePath, args: ["--no-sandbox"] }).catch((error) => {
    console.log(`skipped: Chromium: ${String(error).split("\n")[0]} (CHROMIUM=path)`);
  });
}

/**
 * Serves an empty page at `/`, each of `contents` (bytes by path) and the files of each of `folders` (folder by path,
 * the longest that fits); with `isIsolated` under the headers that let memory be shared. Returns `{ url, close }`.
 */
export async function serve({ folders, contents = {}, isIsolated }) {
  const types = { ".js": "text/javascript", ".ts": "text/javascript", ".wasm": "application/wasm", ".html": "text/html", ".css": "text/css", ".json": "application/json" };
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);
  const server = createServer((request, response) => {
    const name = new URL(request.url, "http://x").pathname;
    const prefix = prefixes.find((prefix) => name.startsWith(prefix));
    const path = prefix && join(folders[prefix], name.slice(prefix.length));
    if (isIsolated) {
      response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
      response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    }
    // Pages of another origin may take it.
    response.setHeader("Access-Control-Allow-Origin", "*");
    response.setHeader("Cross-Origin-Resource-Policy", "cross-origin");
    const type = name === "/" ? types[".html"] : types[extname(name)];
    response.setHeader("Content-Type", type ?? "text/plain");
    if (name === "/") response.end("<!doctype html><title>Raicho</title>");
    else if (contents[name]) response.end(contents[name]);
    else if (path && existsSync(path)) response.end(readFileSync(path));
    else response.writeHead(404).end();
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}
