// The page: what is shown, and what the reader does.
const DATA = JSON.parse(byId("data").textContent);
const view = { graph: null, markMove: () => {}, markGame: () => {}, onUpdate: () => {}, onHand: null };
const currentGame = () => DATA.games[state.game];

// What the settings may be. They last as long as the browser allows, which pages opened from a disk
// may not, and anybody can write there: other versions, other pages of the same place.
const SETTINGS = { lang: ["ja", "en"], notation: ["ja", "en"], pieces: ["kanji", "letters"], theme: ["auto", "light", "dark"], arrows: [true, false] };
// The notation is that of the language until the reader chooses one.
const chosen = new Set();
function recall() {
  state.lang = DATA.lang;
  try {
    const kept = JSON.parse(localStorage.getItem("raicho-page") || "{}");
    for (const key in SETTINGS) if (SETTINGS[key].includes(kept[key])) {
      state[key] = kept[key];
      chosen.add(key);
    }
  } catch { /* The defaults serve. */ }
  if (!chosen.has("notation")) state.notation = state.lang;
}
// Only what was chosen: what was not is for each page to decide.
function remember(key) {
  try {
    const kept = Object(JSON.parse(localStorage.getItem("raicho-page") || "{}"));
    localStorage.setItem("raicho-page", JSON.stringify({ ...kept, [key]: state[key] }));
  } catch { /* Nothing is lost. */ }
}

function arrowsHere(game, opened) {
  if (!state.arrows || state.line) return [];
  const position = opened.positions[state.ply];
  const best = ((game.lines || [])[state.ply] || [])[0];
  const played = opened.moves[state.ply];
  const first = best && readMoves(best[3])[0];
  const arrows = [];
  if (played && DATA.kind !== "mate" && (game.lines || []).length) arrows.push({ move: played, color: position.side, name: "played" });
  if (first && !(played && first.usi === played.usi)) arrows.push({ move: first, color: position.side, name: "best" });
  else if (first && arrows.length) arrows[0].name = "best";
  return arrows;
}

function update() {
  const game = currentGame();
  const opened = openGame(game);
  let [position, last] = [opened.positions[state.ply], opened.moves[state.ply - 1]];
  let score = (game.scores || [])[state.ply];
  if (state.line) {
    position = state.line.positions[state.line.length];
    last = state.line.moves[state.line.length - 1];
    score = state.line.score;
  }
  const label = state.ply ? `${text("board")}: ${state.ply} ${textOfMove(opened, state.ply - 1)}` : `${text("board")}: ${text("start")}`;
  byId("board").replaceChildren(drawBoard(position, last, arrowsHere(game, opened), label));
  fillPlayer(byId("player-top"), game, state.flipped ? 0 : 1, position);
  fillPlayer(byId("player-bottom"), game, state.flipped ? 1 : 0, position);
  const gauge = byId("gauge");
  gauge.hidden = !(game.scores || []).length;
  const chance = score == null ? 0.5 : chanceOf(score);
  gauge.classList.toggle("flipped", state.flipped);
  byId("gauge-fill").style.height = `${100 * chance}%`;
  byId("gauge-text").textContent = score == null ? "" : `${Math.round(100 * (state.flipped ? 1 - chance : chance))}`;
  fillVerdict(byId("verdict"), game);
  fillRecord(byId("record"), game);
  fillLines(byId("lines"), game);
  byId("jump").value = state.ply;
  view.markMove(state.ply);
  if (view.graph) view.graph.move(state.ply);
  const address = `#${state.game ? `g${state.game + 1}-` : ""}${state.ply}`;
  try { history.replaceState(null, "", address); } catch { /* Some browsers refuse for local files. */ }
  view.onUpdate();
}

// Solutions are seen from the attacker's side.
function turnBoard() { state.flipped = DATA.kind === "mate" && openGame(currentGame()).positions[0].side === 1; }

function build() {
  document.documentElement.lang = state.lang;
  document.documentElement.dataset.theme = state.theme;
  const game = currentGame();
  const opened = openGame(game);
  const versus = `☗ ${nameOf(game, 0)}  ${state.lang === "ja" ? "対" : "–"}  ☖ ${nameOf(game, 1)}`;
  const isMateList = DATA.kind === "mate";
  byId("title").textContent = DATA.kind === "analysis" ? versus : DATA.title;
  const about = isMateList ? [game.title || numberText("problem", state.game + 1, DATA.games.length), verdictText(game)] : DATA.kind === "match" ? [numberText("game", state.game + 1, DATA.games.length), versus] : [game.title, game.date, ...formationTexts(game), resultText(game)];
  byId("subtitle").textContent = about.filter(Boolean).join(" · ");
  fillOverview(byId("overview"));
  view.markMove = buildMoves(byId("moves"), game, goTo);
  const box = byId("graph");
  box.hidden = (game.scores || []).length < 2;
  view.graph = box.hidden ? null : drawGraph(game, goTo);
  box.replaceChildren(...(view.graph ? [view.graph.drawing] : []));
  fillSummary(byId("summary"), game);
  fillHeadings(byId("headings"), game);
  view.markGame = buildGames(byId("games"), openGameAt);
  view.markGame(state.game);
  buildControls();
  buildSwitches();
  buildExports(byId("exports"), game);
  byId("footer").textContent = [DATA.kind === "analysis" ? `${text("by")} ${DATA.program}` : DATA.program, DATA.effort].filter(Boolean).join(" · ");
  state.ply = Math.min(state.ply, opened.moves.length);
  update();
}

// --- What the reader does ---

function goTo(ply) {
  const length = openGame(currentGame()).moves.length;
  state.line = null;
  state.ply = Math.max(0, Math.min(length, ply));
  update();
}
function openGameAt(index) {
  if (index < 0 || index >= DATA.games.length) return;
  Object.assign(state, { game: index, ply: 0, line: null });
  turnBoard();
  build();
  byId("app").scrollIntoView({ block: "start", behavior: "smooth" });
}
// A line of the record has the rank VARIATION, moves of the reader -1.
const VARIATION = -2;
function enterLine(rank, length) {
  const [score, , , words] = currentGame().lines[state.ply][rank];
  enterMoves(words, length, { rank, score });
}
function enterMoves(words, length, about) {
  const moves = readMoves(words);
  const positions = [openGame(currentGame()).positions[state.ply]];
  for (const move of moves) positions.push(after(positions[positions.length - 1], move));
  state.line = { ...about, length, moves, positions };
  update();
}
function leaveLine() { state.line = null; update(); }
function leaveMenuOrLine() {
  const open = document.querySelector(".menu details[open]");
  if (!open) return leaveLine();
  open.open = false;
  open.querySelector("summary").focus();
}
function step(by) {
  if (!state.line) return goTo(state.ply + by);
  const length = state.line.length + by;
  if (length < 1) return leaveLine();
  state.line.length = Math.min(length, state.line.moves.length);
  update();
}
function end(by) {
  if (!state.line) return goTo(by < 0 ? 0 : Infinity);
  state.line.length = by < 0 ? 1 : state.line.moves.length;
  update();
}
function flip() { state.flipped = !state.flipped; update(); }
function nextMark(color, name) {
  const game = currentGame();
  const opened = openGame(game);
  const plies = opened.moves.map((_, index) => index + 1).filter((ply) => opened.positions[ply - 1].side === color && markNames(game, ply - 1).includes(name));
  goTo(plies.find((ply) => ply > state.ply) || plies[0] || state.ply);
}
// At its end, a game or a line is played from the start again.
function isAtEnd() { return state.line ? state.line.length === state.line.moves.length : state.ply === openGame(currentGame()).moves.length; }
function togglePlay() {
  if (!state.playing && isAtEnd()) end(-1);
  if (state.playing) { clearInterval(state.playing); state.playing = null; } else {
    state.playing = setInterval(() => {
      const before = [state.ply, state.line && state.line.length].join();
      step(1);
      if (before === [state.ply, state.line && state.line.length].join()) togglePlay();
    }, 1000);
  }
  buildControls();
}
const copyPosition = (event) => copyText(event.currentTarget, `sfen ${writeSfen(shownPosition())}`);

const ICONS = {
  first: "M5 4h2.5v16H5zM20 4v16L9 12z", previous: "M16.5 4v16l-11-8z", next: "M7.5 4v16l11-8z", last: "M16.5 4H19v16h-2.5zM4 4v16l11-8z",
  play: "M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20zM9.8 7.4v9.2l7.2-4.6z", stop: "M12 2a10 10 0 1 1 0 20 10 10 0 0 1 0-20zM8.5 8v8H11V8zM13 8v8h2.5V8z",
  flip: "M7 3l5 5H9v9H5V8H2zM17 21l-5-5h3V7h4v9h3z", copy: "M8 3h11a2 2 0 0 1 2 2v11h-2V5H8zM5 7h9a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V9a2 2 0 0 1 2-2z",
};
const icon = (name) => svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
function buildControls() {
  const button = (name, onclick, extra) => element("button", { type: "button", "aria-label": text(name), title: text(name), onclick, class: extra }, icon(name));
  refill(byId("controls"),
    button("first", () => end(-1)), button("previous", () => step(-1), "wide"),
    button("next", () => step(1), "wide"), button("last", () => end(1)),
    button(state.playing ? "stop" : "play", togglePlay, "extra"), button("flip", flip), button("copy", copyPosition, "extra"),
    element("input", { id: "jump", type: "number", min: 0, max: openGame(currentGame()).moves.length, value: state.ply, "aria-label": text("jump"), title: `${text("jump")} (G)`, onchange: ({ target }) => { target.blur(); goTo(Number(target.value) || 0); } }));
}
function buildSwitches() {
  const change = (key, value) => {
    state[key] = value;
    chosen.add(key);
    if (!chosen.has("notation")) state.notation = state.lang;
    remember(key);
    build();
  };
  const choice = (key, options) => element("fieldset", {}, element("legend", { class: "unseen" }, text(key)),
    ...options.map(([value, label]) => element("button", { type: "button", "aria-pressed": String(state[key] === value), onclick: () => change(key, value) }, text(label))));
  refill(byId("switches"),
    choice("notation", [["ja", "japanese"], ["en", "western"]]),
    choice("pieces", [["kanji", "kanji"], ["letters", "letters"]]),
    choice("theme", [["auto", "auto"], ["light", "light"], ["dark", "dark"]]),
    element("button", { type: "button", class: "plain-button", "aria-pressed": String(state.arrows), onclick: () => change("arrows", !state.arrows) }, text("arrows")),
    element("button", { type: "button", class: "plain-button", onclick: () => window.print() }, text("print")));
  refill(byId("language"), element("button", { type: "button", class: "plain-button", lang: state.lang === "ja" ? "en" : "ja", onclick: () => change("lang", state.lang === "ja" ? "en" : "ja") }, text("language")));
  byId("settings").textContent = text("settings");
}

const KEYS = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => step(-1), ArrowDown: () => step(1),
  Home: () => end(-1), End: () => end(1), Escape: leaveMenuOrLine, f: flip, g: () => byId("jump").select(), " ": togglePlay };
document.addEventListener("keydown", (event) => {
  const isPressed = event.key === " " && event.target.closest && event.target.closest("button, summary");
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.target.id === "jump") return;
  if (event.ctrlKey || event.metaKey || event.altKey || isPressed || !(key in KEYS)) return;
  event.preventDefault();
  KEYS[key]();
});
// A notch of a wheel is a step at once, the small movements of a touchpad add up to one.
const STEP_PIXELS = 50;
let turned = 0;
byId("board").addEventListener("wheel", (event) => {
  if (event.ctrlKey || !event.deltaY) return;
  event.preventDefault();
  const isOfPixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL;
  const by = Math.sign(event.deltaY);
  turned = (Math.sign(turned) === by ? turned : 0) + (isOfPixels ? event.deltaY : by * STEP_PIXELS);
  if (Math.abs(turned) < STEP_PIXELS) return;
  turned = 0;
  step(by);
}, { passive: false });
window.addEventListener("hashchange", readAddress);
function readAddress() {
  const found = location.hash.match(/^#(?:g(\d+)-)?(\d+)$/);
  if (!found) return;
  const game = Math.max(0, Math.min(DATA.games.length - 1, Number(found[1] || 1) - 1));
  const isOther = game !== state.game;
  Object.assign(state, { game, ply: Number(found[2]), line: null });
  if (!isOther) return goTo(state.ply);
  turnBoard();
  build();
}

if (DATA.games.length) {
  recall();
  state.ply = 0;
  const found = location.hash.match(/^#(?:g(\d+)-)?(\d+)$/);
  if (found) Object.assign(state, { game: Math.max(0, Math.min(DATA.games.length - 1, Number(found[1] || 1) - 1)), ply: Number(found[2]) });
  turnBoard();
  build();
}
