// The graph of a game: black's win chance after each move. A click jumps there.
// Taller where the screen is narrow.
const GRAPH = { width: 1000, height: window.innerWidth < 600 ? 440 : 220, left: window.innerWidth < 600 ? 76 : 50, right: 14, top: 12, bottom: window.innerWidth < 600 ? 38 : 24 };
const graphX = (ply, last) => GRAPH.left + (GRAPH.width - GRAPH.left - GRAPH.right) * ply / Math.max(last, 1);
const graphY = (chance) => GRAPH.top + (GRAPH.height - GRAPH.top - GRAPH.bottom) * (1 - chance);

const sideName = (game, color) => DATA.kind === "mate" ? text(color === openGame(game).positions[0].side ? "attacker" : "defender") : text(game.handicap ? ["handicapBlack", "handicapWhite"][color] : ["black", "white"][color]);
const nameOf = (game, color) => game.names[color] || sideName(game, color);

// What a move is called. A missed mate may be a blunder too; its colour is that of the first name.
function markNames(game, index) {
  const missed = (game.missed || []).some(([ply]) => ply === index) ? "missed" : "";
  return [missed, ["", "best", "doubtful", "blunder", "inaccuracy", "severe", "only"][(game.marks || [])[index] || 0]].filter(Boolean);
}

function axis(drawing, rows) {
  for (const [y, label, isMiddle] of rows) {
    drawing.append(svg("path", { class: isMiddle ? "axis middle" : "axis", d: `M${GRAPH.left} ${y}H${GRAPH.width - GRAPH.right}` }));
    const number = svg("text", { class: "label", x: GRAPH.left - 7, y: y + 4, "text-anchor": "end" });
    number.textContent = label;
    drawing.append(number);
  }
}
function plyLabels(drawing, last) {
  let step = last > 400 ? 100 : last > 160 ? 40 : last > 60 ? 20 : 10;
  while (last / step > 12) step *= step.toString()[0] === "2" ? 2.5 : 2;
  for (let ply = step; ply <= last; ply += step) {
    const number = svg("text", { class: "label", x: graphX(ply, last), y: GRAPH.height - 6, "text-anchor": "middle" });
    number.textContent = ply;
    drawing.append(number);
  }
}

function drawGraph(game, onPly) {
  const scores = game.scores || [];
  const last = scores.length - 1;
  const points = scores.map((score, ply) => [ply, score]).filter(([, score]) => score != null)
    .map(([ply, score]) => [graphX(ply, last), graphY(chanceOf(score)), ply]);
  const drawing = svg("svg", { viewBox: `0 0 ${GRAPH.width} ${GRAPH.height}`, role: "slider", tabindex: 0,
    "aria-label": `${text("graph")} (${text("graphHelp")})`, "aria-valuemin": 0, "aria-valuemax": last, "aria-valuenow": state.ply });
  const middle = graphY(0.5);
  const curve = points.map(([x, y], index) => `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const area = points.length ? `${curve}L${points[points.length - 1][0].toFixed(1)} ${middle}L${points[0][0].toFixed(1)} ${middle}Z` : "";
  const defs = svg("defs");
  for (const [id, y, height] of [["upper", 0, middle], ["lower", middle, GRAPH.height - middle]]) {
    defs.append(svg("clipPath", { id: `clip-${id}` }, svg("rect", { x: 0, y, width: GRAPH.width, height })));
  }
  drawing.append(defs);
  drawing.append(svg("rect", { class: "sheet", x: GRAPH.left, y: GRAPH.top, width: GRAPH.width - GRAPH.left - GRAPH.right, height: GRAPH.height - GRAPH.top - GRAPH.bottom }));
  drawing.append(svg("path", { class: "area black", d: area, "clip-path": "url(#clip-upper)" }));
  drawing.append(svg("path", { class: "area white", d: area, "clip-path": "url(#clip-lower)" }));
  axis(drawing, [1, 0.75, 0.5, 0.25, 0].map((chance) => [graphY(chance), `${Math.round(100 * chance)}%`, chance === 0.5]));
  plyLabels(drawing, last);
  const opened = openGame(game);
  for (const [color, y] of [[0, GRAPH.top + 16], [1, GRAPH.height - GRAPH.bottom - 8]]) {
    const label = svg("text", { class: "label whose", x: GRAPH.left + 8, y });
    label.textContent = sideName(game, color);
    drawing.append(label);
  }
  drawing.append(svg("path", { class: "curve", d: curve }));
  const cursor = svg("g", { class: "cursor" }, svg("path", { d: `M0 ${GRAPH.top}V${GRAPH.height - GRAPH.bottom}` }), svg("circle", { r: 5.5 }));
  drawing.append(cursor);
  for (const [x, y, ply] of points) {
    const names = ply ? markNames(game, ply - 1) : [];
    if (!names.length || ["best", "inaccuracy"].includes(names[0])) continue;
    const title = svg("title");
    title.textContent = `${ply} ${textOfMove(opened, ply - 1)} ${names.map(text).join(", ")}`;
    drawing.append(svg("circle", { class: `dot ${names[0]}`, cx: x, cy: y, r: 5 }, title));
  }
  const hover = svg("path", { class: "hover", d: `M0 ${GRAPH.top}V${GRAPH.height - GRAPH.bottom}`, visibility: "hidden" });
  drawing.append(hover);
  const plyAt = (event) => {
    const box = drawing.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * GRAPH.width;
    const share = (x - GRAPH.left) / (GRAPH.width - GRAPH.left - GRAPH.right);
    return Math.max(0, Math.min(last, Math.round(share * last)));
  };
  let isHeld = false;
  drawing.addEventListener("pointerdown", (event) => { isHeld = true; drawing.setPointerCapture(event.pointerId); onPly(plyAt(event)); });
  drawing.addEventListener("pointermove", (event) => {
    const ply = plyAt(event);
    hover.setAttribute("transform", `translate(${graphX(ply, last)} 0)`);
    hover.setAttribute("visibility", "visible");
    if (isHeld) onPly(ply);
  });
  for (const name of ["pointerup", "pointercancel"]) drawing.addEventListener(name, () => { isHeld = false; });
  drawing.addEventListener("pointerleave", () => hover.setAttribute("visibility", "hidden"));
  const move = (ply) => {
    const score = scores[ply];
    cursor.setAttribute("transform", `translate(${graphX(ply, last)} 0)`);
    cursor.lastChild.setAttribute("cy", graphY(score == null ? 0.5 : chanceOf(score)));
    cursor.lastChild.setAttribute("visibility", score == null ? "hidden" : "visible");
    drawing.setAttribute("aria-valuenow", ply);
    drawing.setAttribute("aria-valuetext", `${ply}: ${game.ruled && ply === last ? resultText(game) : scoreText(score)}`);
  };
  return { drawing, move };
}
