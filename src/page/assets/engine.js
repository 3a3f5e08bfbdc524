// The engine in the page: free moves on the board, and lines that are searched while the reader looks. `Raicho` and
// `RAICHO_FILES` come from the package that `web/build.sh` makes.
const ENGINE_WORDS = {
  ja: { think: "エンジンで検討", pause: "検討を止める", loading: "エンジンを読み込み中…", promote: "成りますか？" },
  en: { think: "Analyse with the engine", pause: "Stop the engine", loading: "Loading the engine…", promote: "Promote?" },
};
const engineText = (key) => ENGINE_WORDS[state.lang][key];
const LIVE_LINES = 3;
const live = { raicho: null, isOn: false, isLoading: false, error: "", moves: new Set(), rows: [], position: null, selected: null, figures: "", redraw: 0 };
const liveBox = element("div", { class: "lines live" });
byId("lines").before(liveBox);

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
async function unpacked(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
async function startEngine() {
  const wasmBinary = await unpacked(RAICHO_FILES.wasm);
  const workerUrl = URL.createObjectURL(new Blob([RAICHO_FILES.worker], { type: "text/javascript" }));
  live.raicho = await Raicho({ wasmBinary, workerUrl, onLine: hear });
  live.raicho.postMessage(`setoption name MultiPV value ${LIVE_LINES}\nsetoption name USI_OwnBook value false\nisready`);
}

// The moves from the start of the game to what the board shows.
function movesHere() {
  const opened = openGame(currentGame());
  const played = opened.moves.slice(0, state.ply);
  return state.line ? [...played, ...state.line.moves.slice(0, state.line.length)] : played;
}
const positionHere = () => state.line ? state.line.positions[state.line.length] : openGame(currentGame()).positions[state.ply];

// Searches what the board shows. Answers to an earlier position come before that to `compiler`.
let asked = 0;
let answered = 0;
function ask() {
  if (!live.raicho) return;
  const moves = movesHere().map((move) => move.usi).join(" ");
  Object.assign(live, { rows: [], moves: new Set(), position: positionHere(), last: movesHere().pop() });
  asked += 1;
  live.raicho.postMessage(`stop\nposition sfen ${currentGame().start}${moves ? ` moves ${moves}` : ""}\ncompiler\nmoves${live.isOn ? "\ngo infinite" : ""}`);
  showLive();
}
function hear(line) {
  if (line.startsWith("Raicho ")) { answered += 1; return; }
  if (line.startsWith("info string error")) { live.error = line.slice("info string error: ".length); return showLive(); }
  if (answered < asked) return;
  if (/^[1-9][a-i][1-9][a-i]|^[PLNSGBR]\*/.test(line)) { live.moves = new Set(line.split(" ")); return; }
  const found = line.match(/^info depth (\d+) .*?multipv (\d+) score (cp|mate) (\S+).*? nodes (\d+)(?: nps (\d+))?.* pv (.+)$/);
  if (!found || !live.isOn) return;
  const [, depth, rank, kind, value, nodes, speed, words] = found;
  const own = kind === "cp" ? Number(value) : value.startsWith("-") ? Math.abs(parseInt(value, 10) || 0) - MATE : MATE - (parseInt(value, 10) || 0);
  live.rows[rank - 1] = { score: live.position.side ? -own : own, words };
  live.figures = `${depthText(depth)} · ${nodesText(Number(nodes))}${speed ? ` · ${Number(speed).toLocaleString()}/s` : ""}`;
  if (!live.redraw) live.redraw = setTimeout(() => { live.redraw = 0; showLive(); }, 100);
}

function showLive() {
  const label = live.isLoading ? engineText("loading") : engineText(live.isOn ? "pause" : "think");
  const button = element("button", { type: "button", class: "plain-button", id: "think", "aria-pressed": String(live.isOn), disabled: live.isLoading, onclick: toggleEngine }, label);
  const rows = live.isOn ? live.rows.filter(Boolean).map(({ score, words }) => element("div", { class: "line" },
    element("span", { class: `score ${score > 0 ? "for-black" : score < 0 ? "for-white" : ""}` }, scoreText(score)), liveMoves(words))) : [];
  const figures = live.isOn && rows.length ? element("p", { class: "figures" }, live.figures) : "";
  refill(liveBox, button, ...rows, figures, live.error ? element("p", { class: "figures" }, live.error) : "");
  if (live.isOn && live.rows[0]) showGauge(live.rows[0].score);
}
function liveMoves(words) {
  const list = element("span", { class: "pv" });
  let [here, last] = [live.position, live.last];
  const moves = readMoves(words);
  moves.forEach((move, index) => {
    list.append(element("button", { type: "button", onclick: () => enterFree(moves.slice(0, index + 1)) }, moveText(here, move, last)), " ");
    [here, last] = [after(here, move), move];
  });
  return list;
}
function showGauge(score) {
  const chance = chanceOf(score);
  byId("gauge").hidden = false;
  byId("gauge-fill").style.height = `${100 * chance}%`;
  byId("gauge-text").textContent = `${Math.round(100 * (state.flipped ? 1 - chance : chance))}`;
}
async function toggleEngine() {
  live.isOn = !live.isOn;
  await loadEngine();
  ask();
}
async function loadEngine() {
  if (live.raicho || live.isLoading) return;
  Object.assign(live, { isLoading: true, error: "" });
  showLive();
  try { await startEngine(); } catch (error) { Object.assign(live, { isOn: false, error: String(error.message || error) }); }
  live.isLoading = false;
  showLive();
}

// --- Free moves ---

// Goes on from what the board shows with moves that are not in the game.
function enterFree(moves) {
  const before = state.line ? state.line.moves.slice(0, state.line.length) : [];
  const positions = state.line ? state.line.positions.slice(0, state.line.length + 1) : [positionHere()];
  for (const move of moves) positions.push(after(positions[positions.length - 1], move));
  const all = [...before, ...moves];
  state.line = { rank: -1, length: all.length, moves: all, positions, score: null };
  update();
}
function select(origin) {
  live.selected = origin;
  markTargets(byId("board").querySelector("svg"), origin, live.moves);
}
function tryMove(origin, target) {
  const plain = `${origin}${target}`;
  const canStay = live.moves.has(plain);
  const canPromote = live.moves.has(`${plain}+`);
  if (!canStay && !canPromote) return false;
  const usi = canPromote && (!canStay || confirm(engineText("promote"))) ? `${plain}+` : plain;
  live.selected = null;
  enterFree([readMove(usi)]);
  return true;
}
async function chooseSquare(square) {
  if (square === null) return;
  if (!live.raicho) { await loadEngine(); ask(); }
  if (live.selected && tryMove(live.selected, nameOfSquare(square))) return;
  const piece = positionHere().board[square];
  select(piece && colorOf(piece) === positionHere().side && live.selected !== nameOfSquare(square) ? nameOfSquare(square) : null);
}
byId("board").addEventListener("click", (event) => chooseSquare(squareAt(byId("board").querySelector("svg"), event)));
const showChooser = chooseByKeys(byId("board"), positionHere, chooseSquare);
view.onHand = async (kind) => {
  if (!live.raicho) { await loadEngine(); ask(); }
  select(live.selected === `${kind}*` ? null : `${kind}*`);
};

view.onUpdate = () => {
  live.selected = null;
  ask();
  showLive();
  showChooser();
};
if (DATA.games.length) update();
