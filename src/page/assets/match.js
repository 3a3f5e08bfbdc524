// What stands around the board where there are several games: a list, and the result of a match.
const percent = (share) => `${(100 * share).toFixed(1)}%`;
const wdlText = (wins, draws, losses) => state.lang === "ja" ? `${wins}勝${losses}敗${draws}分` : `+${wins} =${draws} −${losses}`;
const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(1)}`;

function crossTable(match) {
  const head = element("tr", {}, element("th", { scope: "col" }, text("engine")), ...match.engines.map((name, index) => element("th", { scope: "col", title: name }, String(index + 1))),
    element("th", { scope: "col" }, state.lang === "ja" ? "勝敗" : "+ = −"), element("th", { scope: "col" }, "%"));
  const rows = match.engines.map((name, row) => {
    const total = [0, 0, 0];
    const cells = match.engines.map((_, column) => {
      const found = match.pairings.find(({ engines }) => engines.includes(row) && engines.includes(column) && row !== column);
      if (!found) return element("td", { class: "self" }, "");
      const isFirst = found.engines[0] === row;
      const [wins, draws, losses] = isFirst ? found.wdl : [found.wdl[2], found.wdl[1], found.wdl[0]];
      [wins, draws, losses].forEach((count, index) => { total[index] += count; });
      const elo = found.elo ? element("small", {}, `${signed(isFirst ? found.elo[0] : -found.elo[0])} ±${found.elo[1].toFixed(1)}`) : "";
      if (!wins && !draws && !losses) return element("td", {}, UNKNOWN);
      return element("td", {}, element("span", {}, wdlText(wins, draws, losses)), elo);
    });
    const games = total[0] + total[1] + total[2];
    const score = games ? percent((total[0] + total[1] / 2) / games) : UNKNOWN;
    return element("tr", {}, element("th", { scope: "row" }, `${row + 1} ${name}`), ...cells,
      element("td", {}, wdlText(...total)), element("td", {}, element("strong", {}, score)));
  });
  return element("table", { class: "cross" }, element("caption", {}, text("cross")), element("thead", {}, head), element("tbody", {}, ...rows));
}

// The Elo difference of the first pairing after each game, with its 95 % interval.
function eloOverTime(match) {
  const points = match.course;
  if (points.length < 2) return null;
  const last = points[points.length - 1][0];
  const settled = points.slice(Math.floor(points.length / 8));
  const most = Math.max(20, ...settled.flatMap(([, , low, high]) => [Math.abs(low), Math.abs(high)])) * 1.08;
  const x = (game) => graphX(game, last);
  const y = (value) => graphY(0.5 + Math.max(-0.5, Math.min(0.5, value / (2 * most))));
  const path = (list) => list.map(([a, b], index) => `${index ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("");
  const drawing = svg("svg", { viewBox: `-34 0 ${GRAPH.width + 34} ${GRAPH.height}`, role: "img", "aria-label": text("elo") });
  drawing.append(svg("rect", { class: "sheet", x: GRAPH.left, y: GRAPH.top, width: GRAPH.width - GRAPH.left - GRAPH.right, height: GRAPH.height - GRAPH.top - GRAPH.bottom }));
  const unit = [1, 2, 5, 10, 20, 50, 100, 200].find((unit) => most / unit <= 3) || 400;
  const rows = [];
  for (let value = -Math.floor(most / unit) * unit; value <= most; value += unit) rows.push([y(value), value > 0 ? `+${value}` : String(value).replace("-", "−"), value === 0]);
  axis(drawing, rows);
  plyLabels(drawing, last);
  drawing.append(svg("path", { class: "band", d: path([...points.map(([game, , low]) => [x(game), y(low)]), ...points.slice().reverse().map(([game, , , high]) => [x(game), y(high)])]) + "Z" }));
  drawing.append(svg("path", { class: "curve", d: path(points.map(([game, value]) => [x(game), y(value)])) }));
  const [first, second] = match.pairings[0].engines.map((index) => match.engines[index]);
  return element("figure", { class: "graph" }, element("figcaption", {}, `${text("elo")}: ${first} − ${second}`), drawing);
}

function fillOverview(box) {
  const match = DATA.match;
  box.hidden = !match;
  if (!match) return;
  const table = element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": text("cross") }, crossTable(match));
  const left = match.left_out ? element("p", { class: "formula" }, `${match.left_out} ${text("leftOut")}`) : "";
  box.replaceChildren(element("div", {}, table, left), eloOverTime(match) || "");
}

// The games as a table; a click on one shows it.
function buildGames(box, onGame) {
  box.hidden = DATA.games.length < 2;
  if (box.hidden) return () => {};
  const isMateList = DATA.kind === "mate";
  const rows = DATA.games.map((game, index) => {
    const results = state.lang === "ja" ? [text("draw"), "先手勝ち", "後手勝ち"] : ["½–½", "1–0", "0–1"];
    const result = game.result == null ? "" : results[game.result === 0 ? 0 : game.result > 0 ? 1 : 2];
    const title = isMateList ? [element("td", {}, element("button", { type: "button", class: "link", onclick: () => onGame(index) }, game.title || numberText("problem", index + 1))), element("td", {}, verdictText(game))]
      : [element("td", { class: "number" }, String(index + 1)),
        element("td", {}, element("button", { type: "button", class: "link", onclick: () => onGame(index) }, `☗ ${nameOf(game, 0)} ${state.lang === "ja" ? "対" : "–"} ☖ ${nameOf(game, 1)}`)),
        element("td", {}, result), element("td", {}, endingText(game.ending)), element("td", { class: "number" }, String(game.moves ? game.moves.split(" ").length : 0)),
        ...(game.players || []).map((player) => element("td", { class: "number" }, player.moves ? `${Math.round(100 * player.best / player.moves)}%` : UNKNOWN))];
    return element("tr", {}, ...title);
  });
  const heads = isMateList ? [text("problem"), text("result")]
    : [state.lang === "ja" ? "局" : "#", text("players"), text("result"), text("ending"), text("moves"), ...(DATA.games[0].players || []).map((_, color) => `${color ? "☖" : "☗"} ${text("agreement")}`)];
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))), element("tbody", {}, ...rows));
  refill(box, element("h2", {}, isMateList ? text("problems") : text("games")), element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": isMateList ? text("problems") : text("games") }, table));
  let current = null;
  return (index) => {
    if (current) current.classList.remove("current");
    current = rows[index];
    current.classList.add("current");
  };
}
