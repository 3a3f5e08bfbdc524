// Pages that think: `raicho analyze --html --with-engine`, opened from a disk, and the demo page of the guide.
//   node tests/clients/web/pages.mjs target/release/raicho web/pkg [FOLDER for screenshots]
// Chromium is driven by playwright-core (PLAYWRIGHT=its folder; CHROMIUM=path).
// Prints `skipped: …`, `OK: …` or `FAULT: …`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launchChromium, serve } from "./chromium.mjs";

const [raicho, pkg, shots] = process.argv.slice(2);
if (!raicho || !pkg || !existsSync(join(pkg, "raicho.page.js"))) {
  console.log("skipped: expected the path of raicho and the folder that web/build.sh makes");
  process.exit(0);
}
const browser = await launchChromium();
if (!browser) process.exit(0);
const folder = mkdtempSync(join(tmpdir(), "raicho-web-"));
const faults = [];
const check = (is, what) => { if (!is) faults.push(what); };

async function newPage(name, isLocal, options) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, locale: "en", ...options });
  page.setDefaultTimeout(60_000);
  page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") faults.push(`${name}: ${message.text()}`); });
  if (!isLocal) page.on("request", (request) => { if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:)/.test(request.url())) faults.push(`${name}: request of ${request.url()}`); });
  if (isLocal) page.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) faults.push(`${name}: request of ${request.url()}`); });
  return page;
}
/** Clicks a square of the board, by its name. */
async function clickSquare(page, name) {
  const [x, y] = await page.evaluate((name) => {
    const box = document.querySelector("#board svg").getBoundingClientRect();
    const [column, rank] = [9 - Number(name[0]), "abcdefghi".indexOf(name[1])];
    return [box.x + ((14 + (column + 0.5) * 100) / 958) * box.width, box.y + ((44 + (rank + 0.5) * 109) / 1039) * box.height];
  }, name);
  await page.mouse.click(x, y);
}

/** Presses keys on the board: to the square at this distance in columns and rows from the chosen one, then Enter. */
async function pressOnBoard(page, columns, rows) {
  for (let step = 0; step < Math.abs(columns); step++) await page.keyboard.press(columns < 0 ? "ArrowLeft" : "ArrowRight");
  for (let step = 0; step < Math.abs(rows); step++) await page.keyboard.press(rows < 0 ? "ArrowUp" : "ArrowDown");
  await page.keyboard.press("Enter");
}
/** Gives the board the focus as the Tab key does. */
async function focusBoard(page) {
  await page.locator("#board").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
}
/** What axe-core finds, if it is installed. */
async function checkRoles(page, name) {
  let axe;
  try {
    axe = readFileSync(createRequire(join(resolve(process.env.PLAYWRIGHT ?? "."), "x.js")).resolve("axe-core/axe.min.js"), "utf8");
  } catch { return; }
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { impact, id, nodes } of violations) check(!["serious", "critical"].includes(impact), `${name}: ${impact} ${id}: ${nodes[0].html.slice(0, 120)}`);
}

async function report() {
  writeFileSync(join(folder, "game.csa"), "V2.2\nN+A\nN-B\nPI\n+\n+7776FU\nT3\n-3334FU\nT5\n+2726FU\nT1\n%TORYO\n");
  execFileSync(resolve(raicho), ["analyze", "game.csa", "--nodes", "2000", "--html", "game.html", "--with-engine", resolve(pkg), "--lang", "en"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const page = await newPage("report", true);
  await page.goto(`file://${join(folder, "game.html")}`);
  await page.click("#think");
  await page.waitForSelector(".live .line .pv button");
  await page.waitForFunction(() => document.querySelectorAll(".live .line").length === 3);
  // A free move: 2g2f is the third move of the game, 6i7h is not in it.
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".live .line");
  await page.waitForTimeout(500);
  await clickSquare(page, "6i");
  await page.waitForSelector("#board .target", { state: "attached" });
  await clickSquare(page, "7h");
  await page.waitForFunction(() => document.querySelector("#verdict strong").textContent.includes("1/1"));
  await page.waitForFunction(() => document.querySelectorAll(".live .line").length === 3);
  if (shots) await page.screenshot({ path: join(shots, "thinking.png") });
  // A click leaves the arrow keys to the game; on the board that Tab has reached they choose squares: 5g5f.
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => !document.querySelector(".verdict.in-line"));
  await focusBoard(page);
  await pressOnBoard(page, 0, 2);
  await page.waitForSelector("#board .target", { state: "attached" });
  await pressOnBoard(page, 0, -1);
  await page.waitForFunction(() => document.querySelector("#verdict strong").textContent.includes("1/1"));
  await checkRoles(page, "a page that thinks");
  await page.click("#think");
  await page.waitForFunction(() => !document.querySelector(".live .line"));
  await page.close();
  return `a page of ${Math.round(statSync(join(folder, "game.html")).size / 1024)} KB`;
}

async function demo() {
  const root = join(dirname(fileURLToPath(import.meta.url)), "../../../book/src");
  if (!existsSync(join(root, "play/pkg/raicho.wasm"))) return "skipped: book/src/play/pkg is not built";
  const server = await serve({ folders: { "/": root }, isIsolated: false });
  const page = await newPage("demo", false);
  await page.goto(`${server.url}play/index.html`);
  await page.waitForFunction(() => document.querySelector("#status").textContent === "Your move.");
  await clickSquare(page, "7g");
  await clickSquare(page, "7f");
  await page.waitForFunction(() => /2\. /.test(document.querySelector("#moves").textContent));
  await page.selectOption("#mode", "analyse");
  await page.waitForFunction(() => document.querySelectorAll("#lines p").length === 3);
  if (shots) await page.screenshot({ path: join(shots, "demo.png") });
  // The giver moves first: Raicho, then the reader.
  await page.selectOption("#mode", "0");
  await page.selectOption("#handicap", { label: "2 pieces" });
  await page.waitForFunction(() => /^1\. \S+$/.test(document.querySelector("#moves").textContent));
  await page.waitForFunction(() => document.querySelector("#status").textContent === "Your move.");
  const count = await page.locator("#board svg > g[transform]").count();
  check(count === 38, `${count} pieces on the board of a handicap of two`);
  await checkRoles(page, "demo");
  await page.close();
  // In the reader's language, on a small screen, by keys only: 7g7f.
  const phone = await newPage("demo in Japanese", false, { viewport: { width: 360, height: 740 }, locale: "ja" });
  await phone.goto(`${server.url}play/index.html`);
  await phone.waitForFunction(() => document.querySelector("#status").textContent === "あなたの番です。");
  await focusBoard(phone);
  await pressOnBoard(phone, -2, 2);
  await pressOnBoard(phone, 0, -1);
  await phone.waitForFunction(() => /^1\. ▲７六歩2\. △/.test(document.querySelector("#moves").textContent));
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 360, `the demo page is ${width} pixels wide on a phone of 360`);
  if (shots) await phone.screenshot({ path: join(shots, "demo-phone.png"), fullPage: true });
  await checkRoles(phone, "demo in Japanese");
  await phone.close();
  server.close();
  return "the demo page";
}

for (const part of [report, demo]) {
  try {
    const text = await part();
    console.log(text.startsWith("skipped") ? text : `OK: ${text}`);
  } catch (error) {
    check(false, `${part.name}: ${error.message}`);
  }
}
await browser.close();
rmSync(folder, { recursive: true });
for (const fault of faults) console.log(`FAULT: ${fault}`);
process.exit(faults.length ? 1 : 0);
