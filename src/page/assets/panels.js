// Everything beside the board: players, verdict, lines, moves, summary.

function resultText(game) {
  const ending = endingText(game.ending);
  if (game.result == null) return ending || "";
  const who = game.result === 0 ? text("draw")
    : state.lang === "ja" ? `${sideName(game, game.result > 0 ? 0 : 1)}の勝ち`
      : `${sideName(game, game.result > 0 ? 0 : 1)} ${text("win")}`;
  return ending && !(game.result === 0 && ending === text("draw")) ? who + inBrackets(ending) : who;
}

function fillPlayer(box, game, color, position) {
  const opened = openGame(game);
  const isToMove = position.side === color;
  const used = (game.times || []).reduce((sum, time, index) =>
    index < state.ply && time != null && opened.positions[index].side === color ? sum + time : sum, 0);
  box.className = `player${isToMove ? " to-move" : ""}`;
  box.replaceChildren(
    element("span", { class: `sign ${color ? "white" : "black"}`, "aria-hidden": "true" }, color ? "☖" : "☗"),
    element("span", { class: "name" }, nameOf(game, color)),
    drawHand(position.hands[color], color, isToMove ? view.onHand : null),
    hasTimes(game) ? element("span", { class: "clock" }, timeText(used)) : "",
  );
}

// The moves of a line as buttons, which show the position after them. It begins after `ply` moves.
function lineMoves(ply, words, onMove, chosen) {
  const list = element("span", { class: "pv" });
  const { positions, moves } = openGame(currentGame());
  let [here, last] = [positions[ply], moves[ply - 1]];
  readMoves(words).forEach((move, index) => {
    const button = element("button", { type: "button", class: index === chosen ? "chosen" : "", onclick: () => onMove(index) }, moveText(here, move, last));
    list.append(button, " ");
    [here, last] = [after(here, move), move];
  });
  return list;
}

function fillLines(box, game) {
  const lines = (game.lines || [])[state.ply] || [];
  const rows = lines.map(([score, depth, nodes, words], rank) => element("div", { class: "line" },
    element("span", { class: `score ${score > 0 ? "for-black" : score < 0 ? "for-white" : ""}`, title: [depthText(depth), nodesText(nodes)].join(", ") }, scoreText(score)),
    lineMoves(state.ply, words, (index) => enterLine(rank, index + 1), state.line && state.line.rank === rank ? state.line.length - 1 : -1)));
  if (lines.length && lines[0][2] > 0) {
    rows.push(element("p", { class: "figures" }, [lines[0][1] && depthText(lines[0][1]), nodesText(lines[0][2])].filter(Boolean).join(" · ")));
  }
  if (lines.length && DATA.kind === "mate") rows.unshift(element("p", { class: "figures" }, text("second")));
  refill(box, ...rows);
  box.hidden = DATA.kind === "mate" ? !lines.length : !(game.lines || []).length;
}

function fillVerdict(box, game) {
  const opened = openGame(game);
  box.className = "verdict";
  if (state.line) {
    const { rank, length, moves } = state.line;
    box.classList.add("in-line");
    refill(box, element("strong", {}, `${text(rank === VARIATION ? "variation" : rank < 0 ? "free" : "line")} ${length}/${moves.length}`),
      element("button", { type: "button", class: "link", onclick: leaveLine }, text("back")));
    return;
  }
  if (!state.ply) {
    box.replaceChildren(element("strong", {}, verdictText(game) || text("start")), element("span", { class: "detail" }, resultText(game)));
    return;
  }
  const index = state.ply - 1;
  const names = markNames(game, index);
  const name = names[0];
  const number = state.lang === "ja" ? `${state.ply}${text("ply")}` : `${state.ply}.`;
  if (name) box.classList.add(name);
  const loss = (game.losses || [])[index];
  const best = ((game.lines || [])[index] || [])[0];
  const details = [];
  if (loss && name !== "best") details.push(`${text("chance")} −${(loss / 10).toFixed(loss < 100 ? 1 : 0)}%`);
  const notes = remarksOf(game, index);
  const isFault = name && !["best", "only"].includes(name);
  if (game.plies && state.ply > game.plies) details.push(text("futile"));
  details.push(...notes, standingText(game, state.ply));
  if (name === "inaccuracy" && best && best[3]) details.push(`${text("bestIs")} ${moveText(opened.positions[index], readMoves(best[3])[0], opened.moves[index - 1])}`);
  if (hasTimes(game)) details.push(timeText(game.times[index]));
  if (state.ply === opened.moves.length) details.push(resultText(game), verdictText(game));
  const missed = (game.missed || []).find(([ply]) => ply === index);
  const mateIn = missed && (state.lang === "ja" ? missed[1] + text("mateIn") : text("mateIn") + missed[1]);
  const label = names.map((name) => name === "missed" ? text(name) + inBrackets(mateIn) : text(name)).join(" · ");
  box.replaceChildren(element("strong", {}, `${number} ${textOfMove(opened, index)}`),
    label ? element("em", {}, label) : "",
    element("span", { class: "detail" }, details.filter(Boolean).join(" · ")),
    ...(isFault && name !== "inaccuracy" ? bothLines(game, index) : []));
}

const LETTERS = { R: "rook", B: "bishop", G: "gold", S: "silver", N: "knight", L: "lance", P: "pawn", "+R": "dragon", "+B": "horse",
  "+S": "promoted silver", "+N": "promoted knight", "+L": "promoted lance", "+P": "promoted pawn" };
const pieceName = (letter) => state.lang === "ja" ? NAMES[letter] : LETTERS[letter];
// What is said about a move besides its loss.
function remarksOf(game, index) {
  const [, remarks] = (game.remarks || []).find(([ply]) => ply === index) || [null, []];
  return remarks.map((remark) => {
    const [[kind, value]] = Object.entries(remark);
    if (kind === "hangs") return filled(value.free ? "hangs" : "exchanged", squareName(value.square), pieceName(value.piece));
    return filled({ overlooks_threat: "overlooksThreat", allows_mate: "allowsMate", threatens_mate: "threatensMate", only_move: "onlyMove",
      brinkmate: "brinkmate", allows_brinkmate: "allowsBrinkmate", misses_brinkmate: "missesBrinkmate" }[kind], value);
  });
}
// How both sides stand after a number of moves: the words begin at 100, 300, 800 and 2000.
function standingText(game, ply) {
  const score = (game.scores || [])[ply];
  if (score == null || isMate(score) || DATA.kind !== "analysis") return "";
  const grade = [100, 300, 800, 2000].filter((least) => Math.abs(score) >= least).length;
  return text("standings")[grade].replace("{0}", sideName(game, score > 0 ? 0 : 1));
}
function materialText({ won, lost }) {
  const count = (same) => same.length === 1 ? pieceName(same) :
    state.lang === "ja" ? `${pieceName(same[0])}${same.length}枚` : `${same.length} ${pieceName(same[0])}s`;
  const pieces = (letters) => (letters.match(/(.)\1*/g) || []).map(count).join(state.lang === "ja" ? "" : ", ");
  const part = (letters, key) => !letters ? "" : state.lang === "ja" ? pieces(letters) + text(key) : text(key) + pieces(letters);
  return [part(won, "wins"), part(lost, "loses")].filter(Boolean).join(state.lang === "ja" ? "・" : ", ") || text("noGain");
}
const SHOWN_MOVES = 8;
// The better line and the line of the move that was played, with the pieces that change hands.
function bothLines(game, index) {
  const [, material] = (game.material || []).find(([ply]) => ply === index) || [null, null];
  const differs = material && JSON.stringify(material[0]) !== JSON.stringify(material[1]);
  const [better, after] = [index, index + 1].map((ply) => ((game.lines || [])[ply] || [])[0]);
  const row = (key, which, ply, line) => line && line[3] ? element("div", { class: "line both" },
    element("b", {}, text(key) + (differs ? inBrackets(materialText(material[which])) : "")),
    lineMoves(ply, line[3].split(" ").slice(0, SHOWN_MOVES).join(" "), (at) => { state.ply = ply; enterLine(0, at + 1); }, -1)) : "";
  return [row("better", 0, index, better), row("played", 1, index + 1, after)];
}

// The record's own comments on what is shown, and its variations from here.
function fillRecord(box, game) {
  const { line } = state;
  const comments = line ? (line.notes || []).filter(([place]) => place === line.length) : (game.comments || []).filter(([place]) => place === state.ply);
  const variations = line ? [] : (game.variations || []).filter(([place]) => place === state.ply);
  refill(box, ...comments.map(([, words]) => element("p", { role: "note", "aria-label": text("comment") }, words)),
    ...variations.map(([, words, notes]) => element("div", { class: "line both" }, element("b", {}, text("variation")),
      lineMoves(state.ply, words, (at) => enterMoves(words, at + 1, { rank: VARIATION, score: null, notes }), -1))));
  box.hidden = !box.hasChildNodes();
}
function fillHeadings(box, game) {
  box.replaceChildren(...(game.headings || []).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
  box.hidden = !box.hasChildNodes();
}

const SIGNS = { inaccuracy: "(?)", doubtful: "?!", blunder: "??", severe: "???", missed: "詰", only: "!" };
// The list of moves, each with its number, the first side's on the left. Kept, so that a step only moves the mark.
function buildMoves(box, game, onPly) {
  const opened = openGame(game);
  const buttons = [];
  const list = element("ol", { "aria-label": text("moveList") });
  const begins = opened.positions[0].side === 1;
  opened.moves.forEach((move, index) => {
    const names = markNames(game, index);
    const [name] = names;
    const title = names.map(text).join(", ");
    const score = game.ruled && index + 1 === opened.moves.length ? null : (game.scores || [])[index + 1];
    const isFutile = game.plies && index >= game.plies;
    const button = element("button", { type: "button", class: name || (isFutile ? "futile" : null), title: title || null, tabindex: index ? -1 : 0, onclick: () => onPly(index + 1) },
      element("span", { class: "number" }, String(index + 1)),
      element("span", { class: "text" }, textOfMove(opened, index)),
      name && name !== "best" ? element("b", { "aria-label": title }, names.map((name) => SIGNS[name] || "").join("")) : "",
      score == null ? "" : element("small", {}, scoreText(score)));
    buttons.push(button);
    list.append(element("li", { class: begins && !index ? "second" : null }, button));
  });
  const end = resultText(game);
  box.replaceChildren(list, end ? element("p", { class: "end" }, end) : "");
  // Places are measured once: to ask for them at each step would lay the page out twice.
  let places = null;
  new ResizeObserver(() => { places = null; }).observe(box);
  const measure = () => ({ tops: buttons.map((button) => button.offsetTop - box.offsetTop), height: box.clientHeight });
  let current = null;
  // One stop of the Tab key for the whole list.
  let tabStop = buttons[0];
  return (ply) => {
    if (current) { current.classList.remove("current"); current.removeAttribute("aria-current"); }
    current = buttons[ply - 1] || null;
    if (!current) { box.scrollTop = 0; return; }
    current.classList.add("current");
    current.setAttribute("aria-current", "true");
    tabStop.tabIndex = -1;
    tabStop = current;
    tabStop.tabIndex = 0;
    places = places || measure();
    box.scrollTop = Math.max(0, places.tops[ply - 1] - places.height / 2);
  };
}

function fillSummary(box, game) {
  const opened = openGame(game);
  if (!(game.players || []).length) { box.replaceChildren(); return; }
  const bar = (share) => {
    const made = element("span", { class: "bar" }, element("span", {}));
    made.firstChild.style.width = `${100 * share}%`;
    return made;
  };
  const cards = game.players.map((player, color) => {
    const share = player.moves ? player.best / player.moves : 0;
    const known = (value, shown) => value == null ? UNKNOWN : shown(value);
    const row = (label, value, name) => element("div", { class: name || null }, element("dt", {}, label), element("dd", {}, value));
    return element("section", { class: `card ${color ? "white" : "black"}` },
      element("h2", {}, element("span", { "aria-hidden": "true" }, color ? "☖ " : "☗ "), nameOf(game, color)),
      element("div", { class: "agreement" }, element("span", {}, text("agreement")), element("strong", {}, player.moves ? `${Math.round(100 * share)}%` : UNKNOWN), bar(share)),
      element("div", { class: "counts" },
        ...[["severe", player.severe], ["blunder", player.blunders], ["doubtful", player.doubtful], ["inaccuracy", player.inaccuracies], ["missed", player.missed]].map(([name, count]) =>
          element("button", { type: "button", class: name, disabled: !count, onclick: () => nextMark(color, name) },
            element("strong", {}, String(count)), element("span", {}, text(name))))),
      element("dl", {}, row(text("meanLoss"), known(player.centipawns, (loss) => state.lang === "ja" ? loss.toFixed(0) : (loss / 100).toFixed(2))),
        row(text("meanChance"), known(player.chance, (loss) => `${loss.toFixed(1)}%`)),
        row(text("moves"), String(player.moves)), hasTimes(game) ? row(text("time"), timeText(player.time)) : ""));
  });
  const formula = Object.entries(DATA.thresholds).reduce((words, [name, part]) => words.replace(`{${name}}`, String(Number((100 * part).toFixed(2)))), text("formula"));
  box.replaceChildren(...cards, element("p", { class: "formula" }, formula));
}
