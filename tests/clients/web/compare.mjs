// Nodes/s of the package of web/build.sh and of other engines in the same browser, in turn: four positions, a million
// nodes each, one thread, the same network.
//   RAICHO_NET=kp256.nn.bin node tests/clients/web/compare.mjs ROUNDS NAME=FOLDER…
// A FOLDER has raicho.js, or yaneuraou.js as Emscripten makes it from YaneuraOu. Prints each figure and the medians.
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { launchChromium, serve } from "./chromium.mjs";

const [rounds, ...engines] = process.argv.slice(2);
const net = process.env.RAICHO_NET;
if (!(Number(rounds) > 0) || !engines.length || !engines.every((engine) => /^\w+=./.test(engine)) || !net) {
  console.error("error: expected RAICHO_NET=FILE and the arguments ROUNDS NAME=FOLDER…");
  process.exit(2);
}
const folders = {};
const isRaicho = {};
for (const engine of engines) {
  const [name, folder] = engine.split(/=(.*)/s);
  folders[`/${name}/`] = resolve(folder);
  isRaicho[name] = existsSync(join(folder, "raicho.js"));
  if (!isRaicho[name] && !existsSync(join(folder, "yaneuraou.js"))) {
    console.error(`error: ${folder} has neither raicho.js nor yaneuraou.js`);
    process.exit(2);
  }
}
const browser = await launchChromium();
if (!browser) process.exit(0);
const server = await serve({ folders, contents: { "/net": readFileSync(net) }, isIsolated: true });

const figures = Object.fromEntries(Object.keys(isRaicho).map((name) => [name, []]));
for (let round = 0; round < Number(rounds); round++) {
  for (const name of Object.keys(figures)) {
    const page = await browser.newPage();
    page.on("pageerror", (error) => console.log(`note: ${name}: ${error.message}`));
    await page.goto(server.url);
    figures[name].push(Math.round(await page.evaluate(measure, [name, isRaicho[name]])));
    console.log(`${name} ${figures[name].at(-1)}`);
    await page.close();
  }
}
for (const [name, values] of Object.entries(figures)) {
  console.log(`median ${name} ${values.sort((a, b) => a - b)[values.length >> 1]}`);
}
await browser.close();
server.close();

/** In the page: nodes/s over all positions, from the engine's own `info` lines. */
async function measure([name, isRaicho]) {
  // The positions of YaneuraOu's `bench`.
  const positions = [
    "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
    "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
  ];
  const options = { Threads: 1, USI_Hash: 64, NetworkDelay: 0, NetworkDelay2: 0, MinimumThinkingTime: 1 };
  const net = new Uint8Array(await (await fetch("/net")).arrayBuffer());
  let engine;
  if (isRaicho) {
    const { default: createRaicho } = await import(`/${name}/raicho.js`);
    engine = await createRaicho();
    engine.writeFile("nn.bin", net);
    Object.assign(options, { EvalFile: "nn.bin", USI_OwnBook: false });
  } else {
    const script = document.createElement("script");
    script.src = `/${name}/yaneuraou.js`;
    await new Promise((done) => {
      script.onload = done;
      document.head.append(script);
    });
    const create = window[Object.keys(window).find((key) => /^yaneuraou/i.test(key))];
    engine = await create({ locateFile: (file) => `/${name}/${file}`, mainScriptUrlOrBlob: script.src });
    engine.FS.writeFile("/nn.bin", net);
    Object.assign(options, { EvalDir: ".", BookFile: "no_book", RoundUpToFullSecond: false });
  }
  return new Promise((done) => {
    let last;
    const total = { nodes: 0, seconds: 0 };
    const next = () => {
      if (!positions.length) return done(total.nodes / total.seconds);
      engine.postMessage(`position sfen ${positions.shift()}`);
      engine.postMessage("go nodes 1000000");
    };
    engine.addMessageListener((line) => {
      last = line.match(/ nodes (\d+).* nps (\d+)/) ?? last;
      if (line.startsWith("bestmove")) {
        total.nodes += Number(last[1]);
        total.seconds += last[1] / last[2];
      }
      if (/^(readyok|bestmove)/.test(line)) next();
    });
    engine.postMessage("usi");
    for (const [name, value] of Object.entries(options)) engine.postMessage(`setoption name ${name} value ${value}`);
    engine.postMessage("isready");
  });
}
