// The pages of `raicho analyze --html`, `match --html` and `mate --html` in a real browser:
//   node tests/clients/page.mjs target/release/raicho [FOLDER for screenshots]
// Needs playwright (npm i playwright axe-core, found through NODE_PATH or PLAYWRIGHT=their folder) and Chromium
// (CHROMIUM=path, or the one of playwright). Without axe-core its checks are left out, which is said. Prints `skipped: …`, `OK: …` or `FAULT: …`.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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
const modules = createRequire(join(resolve(process.env.PLAYWRIGHT || process.env.NODE_PATH || process.cwd()), "x.js"));
let chromium;
try {
  ({ chromium } = modules("playwright"));
} catch {
  skip("playwright is not installed (npm i playwright; PLAYWRIGHT=folder)");
}
const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
let axe = null;
try {
  axe = readFileSync(modules.resolve("axe-core/axe.min.js"), "utf8");
} catch {
  console.log("skipped: the checks of axe-core (npm i axe-core)");
}
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] }).catch((error) =>
  skip(`no Chromium (${String(error).split("\n")[0]}); CHROMIUM=path`));

const folder = mkdtempSync(join(tmpdir(), "raicho-page-"));
const faults = [];
const check = (is, what) => { if (!is) faults.push(what); };
const run = (...words) => execFileSync(resolve(raicho), words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });


const NASTY = `</script><script>document.title="broken"</script><b>"'&`;
function csa(names, moves) {
  return `V2.2\nN+${names[0]}\nN-${names[1]}\n$EVENT:wdoor+floodgate-300-10F+${"a".repeat(30)}+${"b".repeat(30)}+20210405160009\nPI\n+\n${moves}%TORYO\n`;
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
  run("analyze", "game.csa", "--nodes", "2000", "--html", "game.html");
  const page = await open("game.html", { locale: "en" });
  check(await page.title() !== "broken", "a name became a script");
  check((await page.locator("#title").innerText()).includes(NASTY), "the name is not shown as it is");
  const start = await label(page);
  await page.keyboard.press("ArrowRight");
  check(await label(page) !== start, "→ does not move the board");
  await page.keyboard.press("End");
  check((await page.locator(".moves .current").count()) === 1, "no current move");
  check(/6/.test(await verdict(page)), "End does not go to the last move");
  const numbers = await page.locator(".moves .number").allInnerTexts();
  check(numbers.join() === "1,2,3,4,5,6", `the moves have the numbers ${numbers}`);
  await page.locator("#jump").fill("2");
  await page.keyboard.press("Enter");
  check(/^2/.test(await verdict(page)), "a number does not lead to its move");
  await page.locator("#export-title").click();
  const [saved] = await Promise.all([page.waitForEvent("download"), page.locator("#exports button", { hasText: /SVG/ }).click()]);
  check(/\.svg$/.test(saved.suggestedFilename()), "the picture has another name");
  check(/^<svg [^]*<\/svg>$/.test(readFileSync(await saved.path(), "utf8")), "the picture is no SVG");
  await page.locator("#export-title").click();
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
  await page.locator("#switches button", { hasText: /Western|欧米式/ }).click();
  check((await page.locator(".moves .text").first().innerText()) === "P-7f", "no Western notation");
  await page.locator("#switches button", { hasText: /Japanese|日本語/ }).click();
  check((await page.locator(".moves .text").first().innerText()) === "▲７六歩", "no Japanese notation");
  await page.locator("#switches button", { hasText: /Letters|アルファベット/ }).click();
  check((await page.locator("#board .glyph").first().innerHTML()) === "L", "no letters on the pieces");
  check((await page.locator("#board text.glyph").count()) >= 38, "pieces are missing");
  await page.context().close();
}

// What is said about starts, sides, judgements and results.
async function judgements() {
  const start = "lnsgk2nl/1r4gs1/p1pppp1pp/1p4p2/9/2P6/PP1PPPP1P/1S5R1/LN1GKGSNL w Bbp 14";
  writeFileSync(join(folder, "middle.usi"), `sfen ${start} moves 2c2d\n`);
  run("analyze", "middle.usi", "--nodes", "300", "--lang", "ja", "--html", "middle.html");
  let page = await open("middle.html");
  check(await page.title() === "☗ 先手 対 ☖ 後手", `an even game has the title ${await page.title()}`);
  check((await page.locator("#player-top .name").innerText()) === "後手", "an even game has the sides of a handicap");
  const formula = await page.locator("#summary .formula").innerText();
  check(/を5%以上失う手が緩手、10%以上が疑問手、20%以上が悪手/.test(formula), `thresholds: ${formula}`);
  await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: (text) => { window.copied = text; } } }));
  const copied = async () => {
    await page.locator("#controls button").last().click();
    return page.evaluate(() => window.copied);
  };
  check(await copied() === `sfen ${start}`, "the copied start is another position");
  await page.locator(".pv button").nth(1).click();
  check(/ 16$/.test(await copied()), "a position of a line has the number of another move");
  await page.context().close();

  writeFileSync(join(folder, "missed.usi"), "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b 1 moves 5i5h 5a6b 5h5g\nstartpos moves 7g7f\n");
  run("analyze", "missed.usi", "--nodes", "500", "--threads", "1", "--lang", "ja", "--html", "missed.html");
  page = await open("missed.html");
  await page.locator("#summary .black .counts .severe").click();
  check(/^1手目/.test(await verdict(page)), "a blunder that missed a mate is not found");
  check(/詰み逃し（1手詰） · 大悪手/.test(await page.locator("#verdict em").innerText()), "a judgement is missing");
  check((await page.locator(".moves b").first().innerText()) === "詰???", "a mark is missing");
  const shares = await page.locator("#games tbody tr").nth(1).locator("td").allInnerTexts();
  check(shares.at(-1) === "–", `a player without moves agrees in ${shares.at(-1)}`);
  await page.context().close();

  writeFileSync(join(folder, "broken-off.csa"), csa(["a", "b"], "+7776FU\n-3334FU\n").replace("%TORYO", "%CHUDAN"));
  run("analyze", "broken-off.csa", "--nodes", "50", "--lang", "ja", "--html", "broken-off.html");
  page = await open("broken-off.html");
  check(/中断/.test(await page.locator("#subtitle").innerText()), "a broken-off game is not named");
  await page.context().close();
}

// Wheel, keys, settings and addresses.
async function inputs() {
  const page = await open("game.html");
  const ply = () => page.evaluate(() => Number(location.hash.slice(1)));
  const wheel = (deltaX, deltaY, times = 1) => page.evaluate(([deltaX, deltaY, times]) => {
    for (let index = 0; index < times; index++) document.querySelector("#board").dispatchEvent(new WheelEvent("wheel", { deltaX, deltaY, bubbles: true, cancelable: true }));
  }, [deltaX, deltaY, times]);
  await wheel(0, 120, 2);
  check(await ply() === 2, `two notches of the wheel lead to move ${await ply()}`);
  await wheel(100, 0);
  check(await ply() === 2, "a sideways wheel is a step");
  await wheel(0, 2, 30);
  check(await ply() === 3, `30 small movements lead to move ${await ply()}`);
  await wheel(0, -120);
  check(await ply() === 2, "the wheel does not go back");
  const before = await page.locator("#player-top .name").innerText();
  await page.keyboard.press("F");
  check(await page.locator("#player-top .name").innerText() !== before, "F with Shift does not flip the board");
  await page.locator("#settings").focus();
  await page.keyboard.press("Space");
  check(await page.locator("#menu").getAttribute("open") !== null, "Space does not open the menu");
  await page.keyboard.press("End");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("Space");
  check(await ply() === 0, "play at the end does not begin again");
  await page.keyboard.press("Space");
  await page.locator("#switches button", { hasText: /^Dark|^ダーク/ }).click();
  await page.goto(`file://${join(folder, "middle.html")}`);
  const kept = await page.evaluate(() => [document.documentElement.dataset.theme, document.documentElement.lang]);
  check(kept.join() === "dark,ja", `another page opens as ${kept}`);
  await page.context().close();

  mkdirSync(join(folder, "pkg"));
  writeFileSync(join(folder, "pkg", "raicho.page.js"), `const RAICHO_FILES = { wasm: "", worker: "" };\nconst Raicho = null;\n`);
  run("analyze", "middle.usi", "--nodes", "50", "--lang", "ja", "--html", "engine.html", "--with-engine", "pkg");
  const thinking = await open("engine.html");
  await thinking.locator("#think").click();
  await thinking.locator(".live .figures").waitFor({ timeout: 3000 }).catch(() => check(false, "a broken engine is not named"));
  check((await thinking.locator("#think").innerText()) === "エンジンで検討", "the button of a broken engine says that it runs");
  await thinking.context().close();

  writeFileSync(join(folder, "sides.txt"), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n4k4/9/9/9/9/9/4p4/9/4K4 w g 1\n");
  run("mate", "sides.txt", "--time", "5s", "--html", "sides.html");
  const mate = await open("sides.html");
  const top = () => mate.locator("#player-top .sign").innerText();
  check(await top() === "☖", "Black does not solve from below");
  await mate.evaluate(() => { location.hash = "#g2-0"; });
  await mate.waitForFunction(() => document.querySelector("#player-top .sign").textContent === "☗", null, { timeout: 3000 })
    .catch(() => check(false, "an address does not turn the board"));
  await mate.context().close();
}

async function long() {
  const moves = Array.from({ length: 75 }, () => "2h3h 8b7b 3h2h 7b8b").join(" ");
  writeFileSync(join(folder, "long.usi"), `startpos moves ${moves}\n`);
  run("analyze", "long.usi", "--nodes", "200", "--threads", "2", "--html", "long.html");
  check(statSync(join(folder, "long.html")).size < 300_000, "a page of 300 plies is larger than 300 kB");
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

const PAGES = ["game", "match", "mate"];
const LANGS = ["ja", "en"];

/** Opens a page in a language, as a reader does who chose it before. */
async function openIn(lang, name, options) {
  const page = await open(`${name}.html`, options);
  if (await page.evaluate(() => document.documentElement.lang) !== lang) await page.locator("#language button").click();
  await page.keyboard.press("Home");
  const first = await page.locator(".moves .text").first().innerText();
  check(/^[▲△]/.test(first) === (lang === "ja"), `${name}.html, ${lang}, has the move ${first}`);
  return page;
}

// Roles, names and contrasts, as a screen reader and tired eyes need them.
async function accessible() {
  if (!axe) return;
  for (const [name, lang, width, colorScheme] of PAGES.flatMap((name) => LANGS.flatMap((lang) => [[1280, "light"], [1280, "dark"], [360, "light"]].map((view) => [name, lang, ...view])))) {
    const page = await openIn(lang, name, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
    await page.keyboard.press("End");
    await page.locator("#settings").click();
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    for (const { impact, id, nodes } of violations) check(!["serious", "critical"].includes(impact), `${name}.html, ${lang}, ${width} pixels, ${colorScheme}: ${impact} ${id}: ${nodes[0].html.slice(0, 120)}`);
    await page.context().close();
  }
}

// All that a mouse reaches is reached by keys, and the focus stays where it was.
async function keyboard() {
  for (const name of PAGES) {
    const page = await open(`${name}.html`, { locale: "en" });
    await page.keyboard.press("ArrowRight");
    const wanted = await page.evaluate(() => {
      const all = [...document.querySelectorAll("button, summary, input, a[href], [tabindex='0']")];
      const visible = all.filter((part) => part.checkVisibility() && !part.disabled && part.tabIndex >= 0);
      visible.forEach((part, index) => { part.dataset.stop = index; });
      return visible.length;
    });
    const reached = new Set();
    for (let step = 0; step <= wanted; step++) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement.dataset.stop));
    }
    check([...reached].filter((stop) => stop !== undefined).length === wanted, `${name}.html: Tab reaches ${reached.size} of ${wanted} controls`);
    check(await page.locator(".moves [tabindex='0']").count() === 1, `${name}.html: the list of moves has not one stop of Tab`);
    await page.locator("#settings").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    const label = await page.evaluate(() => document.activeElement.textContent);
    await page.keyboard.press("Enter");
    check(await page.evaluate(() => document.activeElement.textContent) === label, `${name}.html: a setting loses the focus`);
    await page.keyboard.press("Escape");
    check(await page.evaluate(() => document.activeElement.id === "settings" && !document.querySelector("#menu").open), `${name}.html: Escape does not close the menu`);
    await page.locator("#controls button").nth(4).focus();
    await page.keyboard.press("Enter");
    check(await page.evaluate(() => document.activeElement.closest("#controls") !== null), `${name}.html: the play button loses the focus`);
    await page.context().close();
  }
  const page = await open("game.html");
  await page.locator(".lines .pv button").nth(1).focus();
  await page.keyboard.press("Enter");
  check(await page.locator(".lines .pv .chosen:focus").count() === 1, "a move of a line loses the focus");
  await page.context().close();
}

async function phone() {
  for (const [name, lang] of PAGES.flatMap((name) => LANGS.map((lang) => [name, lang]))) {
    const page = await openIn(lang, name, { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    check(width <= 360, `${name}.html, ${lang}, is ${width} pixels wide on a phone of 360`);
    const board = await page.locator("#board").boundingBox();
    check(board.width > 300, `the board of ${name}.html is ${board.width} pixels wide on a phone`);
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
  for (const [name, lang] of PAGES.flatMap((name) => LANGS.map((lang) => [name, lang]))) {
    for (const [kind, width, height, colorScheme, media] of [["light", 1280, 900, "light"], ["dark", 1280, 900, "dark"], ["phone", 360, 740, "light"], ["print", 760, 1075, "light", "print"]]) {
      const page = await openIn(lang, name, { viewport: { width, height }, colorScheme });
      if (media) await page.emulateMedia({ media });
      await page.keyboard.press("ArrowRight");
      await page.screenshot({ path: join(shots, `${name}-${lang}-${kind}.png`), fullPage: true });
      await page.context().close();
    }
  }
}

try {
  await analysis();
  await judgements();
  await inputs();
  const mean = await long();
  await others();
  await phone();
  await keyboard();
  await accessible();
  await screenshots();
  console.log(faults.length ? `FAULT: ${faults.join("; ")}` : `OK: pages of games, a match and mates; a step of a 300-ply game takes ${mean.toFixed(1)} ms`);
} catch (error) {
  faults.push(error.message);
  console.log(`FAULT: ${error.stack}`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(faults.length ? 1 : 0);
