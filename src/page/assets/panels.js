// Everything beside the board: players, verdict, lines, moves, summary.

function resultText(game) {
  const ending = endingText(game.ending);
  if (game.result == null) return ending || "";
  const who = game.result === 0 ? text("draw")
    : state.lang === "ja" ? `${sideName(game, game.result > 0 ? 0 : 1)}の勝ち`
      : `${sideName(game, game.result > 0 ? 0 : 1)} ${text("win")}`;
  return ending && !(game.result === 0 && ending === text("draw")) ? `${who} (${ending})` : who;
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
    drawHand(position.hands[color], color),
    (game.times || []).length ? element("span", { class: "clock" }, timeText(used)) : "",
  );
}

// The moves of a line as buttons, which show the position after them.
function lineMoves(position, words, onMove, chosen) {
  const list = element("span", { class: "pv" });
  let [here, last] = [position, state.ply ? openGame(DATA.games[state.game]).moves[state.ply - 1] : null];
  readMoves(words).forEach((move, index) => {
    const button = element("button", { type: "button", class: index === chosen ? "chosen" : "", onclick: () => onMove(index) }, moveText(here, move, last));
    list.append(button, " ");
    [here, last] = [after(here, move), move];
  });
  return list;
}

function fillLines(box, game) {
  const lines = (game.lines || [])[state.ply] || [];
  const position = openGame(game).positions[state.ply];
  const rows = lines.map(([score, depth, nodes, words], rank) => element("div", { class: "line" },
    element("span", { class: `score ${score > 0 ? "for-black" : score < 0 ? "for-white" : ""}`, title: `${text("depth")} ${depth}, ${nodes.toLocaleString()} ${text("nodes")}` }, scoreText(score)),
    lineMoves(position, words, (index) => enterLine(rank, index + 1), state.line && state.line.rank === rank ? state.line.length - 1 : -1)));
  if (lines.length && lines[0][2] > 0) {
    rows.push(element("p", { class: "figures" }, `${lines[0][1] ? `${text("depth")} ${lines[0][1]} · ` : ""}${lines[0][2].toLocaleString()} ${text("nodes")}`));
  }
  if (lines.length && DATA.kind === "mate") rows.unshift(element("p", { class: "figures" }, text("second")));
  box.replaceChildren(...rows);
  box.hidden = DATA.kind === "mate" ? !lines.length : !(game.lines || []).length;
}

function fillVerdict(box, game) {
  const opened = openGame(game);
  box.className = "verdict";
  if (state.line) {
    const { rank, length, moves } = state.line;
    box.classList.add("in-line");
    box.replaceChildren(element("strong", {}, `${text(rank < 0 ? "free" : "line")} ${length}/${moves.length}`),
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
  if (name && name !== "best" && best && best[3]) details.push(`${text("bestIs")} ${moveText(opened.positions[index], readMoves(best[3])[0], opened.moves[index - 1])}`);
  if ((game.times || []).length) details.push(timeText(game.times[index]));
  if (state.ply === opened.moves.length) details.push(resultText(game), verdictText(game));
  const missed = (game.missed || []).find(([ply]) => ply === index);
  const mateIn = missed && (state.lang === "ja" ? missed[1] + text("mateIn") : text("mateIn") + missed[1]);
  const label = names.map((name) => name === "missed" ? `${text(name)} (${mateIn})` : text(name)).join(" · ");
  box.replaceChildren(element("strong", {}, `${number} ${textOfMove(opened, index)}`),
    label ? element("em", {}, label) : "",
    element("span", { class: "detail" }, details.filter(Boolean).join(" · ")));
}

const SIGNS = { doubtful: "?!", blunder: "??", missed: "詰" };
// The list of moves: black and white side by side. Kept, so that a step only moves the mark.
function buildMoves(box, game, onPly) {
  const opened = openGame(game);
  const buttons = [];
  const list = element("ol", { "aria-label": text("moveList") });
  const begins = opened.positions[0].side;
  let row = null;
  const newRow = (number) => { row = element("li", {}, element("span", { class: "number" }, String(number))); list.append(row); };
  if (begins) { newRow(1); row.append(element("span", { class: "empty" }, "…")); }
  opened.moves.forEach((move, index) => {
    if ((index + begins) % 2 === 0) newRow((index + begins) / 2 + 1);
    const names = markNames(game, index);
    const [name] = names;
    const title = names.map(text).join(", ");
    const score = game.ruled && index + 1 === opened.moves.length ? null : (game.scores || [])[index + 1];
    const button = element("button", { type: "button", class: name || null, title: title || null, onclick: () => onPly(index + 1) },
      element("span", { class: "text" }, textOfMove(opened, index)),
      name && name !== "best" ? element("b", { "aria-label": title }, names.map((name) => SIGNS[name] || "").join("")) : "",
      score == null ? "" : element("small", {}, scoreText(score)));
    buttons.push(button);
    row.append(button);
  });
  const end = resultText(game);
  box.replaceChildren(list, end ? element("p", { class: "end" }, end) : "");
  // Places are measured once: to ask for them at each step would lay the page out twice.
  let places = null;
  new ResizeObserver(() => { places = null; }).observe(box);
  const measure = () => ({ tops: buttons.map((button) => button.offsetTop - box.offsetTop), height: box.clientHeight });
  let current = null;
  return (ply) => {
    if (current) { current.classList.remove("current"); current.removeAttribute("aria-current"); }
    current = buttons[ply - 1] || null;
    if (!current) { box.scrollTop = 0; return; }
    current.classList.add("current");
    current.setAttribute("aria-current", "true");
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
        ...[["blunder", player.blunders], ["doubtful", player.doubtful], ["missed", player.missed]].map(([name, count]) =>
          element("button", { type: "button", class: name, disabled: !count, onclick: () => nextMark(color, name) },
            element("strong", {}, String(count)), element("span", {}, text(name))))),
      element("dl", {}, row(text("meanLoss"), known(player.centipawns, (loss) => state.lang === "ja" ? loss.toFixed(0) : (loss / 100).toFixed(2))),
        row(text("meanChance"), known(player.chance, (loss) => `${loss.toFixed(1)}%`)),
        row(text("moves"), String(player.moves)), row(text("time"), timeText(player.time))));
  });
  const { doubtful, blunder } = DATA.thresholds;
  const share = (part) => String(Number((100 * part).toFixed(2)));
  box.replaceChildren(...cards, element("p", { class: "formula" }, text("formula").replace("{doubtful}", share(doubtful)).replace("{blunder}", share(blunder))));
}
