// What Raicho must do in Node and in browsers. `engine.mjs` runs it in both.
// Each check returns a text for the report, and throws what is wrong.

const TIMEOUT_MS = 60_000;
/** Every line of the last engine, for the report of a fault. */
export const log = [];

/** An engine with answers to wait for. */
export class Player {
  static async start(createRaicho, options = {}) {
    const player = new Player();
    player.lines = [];
    player.waiting = [];
    player.engine = await createRaicho(options);
    player.engine.addMessageListener((line) => player.hear(line));
    return player;
  }

  hear(line) {
    log.push(`< ${line}`);
    this.lines.push(line);
    this.waiting = this.waiting.filter(({ is, done }) => !(is(line) && (done(line), true)));
  }

  send(...lines) {
    for (const line of lines) {
      log.push(`> ${line}`);
      this.engine.postMessage(line);
    }
  }

  /** The next line that begins with a word. */
  next(word, within = TIMEOUT_MS) {
    const is = (line) => line === word || line.startsWith(`${word} `);
    return new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error(`no ${word} within ${within} ms`)), within);
      this.waiting.push({ is, done: (line) => (clearTimeout(timer), done(line)) });
    });
  }

  async ask(word, ...lines) {
    const answer = this.next(word);
    this.send(...lines);
    return answer;
  }

  async ready(...options) {
    await this.ask("readyok", ...options.map((option) => `setoption name ${option}`), "isready");
    return this;
  }

  errors() {
    return this.lines.filter((line) => line.startsWith("info string error"));
  }

  noErrors() {
    expect(this.errors().length === 0, this.errors()[0]);
  }

  end() {
    this.engine.terminate();
  }
}

function expect(is, what) {
  if (!is) throw new Error(what);
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const moveOf = (line) => line.split(" ")[1];
const SMALL = ["USI_Hash value 16", "MateHash value 16"];
const NO_BOOK = "USI_OwnBook value false";

async function firstMove(createRaicho) {
  const start = performance.now();
  const player = await Player.start(createRaicho);
  await player.ask("usiok", "usi");
  await player.ready(NO_BOOK);
  const answer = await player.ask("bestmove", "position startpos", "go nodes 1000");
  const time = performance.now() - start;
  expect(/^bestmove \d[a-i]\d[a-i]/.test(answer), answer);
  player.noErrors();
  player.end();
  return `first move after ${Math.round(time)} ms`;
}

async function wholeGame(createRaicho) {
  const player = await (await Player.start(createRaicho)).ready(...SMALL);
  const moves = [];
  for (;;) {
    const position = `position startpos${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
    const move = moveOf(await player.ask("bestmove", position, "go nodes 400"));
    if (["resign", "win"].includes(move) || moves.length >= 320) break;
    moves.push(move);
  }
  // An illegal move would have made the next position an error.
  player.noErrors();
  expect(moves.length > 30, `the game ends after ${moves.length} moves`);
  player.end();
  return `a game of ${moves.length} moves`;
}

async function mate(createRaicho) {
  const player = await (await Player.start(createRaicho)).ready(...SMALL);
  const problem = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";
  const answer = await player.ask("checkmate", `position sfen ${problem}`, "go mate 5000");
  expect(/^checkmate (G\*|5c5b)/.test(answer), answer);
  const none = await player.ask("checkmate", "position startpos", "go mate 5000");
  expect(none === "checkmate nomate" || none === "checkmate timeout", none);
  player.noErrors();
  player.end();
  return answer;
}

/** The longest problem of old, whose search is as deep as its mate: a test of the stack. */
async function longMate(createRaicho) {
  const player = await (await Player.start(createRaicho)).ready("MateHash value 64", "USI_Hash value 16");
  const problem = "g3p3+r/3lPG3/1s4ppp/1l1B4P/L2b1kPl1/3+p3+R+p/3+p2+s1S/+NP+p1gS3/1g+p2P3 b 4P3n 1";
  const answer = await player.ask("checkmate", `position sfen ${problem}`, "go mate 55000");
  expect(answer.split(" ").length === 612, answer.slice(0, 100));
  player.noErrors();
  player.end();
  return "a mate in 611 plies";
}

async function stop(createRaicho) {
  const player = await (await Player.start(createRaicho)).ready(...SMALL, NO_BOOK);
  const times = [];
  for (let round = 0; round < 9; round++) {
    player.send("position startpos moves 7g7f 3c3d", "go infinite");
    await sleep(300);
    const answer = player.next("bestmove");
    const start = performance.now();
    player.send("stop");
    expect(/^bestmove \d/.test(await answer), await answer);
    times.push(performance.now() - start);
  }
  player.noErrors();
  times.sort((one, other) => one - other);
  const shown = (time) => time.toFixed(1);
  player.end();
  const median = times[times.length >> 1];
  return { text: `stop after ${shown(times[0])} to ${shown(times.at(-1))} ms, median ${shown(median)}`, median };
}

async function ponder(createRaicho) {
  const player = await (await Player.start(createRaicho)).ready(...SMALL, NO_BOOK, "NetworkDelay value 0", "NetworkDelay2 value 0", "MinimumThinkingTime value 1", "RoundUpToFullSecond value false");
  player.send("position startpos moves 7g7f", "go ponder btime 0 wtime 0 byoyomi 200");
  await sleep(400);
  expect(!player.lines.some((line) => line.startsWith("bestmove")), "a bestmove while pondering");
  const answer = await player.ask("bestmove", "ponderhit");
  expect(/^bestmove \d/.test(answer), answer);
  player.send("position startpos moves 2g2f", "go ponder btime 0 wtime 0 byoyomi 200");
  await sleep(200);
  await player.ask("bestmove", "stop");
  player.noErrors();
  player.end();
  return "ponder";
}

async function multiPv(createRaicho) {
  const player = await (await Player.start(createRaicho)).ready(...SMALL, NO_BOOK, "MultiPV value 3");
  await player.ask("bestmove", "position startpos", "go depth 6");
  for (const number of [1, 2, 3]) {
    expect(player.lines.some((line) => line.includes(` multipv ${number} `)), `no line ${number}`);
  }
  player.noErrors();
  player.end();
  return "3 lines";
}

async function foreignNet(createRaicho, data) {
  if (!data.net) return "skipped: no nn.bin was given";
  const player = await Player.start(createRaicho);
  player.engine.writeFile("kp256.nn.bin", data.net);
  await player.ready(...SMALL, "EvalFile value kp256.nn.bin", "FV_SCALE value 16");
  player.noErrors();
  expect(player.lines.some((line) => line.includes("kp256.nn.bin")), "the evaluation is not named");
  let count = 0;
  for (const line of data.evals.split("\n").filter((line) => line && !line.startsWith("#")).slice(0, 40)) {
    const [sfen, value] = line.split("\t");
    const answer = await player.ask("static", `position sfen ${sfen}`, "eval").catch(() => "no answer");
    expect(player.lines.some((text) => text.endsWith(`static eval ${value}`)), `${sfen}: ${answer}, expected ${value}`);
    player.lines.length = 0;
    count += 1;
  }
  player.end();
  return `${count} evaluations are those of the tables`;
}

async function bench(createRaicho, data) {
  const player = await Player.start(createRaicho);
  const last = new Promise((done) => player.engine.addMessageListener((line) => / nps$/.test(line) && done(line)));
  player.send(data.benchDepth ? `bench depth ${data.benchDepth}` : "bench");
  const [nodes, , speed] = (await last).split(" ");
  if (data.benchNodes) expect(Number(nodes) === data.benchNodes, `${nodes} nodes, expected ${data.benchNodes}`);
  player.end();
  return { text: `bench: ${nodes} nodes, ${speed} nodes/s`, speed: Number(speed) };
}

async function traces(createRaicho, data) {
  const names = Object.keys(data.traces ?? {});
  if (!names.length) return "skipped: no traces were given";
  for (const name of names) {
    const player = await Player.start(createRaicho);
    await player.ready(...SMALL, "NetworkDelay value 0", "NetworkDelay2 value 0", "MinimumThinkingTime value 1", "RoundUpToFullSecond value false");
    const count = (word) => player.lines.filter((line) => line.startsWith(word)).length;
    let owed = 0;
    const until = async (is, what) => {
      for (let waited = 0; !is(); waited += 5) {
        expect(waited < 20_000, `${name}: no ${what}`);
        await sleep(5);
      }
    };
    for (const line of data.traces[name].split("\n")) {
      const [, side, text] = /^(recv|send):(.*)$/.exec(line.trim()) ?? [];
      if (side === "recv" && text !== "quit") {
        if (/^setoption name (USI_Hash|Threads) /.test(text)) continue;
        player.send(text.replace(/(time|inc|byoyomi) (\d+)/g, (_, word, ms) => `${word} ${Math.ceil(ms / 200)}`));
        if (/^go\b(?! mate)/.test(text)) owed += 1;
      } else if (side === "send" && text.startsWith("bestmove")) {
        const wanted = count("bestmove") + 1;
        const all = owed;
        await until(() => count("bestmove") >= Math.min(wanted, all), `bestmove for ${text}`);
      } else if (side === "send" && text === "readyok") {
        await until(() => player.lines.includes("readyok"), "readyok");
      }
    }
    await player.ask("readyok", "isready");
    await until(() => count("bestmove") >= owed, "bestmove at the end");
    expect(count("bestmove") === owed, `${name}: ${count("bestmove")} bestmoves for ${owed} go`);
    // A trace may name files of the machine on which it was recorded.
    const errors = player.errors().filter((line) => !/evaluation file|no book/.test(line));
    expect(errors.length === 0, `${name}: ${errors[0]}`);
    player.end();
  }
  return `${names.length} traces`;
}

async function faults(createRaicho, data) {
  const player = await Player.start(createRaicho);
  player.engine.writeFile("broken.bin", new Uint8Array(1000).fill(7));
  await player.ready("EvalFile value broken.bin", "USI_Hash value 100000");
  await player.ready("USI_Hash value 16", "Threads value 500");
  for (const word of ["broken.bin", "hash table of 100000 MB", "500 search threads"]) {
    expect(player.errors().some((line) => line.includes(word)), `no error about ${word}: ${player.errors().join(" | ")}`);
  }
  await player.ready("EvalFile value missing.bin", "Threads value 1");
  expect(player.errors().some((line) => line.includes("missing.bin")), "no error about missing.bin");
  const answer = await player.ask("bestmove", "setoption name USI_OwnBook value false", "position startpos", "go nodes 100");
  expect(/^bestmove \d/.test(answer), answer);
  player.send("position startpos moves 7g7c");
  await player.ask("bestmove resign", "go nodes 100");
  player.end();

  const broken = await Player.start(createRaicho, { wasmBinary: new Uint8Array([0, 97, 115, 109, 9, 9, 9, 9]) });
  await broken.ask("usiok", "usi");
  await broken.ask("readyok", "isready");
  await broken.ask("bestmove", "go infinite");
  expect(broken.errors().length > 0, "no error about the module");
  broken.end();
  if (data.hasThreads) {
    // The workers of the threads cannot be had: the engine goes on with one.
    const lame = await Player.start(createRaicho, { maxWorkers: 1 });
    await lame.ready(...SMALL, NO_BOOK);
    await lame.ask("bestmove", "position startpos", "go nodes 100");
    expect(lame.errors().length > 0, "no error about missing threads");
    lame.end();
  }
  return "errors are told";
}

async function quick(createRaicho) {
  // Many commands at once, as a hurried page sends them: one answer each.
  const player = await Player.start(createRaicho);
  player.send(...[...SMALL, NO_BOOK].map((option) => `setoption name ${option}`), "isready");
  for (let round = 0; round < 20; round++) player.send("position startpos", "go infinite", "stop");
  player.send("usinewgame", "isready");
  const readyoks = () => player.lines.filter((line) => line === "readyok").length;
  for (let waited = 0; readyoks() < 2; waited += 20) {
    expect(waited < TIMEOUT_MS, "no second readyok");
    await sleep(20);
  }
  const answers = player.lines.filter((line) => line.startsWith("bestmove")).length;
  expect(answers === 20, `${answers} bestmoves for 20 go`);
  player.noErrors();
  player.end();
  return "20 searches at once";
}

/** Files under paths as Emscripten's engines take them, given before `isready`. */
async function files(createRaicho, data) {
  const player = await Player.start(createRaicho);
  const { FS } = player.engine;
  const root = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
  FS.mkdirTree("/book");
  FS.writeFile("/book/own.db", `#YANEURAOU-DB2016 1.00\n${root}\n1g1f none 0 32 1\n`);
  if (data.net) {
    FS.mkdirTree("/eval");
    FS.writeFile("/eval/nn.bin", new Uint8Array(data.net));
  }
  const evaluation = data.net ? ["EvalFile value /eval/nn.bin"] : [];
  await player.ready(...SMALL, "BookFile value own.db", ...evaluation);
  const clocks = "go btime 10000 wtime 10000 byoyomi 1000";
  const move = moveOf(await player.ask("bestmove", "position startpos", clocks));
  expect(move === "1g1f", `${move} instead of the move of the book`);
  if (data.net) expect(player.lines.some((line) => line.includes("eval/nn.bin")), "the evaluation is not named");
  player.noErrors();
  FS.unlink("/book/own.db");
  await player.ready("BookFile value ./book/own.db");
  expect(player.errors().some((line) => line.includes("own.db")), "a removed book is found");
  player.end();
  return data.net ? "book and evaluation" : "book";
}

/** Listeners that are removed, and engines that are ended, hear nothing any more. */
async function silence(createRaicho) {
  const player = await Player.start(createRaicho);
  const heard = [];
  const listener = (line) => heard.push(line);
  player.engine.addMessageListener(listener);
  await player.ready(...SMALL, NO_BOOK);
  expect(heard.includes("readyok"), "a second listener hears nothing");
  player.engine.removeMessageListener(listener);
  heard.length = 0;
  await player.ask("bestmove", "position startpos", "go nodes 100");
  expect(heard.length === 0, `a removed listener hears ${heard[0]}`);
  player.end();
  for (const end of [(engine) => engine.postMessage("quit"), (engine) => engine.terminate()]) {
    const ended = await (await Player.start(createRaicho)).ready(...SMALL, NO_BOOK);
    ended.send("position startpos", "go infinite");
    await sleep(200);
    end(ended.engine);
    ended.lines.length = 0;
    ended.send("isready", "stop");
    await sleep(500);
    expect(ended.lines.length === 0, `an ended engine says ${ended.lines[0]}`);
  }
  const wasmBinary = new Uint8Array([0, 97, 115, 109, 9, 9, 9, 9]);
  const rejected = await createRaicho({ wasmBinary, printErr() {} }).then(() => false, () => true);
  expect(rejected, "a broken module does not reject");
  return "removed, quit, terminated";
}

/** Nodes of a fixed time with one thread and with two. */
async function threads(createRaicho, data) {
  if (!data.hasThreads) return "skipped: no threads";
  const nodes = [];
  for (const count of [1, 2]) {
    const player = await (await Player.start(createRaicho)).ready("USI_Hash value 64", NO_BOOK, `Threads value ${count}`);
    await player.ask("bestmove", "position startpos moves 7g7f 3c3d 2g2f 4c4d", `go movetime ${data.threadsTime ?? 1000}`);
    nodes.push(Math.max(...player.lines.map((line) => Number(/ nodes (\d+)/.exec(line)?.[1] ?? 0))));
    player.noErrors();
    player.end();
  }
  const ratio = nodes[1] / nodes[0];
  return { text: `two threads search ${ratio.toFixed(2)} times the nodes of one`, ratio };
}

export const CHECKS = { firstMove, wholeGame, mate, longMate, stop, ponder, multiPv, foreignNet, files, silence, quick, faults, traces, threads, bench };

/** Runs the checks; `report` receives each result. Returns the number of faults. */
export async function runChecks(createRaicho, data, report) {
  let count = 0;
  for (const name of data.only ?? Object.keys(CHECKS)) {
    log.length = 0;
    try {
      const result = await CHECKS[name](createRaicho, data);
      report({ name, ...(typeof result === "string" ? { text: result } : result) });
    } catch (error) {
      count += 1;
      report({ name, fault: `${error.message}\n${log.slice(-30).join("\n")}` });
    }
  }
  return count;
}
