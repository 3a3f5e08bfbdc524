// The package of web/build.sh in Node and in Chromium:
//   node tests/clients/web/engine.mjs web/pkg [--only CHECK,…] [--in node,node1,isolated,plain]
// `node1` and `plain` have one thread: `plain` is a page without the headers that let memory be shared.
// RAICHO_NET names a kp256.nn.bin (its evaluations beside it), RAICHO_CORPORA the folder with usi_traces. Chromium is
// driven by playwright-core (npm i playwright-core; PLAYWRIGHT=its folder; CHROMIUM=path).
// Prints `skipped: …`, `OK: …` or `FAULT: …` for each place and check.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runChecks } from "./checks.js";
import { launchChromium, serve } from "./chromium.mjs";

const words = process.argv.slice(2);
const option = (name) => (words.includes(name) ? words.splice(words.indexOf(name), 2)[1].split(",") : undefined);
const only = option("--only");
const places = option("--in") ?? ["node", "node1", "isolated", "plain"];
const folder = resolve(words[0] ?? "web/pkg");
if (!existsSync(join(folder, "raicho.wasm"))) {
  console.log(`skipped: no ${folder}/raicho.wasm, build it with web/build.sh`);
  process.exit(0);
}

const data = { only, benchDepth: Number(process.env.BENCH_DEPTH) || 0, benchNodes: Number(process.env.BENCH_NODES) || 0, traces: {} };
if (!data.benchDepth && !data.benchNodes) data.benchNodes = nodesOfNative();
const net = process.env.RAICHO_NET;
if (net) {
  data.net = new Uint8Array(readFileSync(net));
  data.evals = readFileSync(net.replace(".nn.bin", "_evals.tsv"), "utf8");
}
const corpora = process.env.RAICHO_CORPORA;
if (corpora) {
  const traces = join(corpora, "usi_traces");
  for (const name of readdirSync(traces).filter((name) => name.endsWith(".usi.log"))) {
    data.traces[name] = readFileSync(join(traces, name), "utf8");
  }
}

let faults = 0;
const report = (place) => ({ name, text, fault }) => {
  const word = fault ? "FAULT" : text.startsWith("skipped") ? "skipped" : "OK";
  console.log(`${word}: ${place}: ${name}: ${(fault ?? text).replace(/^skipped: /, "")}`);
};

const { default: createRaicho } = await import(pathToFileURL(join(folder, "raicho.js")));
if (places.includes("node")) faults += await runChecks(createRaicho, { ...data, hasThreads: true }, report("node"));
if (places.includes("node1")) {
  const one = (options) => createRaicho({ ...options, threads: false });
  faults += await runChecks(one, { ...data, hasThreads: false }, report("node, one thread"));
}
if (places.some((place) => ["isolated", "plain"].includes(place))) await inChromium();
process.exit(faults ? 1 : 0);

// The nodes of `raicho bench`, from the newest line `Bench: <nodes>` of the history.
function nodesOfNative() {
  const log = ["log", "-1", "--extended-regexp", "--grep=^Bench: [0-9]+$", "--format=%B"];
  const message = execFileSync("git", log, { cwd: dirname(fileURLToPath(import.meta.url)), encoding: "utf8" });
  return Number(message.match(/^Bench: (\d+)$/m)[1]);
}

async function inChromium() {
  const browser = await launchChromium();
  if (!browser) return;
  for (const place of places.filter((place) => ["isolated", "plain"].includes(place))) {
    await inPage(browser, place);
  }
  await browser.close();
}

async function inPage(browser, place) {
  const isIsolated = place === "isolated";
  const here = dirname(fileURLToPath(import.meta.url));
  const contents = { "/checks.js": readFileSync(join(here, "checks.js")), "/net": data.net };
  const server = await serve({ folders: { "/": folder }, contents, isIsolated });
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.log(`note: ${place}: ${error.message}`));
  await page.exposeFunction("report", report(`Chromium, ${isIsolated ? "isolated page" : "plain page"}`));
  await page.goto(server.url);
  const { net: bytes, ...rest } = data;
  faults += await page.evaluate(async ([rest, hasNet, hasThreads]) => {
    const { default: createRaicho } = await import("/raicho.js");
    const { runChecks } = await import("/checks.js");
    const net = hasNet ? await (await fetch("/net")).arrayBuffer() : undefined;
    if (crossOriginIsolated !== hasThreads) throw new Error("the page is not isolated as wanted");
    return runChecks(createRaicho, { ...rest, net, hasThreads }, window.report);
  }, [rest, Boolean(bytes), isIsolated]);
  await page.close();
  server.close();
}
