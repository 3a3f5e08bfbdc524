// The package of web/build.sh in pages of others, in Chromium, with the headers that let memory be shared and without:
// ShogiHome's own list of engines, loader and session (src/renderer/wasm-engine of its repository, 1.29 or later), and
// a page that loads a classic script, from another origin, and calls it as lishogi does.
//   SHOGIHOME=folder of its repository MODULES=folder with esbuild, tsshogi and encoding-japanese from npm
//   PLAYWRIGHT=folder with playwright-core (CHROMIUM=path) node tests/clients/web/hosts.mjs web/pkg
// Prints `skipped: …`, `OK: …` or `FAULT: …`.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { launchChromium, serve } from "./chromium.mjs";

const pkg = resolve(process.argv[2] ?? "web/pkg");
const { SHOGIHOME, MODULES } = process.env;
if (!existsSync(join(pkg, "engine.json"))) {
  console.log(`skipped: no ${pkg}/engine.json, build it with web/build.sh`);
  process.exit(0);
}
const browser = await launchChromium();
if (!browser) process.exit(0);

/** Modules of ShogiHome as one script. */
async function bundle(names) {
  const { build } = createRequire(join(resolve(MODULES), "x.js"))("esbuild");
  const source = resolve(SHOGIHOME, "src");
  const contents = names.map((name) => `export * from "@/renderer/wasm-engine/${name}.ts";`).join("\n");
  const options = { bundle: true, format: "esm", write: false, alias: { "@": source }, nodePaths: [resolve(MODULES, "node_modules")] };
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: source, loader: "ts" } });
  return outputFiles[0].contents;
}

/** Runs in the page, as ShogiHome does: every preset is listed, started, and plays. */
async function shogihome() {
  const home = await import("/shogihome.js");
  const response = await fetch("/engines/raicho/engine.json");
  const engines = home.buildUSIEngines("raicho", home.parseEngineManifest(await response.json()));
  const log = [];
  const factory = home.createWasmEngineTransportFactory((text) => log.push(text));
  const manager = new home.USISessionManager(factory, (level, text) => log.push(text));
  const waiting = {};
  const heard = (name) => (id, usi, ...values) => waiting[name]?.(values.flat());
  manager.setHandlers({
    onUSIBestMove: heard("move"),
    onUSICheckmate: heard("mate"),
    onUSINoMate: heard("none"),
    onUSICheckmateTimeout: heard("none"),
    onUSICheckmateNotImplemented: heard("none"),
    onUSIInfo: heard("info"),
  });
  const next = (name) =>
    new Promise((done, fail) => {
      waiting[name] = done;
      setTimeout(() => fail(new Error(`no ${name} within 30 s:\n${log.slice(-20).join("\n")}`)), 30_000);
    });
  const clock = { timeMs: 5000, byoyomi: 1, increment: 0 };
  const moves = [];
  for (const engine of engines) {
    const id = await manager.setupPlayer(engine, {});
    await manager.ready(id);
    const move = next("move");
    manager.go(id, "position startpos moves 7g7f", { black: clock, white: clock });
    moves.push(`${engine.name} ${(await move)[0]}`);
    if (engine === engines[0]) {
      // Research: another position ends the search before it.
      for (const position of ["position startpos", "position startpos moves 2g2f"]) {
        const info = next("info");
        manager.goInfinite(id, position);
        await info;
      }
      manager.stop(id);
      await next("move");
      const mate = next("mate");
      manager.goMate(id, "position sfen 4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1", 5);
      moves.push(`mate ${(await mate)[0]}`);
    }
    manager.gameover(id, "win");
    manager.quit(id);
  }
  const error = log.find((line) => line.includes("info string error"));
  if (error) throw new Error(error);
  return moves.join(", ");
}

/** Runs in the page, as lishogi's analysis does; one line is analysed. */
async function lishogi(folder) {
  const script = document.createElement("script");
  script.src = `${folder}raicho.iife.js`;
  document.head.append(script);
  await new Promise((done) => (script.onload = done));
  window.YaneuraOu_K_P = window.Raicho;
  const wasmBinary = await (await fetch(`${folder}raicho.wasm`)).arrayBuffer();
  const engine = await window.YaneuraOu_K_P({ wasmBinary, locateFile: (path) => folder + path, wasmMemory: null });
  const lines = [];
  const bestmove = new Promise((done) => {
    engine.addMessageListener((line) => {
      lines.push(line);
      if (line === "usiok") {
        for (const option of ["USI_AnalyseMode value true", "USI_Hash value 16", "Threads value 1"]) engine.postMessage(`setoption name ${option}`);
        engine.postMessage("usinewgame");
        engine.postMessage("isready");
      }
      if (line === "readyok") {
        engine.postMessage("position startpos moves 7g7f");
        engine.postMessage("go depth 5");
      }
      if (line.startsWith("bestmove ")) done(line);
    });
  });
  engine.postMessage("usi");
  const answer = await bestmove;
  const error = lines.find((line) => line.startsWith("info string error"));
  if (error || !lines.some((line) => line.startsWith("info depth 5"))) throw new Error(error ?? lines.join("\n"));
  engine.terminate();
  return answer;
}

const hosts = { lishogi };
const contents = {};
if (SHOGIHOME && MODULES) {
  hosts.shogihome = shogihome;
  contents["/shogihome.js"] = await bundle(["session", "transport", "manifest", "catalog"]);
  contents["/engine.worker.ts"] = await bundle(["engine.worker"]);
} else {
  console.log("skipped: ShogiHome: expected SHOGIHOME=folder of its repository and MODULES=folder");
}
let faults = 0;
for (const isIsolated of [true, false]) {
  const server = await serve({ folders: { "/engines/raicho/": pkg }, contents, isIsolated });
  const other = await serve({ folders: { "/": pkg }, isIsolated });
  for (const [host, play] of Object.entries(hosts)) {
    const name = `${host}, ${isIsolated ? "isolated" : "plain"} page`;
    const page = await browser.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    try {
      await page.goto(server.url);
      const text = await page.evaluate(play, other.url);
      if (errors.length) throw new Error(errors.join("; "));
      console.log(`OK: ${name}: ${text}`);
    } catch (error) {
      faults += 1;
      console.log(`FAULT: ${name}: ${error.message}`);
    }
    await page.close();
  }
  server.close();
  other.close();
}
await browser.close();
process.exit(faults ? 1 : 0);
