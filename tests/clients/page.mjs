// The pages of `raicho analyze --html`, `match --html` and `mate --html` in a real browser:
//   node tests/clients/page.mjs target/release/raicho [FOLDER for screenshots]
// Needs playwright (npm i playwright, found through NODE_PATH or PLAYWRIGHT=its folder) and Chromium
// (CHROMIUM=path, or the one of playwright). Prints `skipped: …`, `OK: …` or `FAULT: …`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [raicho, shots] = process.argv.slice(2);
if (!raicho) {
  console.log("FAULT: expected the path of raicho");
  process.exit(1);
}
function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(0);
}
let chromium;
try {
  const folder = process.env.PLAYWRIGHT || process.env.NODE_PATH || process.cwd();
  ({ chromium } = createRequire(join(resolve(folder), "x.js"))("playwright"));
} catch {
  skip("playwright is not installed (npm i playwright; PLAYWRIGHT=folder)");
}
const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] }).catch((error) =>
  skip(`no Chromium (${String(error).split("\n")[0]}); CHROMIUM=path`));

const folder = mkdtempSync(join(tmpdir(), "raicho-page-"));
const faults = [];
const check = (is, what) => { if (!is) faults.push(what); };
const run = (...words) => execFileSync(resolve(raicho), words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });


const NASTY = `</script><script>document.title="broken"</script><b>"'&`;
function csa(names, moves) {
  return `V2.2\nN+${names[0]}\nN-${names[1]}\nPI\n+\n${moves}%TORYO\n`;
}

async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") faults.push(`${name}: ${message.text()}`); });
  page.on("request", (request) => { if (!/^(file|data):/.test(request.url())) faults.push(`${name}: request of ${request.url()}`); });
  await page.goto(`file://${join(folder, name)}`);
  return page;
}
const label = (page) => page.locator("#board svg").getAttribute("aria-label");
const verdict = (page) => page.locator("#verdict strong").innerText();

async function analysis() {
  writeFileSync(join(folder, "game.csa"), csa([NASTY, "後手\u2028"], "+7776FU\nT3\n-3334FU\nT5\n+8822UM\nT1\n-3122GI\nT2\n+0045KA\nT9\n-4132KI\nT4\n"));
  run("analyze", "game.csa", "--nodes", "2000", "--html", "game.html", "--svg", "game.svg");
  const page = await open("game.html", { locale: "en" });
  check(await page.title() !== "broken", "a name became a script");
  check((await page.locator("#title").innerText()).includes(NASTY), "the name is not shown as it is");
  const start = await label(page);
  await page.keyboard.press("ArrowRight");
  check(await label(page) !== start, "→ does not move the board");
  await page.keyboard.press("End");
  check((await page.locator(".moves .current").count()) === 1, "no current move");
  check(/6/.test(await verdict(page)), "End does not go to the last move");
  await page.keyboard.press("Home");
  check(await label(page) === start, "Home does not go to the start");
  const box = await page.locator("#graph svg").boundingBox();
  await page.locator("#graph svg").click({ position: { x: box.width * 0.52, y: box.height / 2 } });
  check(/^3/.test(await verdict(page)), `a click on the graph shows ${await verdict(page)}`);
  await page.keyboard.press("Home");
  await page.locator(".pv button").nth(1).click();
  check(await page.locator(".verdict.in-line").count() === 1, "a line is not played through");
  await page.keyboard.press("Escape");
  check(await page.locator(".verdict.in-line").count() === 0, "Escape does not leave the line");
  const before = await page.locator("#player-top .name").innerText();
  await page.keyboard.press("f");
  check(await page.locator("#player-top .name").innerText() !== before, "the board does not flip");
  await page.locator("#settings").click();
  await page.locator("#switches button", { hasText: /Western|英式/ }).click();
  check((await page.locator(".moves .text").first().innerText()) === "P-7f", "no Western notation");
  await page.locator("#switches button", { hasText: /Japanese|日本語/ }).click();
  check((await page.locator(".moves .text").first().innerText()) === "▲７六歩", "no Japanese notation");
  await page.locator("#switches button", { hasText: /Letters|文字/ }).click();
  check((await page.locator("#board .glyph").first().innerHTML()) === "L", "no letters on the pieces");
  check((await page.locator("#board text.glyph").count()) >= 38, "pieces are missing");
  await page.context().close();
}

async function long() {
  const moves = Array.from({ length: 75 }, () => "2h3h 8b7b 3h2h 7b8b").join(" ");
  writeFileSync(join(folder, "long.usi"), `startpos moves ${moves}\n`);
  run("analyze", "long.usi", "--nodes", "200", "--threads", "2", "--html", "long.html");
  check(statSync(join(folder, "long.html")).size < 1_000_000, "a page of 300 plies is larger than 1 MB");
  const page = await open("long.html");
  const mean = await page.evaluate(async () => {
    let sum = 0;
    for (let step = 0; step < 300; step++) {
      const start = performance.now();
      document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
      sum += performance.now() - start;
      await new Promise(requestAnimationFrame);
    }
    return sum / 300;
  });
  check(/300/.test(await label(page)), "300 steps do not reach ply 300");
  check(mean < 16, `a step takes ${mean.toFixed(1)} ms of script`);
  await page.context().close();
  return mean;
}

async function phone() {
  for (const name of ["game.html", "match.html", "mate.html"]) {
    const page = await open(name, { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check(width <= 375, `${name} is ${width} pixels wide on a phone of 375`);
    const board = await page.locator("#board").boundingBox();
    check(board.width > 300, `the board of ${name} is ${board.width} pixels wide on a phone`);
    const button = await page.locator("#controls button").first().boundingBox();
    check(button.height >= 40, "buttons are too small for fingers");
    await page.context().close();
  }
}

async function others() {
  const engine = (name) => ["--engine", `cmd=${resolve(raicho)},name=${name},option.USI_Hash=16`];
  run("match", ...engine("a<b>"), ...engine("c"), "--nodes", "200", "--games", "6", "--out", "match", "--html", "match.html");
  const match = await open("match.html");
  check((await match.locator(".cross tbody tr").count()) === 2, "no cross table");
  check((await match.locator(".overview .graph svg").count()) === 1, "no Elo over time");
  check((await match.locator("#games tbody tr").count()) === 6, "not every game is listed");
  await match.locator("#games tbody button").nth(3).click();
  await match.keyboard.press("End");
  check(/#g4-\d+$/.test(match.url()), "a game of the match is not played through");
  await match.context().close();
  writeFileSync(join(folder, "mate.txt"), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n4k4/9/9/9/9/9/9/9/4K4 b G 1\n7nl/5kP2/3p2g1p/2p1gp3/p6sP/s1BGpN3/4nPSp1/1+r4R2/L1+p3K1L w GSNLPb6p 122\n");
  run("mate", "mate.txt", "--time", "5s", "--html", "mate.html");
  const mate = await open("mate.html");
  check((await mate.locator("#games tbody tr").count()) === 3, "not every problem is listed");
  await mate.locator("#games tbody button").nth(0).click();
  const before = await label(mate);
  await mate.keyboard.press("ArrowRight");
  check(await label(mate) !== before, "the solution is not played through");
  await mate.context().close();
}

async function screenshots() {
  if (!shots) return;
  mkdirSync(shots, { recursive: true });
  for (const name of ["game", "match", "mate"]) {
    for (const [kind, width, height, colorScheme, media] of [["light", 1280, 900, "light"], ["dark", 1280, 900, "dark"], ["phone", 375, 740, "light"], ["print", 760, 1075, "light", "print"]]) {
      const page = await open(`${name}.html`, { viewport: { width, height }, colorScheme });
      if (media) await page.emulateMedia({ media });
      await page.keyboard.press("ArrowRight");
      await page.screenshot({ path: join(shots, `${name}-${kind}.png`), fullPage: true });
      await page.context().close();
    }
  }
}

try {
  await analysis();
  const mean = await long();
  await others();
  await phone();
  await screenshots();
  console.log(faults.length ? `FAULT: ${faults.join("; ")}` : `OK: pages of a game, a match and mates; a step of a 300-ply game takes ${mean.toFixed(1)} ms`);
} catch (error) {
  faults.push(error.message);
  console.log(`FAULT: ${error.stack}`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(faults.length ? 1 : 0);
