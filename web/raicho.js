// Raicho, a USI shogi engine, in browsers and Node: USI lines in, USI lines out. See README.md and raicho.d.ts.

const IS_NODE = typeof process === "object" && Boolean(process.versions?.node) && typeof document === "undefined";
const STOP = 1;
const PONDER_HIT = 2;
/** Restarts without an answer between them, after which the engine is given up. */
const MOST_RESTARTS = 3;
/** How long a search without any line so far may go on after `stop`, where it cannot be interrupted. */
const FIRST_LINE_MS = 2000;
const ENDS_A_SEARCH = new Set(["stop", "gameover", "position", "go", "isready", "usinewgame"]);

/** A worker of the browser or of Node, with one face. */
async function startWorker(url, onMessage, onError) {
  if (IS_NODE) {
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(forNode(url));
    worker.on("message", onMessage);
    worker.on("error", onError);
    return worker;
  }
  // A script of another origin, such as a CDN, may be read but not started.
  const { protocol, origin } = new URL(url, location.href);
  const isForeign = protocol.startsWith("http") && origin !== location.origin;
  const worker = new Worker(isForeign ? URL.createObjectURL(await (await fetch(url)).blob()) : url);
  worker.onmessage = (event) => onMessage(event.data);
  worker.onerror = (event) => {
    event.preventDefault?.();
    onError(new Error(event.message || "the worker cannot be loaded"));
  };
  return worker;
}

async function compile(options) {
  if (options.wasmModule) return options.wasmModule;
  if (options.wasmBinary) return WebAssembly.compile(options.wasmBinary);
  const url = located(options, "raicho.wasm");
  if (IS_NODE) {
    const { readFile } = await import("node:fs/promises");
    return WebAssembly.compile(await readFile(forNode(url)));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

function located(options, name) {
  const folder = import.meta.url.replace(/[^/]*$/, "");
  return options.locateFile ? options.locateFile(name, folder) : folder + name;
}

/** Node takes the URL of a file as an object, and paths as they are. */
function forNode(url) {
  return String(url).startsWith("file:") ? new URL(url) : url;
}

/** Whether workers may share memory. */
function canShare() {
  return typeof SharedArrayBuffer === "function" && (IS_NODE || globalThis.crossOriginIsolated === true);
}

async function coreCount() {
  if (globalThis.navigator?.hardwareConcurrency) return navigator.hardwareConcurrency;
  return IS_NODE ? (await import("node:os")).availableParallelism() : 1;
}

/** Workers on one memory, until they end together. */
class Instance {
  constructor(options, module, hasThreads, on) {
    Object.assign(this, { options, module, hasThreads, on });
    this.workers = new Set();
    this.idle = [];
    this.isOpen = true;
    this.suspends = false;
    // Threads post on their own: lines are put into the order of their numbers.
    this.nextLine = 0;
    this.early = new Map();
    this.panic = "";
  }

  async begin() {
    this.session = await this.startWorker();
    this.session.postMessage({ type: "begin", module: this.module, threads: this.hasThreads, cores: await coreCount() });
  }

  async startWorker() {
    const most = this.options.maxWorkers ?? Infinity;
    if (this.workers.size >= most) throw new Error(`a thread needs another worker than the ${most} allowed`);
    let worker;
    const fail = (error) => this.isOpen && this.on.failed(this.panic || error.message);
    const url = this.options.workerUrl ?? located(this.options, "worker.js");
    worker = await startWorker(url, (message) => this.isOpen && this.receive(worker, message), fail);
    // In Node the session alone keeps the program alive, until it ends.
    if (this.session) worker.unref?.();
    this.workers.add(worker);
    if (!this.isOpen) worker.terminate();
    return worker;
  }

  async receive(worker, message) {
    switch (message.type) {
      case "line":
        this.early.set(message.number, message.text);
        while (this.early.has(this.nextLine)) {
          const text = this.early.get(this.nextLine);
          this.early.delete(this.nextLine++);
          this.on.line(text);
        }
        break;
      case "spawn":
        try {
          const thread = this.idle.pop() ?? (await this.startWorker());
          thread.postMessage({ ...message, type: "thread", module: this.module, threads: true });
        } catch (error) {
          if (this.isOpen) this.on.failed(error.message, true);
        }
        break;
      case "idle":
        this.idle.push(worker);
        break;
      case "panic":
        this.panic = message.text;
        break;
      case "failed":
        this.on.failed(this.panic || message.text);
        break;
      case "note":
        this.on.line(`info string error: ${message.text}`);
        break;
      case "begun":
        this.suspends = message.suspends;
        this.on.begun();
        break;
      case "done":
        this.on.done(message.isOpen);
        break;
    }
  }

  end() {
    this.isOpen = false;
    for (const worker of this.workers) worker.terminate();
  }
}

/** The shortest search in place of another one. */
function shortest(text) {
  const words = text.split(/\s+/);
  if (words[0] !== "go") return text;
  if (words.includes("mate")) return "go mate 1";
  const moves = words.indexOf("searchmoves");
  return moves < 0 ? "go depth 1" : `go depth 1 ${words.slice(moves).join(" ")}`;
}

function endsASearch(text) {
  return ENDS_A_SEARCH.has(text.split(/\s+/)[0]);
}

class Raicho {
  #options;
  #module = null;
  #instance = null;
  #hasThreads = canShare();
  #listeners = new Set();
  /** Lines before the first listener. */
  #unheard = [];
  /** What the session has to do: `{ text }` or `{ name, bytes }`; `quiet` where nobody is to hear of it. */
  #queue = [];
  #current = null;
  #isReady = false;
  #isOver = false;
  /** Why there is no engine. */
  #broken = null;
  /** The command that is owed an answer: `go`, `mate` or `isready`. */
  #owed = null;
  /** The first moves of the last line of the search. */
  #best = null;
  #cut = null;
  /** A `go ponder` that waits for `ponderhit`, because a search could not be interrupted by it. */
  #heldPonder = null;
  /** What a new instance must be told. */
  #settings = new Map();
  #files = new Map();
  #position = null;
  #wasReady = false;
  #restarts = 0;
  #hasSaid = false;
  /** Called when the engine has begun, or cannot. */
  #settle = null;

  constructor(options) {
    this.#options = options;
    if (options.threads === false) this.#hasThreads = false;
    if (options.onLine) this.#listeners.add(options.onLine);
    const writeFile = (path, data) => this.writeFile(path, data);
    const unlink = (path) => this.removeFile(path);
    // A folder is a part of the names of its files.
    const mkdirTree = () => {};
    /** As Emscripten's `FS`, for pages that were written for another engine. */
    this.FS = { mkdir: mkdirTree, mkdirTree, writeFile, unlink };
  }

  /** Whether several threads can be used. */
  get hasThreads() {
    return this.#hasThreads;
  }

  async start() {
    const isSettled = new Promise((done) => (this.#settle = done));
    try {
      this.#module ??= await compile(this.#options);
      await this.#begin();
    } catch (error) {
      this.#giveUp(`the engine cannot be loaded: ${error.message}`);
    }
    await isSettled;
    if (this.#broken && this.#options.printErr) throw new Error(this.#broken);
    return this;
  }

  addMessageListener(listener) {
    this.#listeners.add(listener);
    const unheard = this.#unheard ?? [];
    this.#unheard = null;
    for (const line of unheard) listener(line);
  }

  removeMessageListener(listener) {
    this.#listeners.delete(listener);
  }

  set onLine(listener) {
    this.addMessageListener(listener);
  }

  /** Sends USI lines. */
  postMessage(text) {
    for (const line of String(text).split(/\r?\n/)) {
      if (line.trim()) this.#command(line.trim());
    }
  }

  /** Gives the engine a file, whose name options such as `EvalFile` then take. */
  writeFile(name, data) {
    if (this.#isOver) return;
    if (typeof data === "string") data = new TextEncoder().encode(data);
    const bytes = data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array(data.buffer ?? data, data.byteOffset, data.byteLength);
    const file = { name, bytes: bytes.slice() };
    this.#files.set(name, file);
    this.#enqueue(file);
  }

  /** Takes a file back and frees its memory. What the engine has loaded from it stays loaded. */
  removeFile(name) {
    if (this.#files.delete(name)) this.#enqueue({ name, bytes: new Uint8Array() });
  }

  /** Ends the engine at once. Nothing is heard of it any more. */
  terminate() {
    this.#isOver = true;
    clearTimeout(this.#cut);
    this.#listeners.clear();
    this.#instance?.end();
    this.#module = null;
    this.#queue = [];
    this.#files.clear();
  }

  // --- Lines in ---

  #command(line) {
    if (this.#isOver) return;
    const words = line.split(/\s+/);
    if (words[0] === "quit") return this.terminate();
    if (this.#broken) return this.#answerBroken(words);
    if (words[0] === "setoption") this.#settings.set(words[2], line);
    if (words[0] === "position") this.#position = line;
    const isSearching = this.#owed === "go" || this.#owed === "mate";
    if (this.#heldPonder && words[0] !== "setoption") return this.#endHeldPonder(words, line);
    const isBusy = this.#current !== null && !this.#current.quiet;
    if (isBusy && words[0] === "ponderhit") this.#instance.session.postMessage({ type: "signal", bits: PONDER_HIT });
    if (isBusy && endsASearch(line)) this.#interrupt(isSearching);
    const isBlind = !this.#hasThreads && !this.#instance?.suspends;
    if (words[0] === "go" && words.includes("ponder") && isBlind && this.#instance?.isOpen && this.#isReady) {
      this.#heldPonder = line;
      return;
    }
    this.#enqueue({ text: line });
  }

  /** The session is busy with a line, and another one is to end that. */
  #interrupt(isSearching) {
    const isTool = /^(bench|perft|go perft)\b/.test(this.#current.text ?? "");
    if (this.#instance.suspends) {
      this.#instance.session.postMessage({ type: "signal", bits: STOP });
    } else if (isTool || (!this.#hasThreads && isSearching)) {
      this.#cutShort();
    }
  }

  /** Answers for a search that cannot be interrupted, and begins anew. */
  #cutShort() {
    if (this.#owed === "go" && !this.#best) {
      this.#cut ??= setTimeout(() => this.#cutNow(), FIRST_LINE_MS);
      return;
    }
    this.#cutNow();
  }

  #cutNow() {
    clearTimeout(this.#cut);
    this.#cut = null;
    if (this.#owed === null) this.#say(`info string error: "${this.#current.text}" was stopped, there is no result`);
    this.#answerOwed("none");
    this.#restart();
  }

  /** `go ponder` has not been searched: a stop is answered at once, a hit begins the search. */
  #endHeldPonder(words, line) {
    const held = this.#heldPonder;
    this.#heldPonder = null;
    if (words[0] === "ponderhit") {
      const clocks = words.length > 1 ? ["go", ...words.slice(1)] : held.split(/\s+/).filter((word) => word !== "ponder");
      this.#command(clocks.length > 1 ? clocks.join(" ") : "go byoyomi 1000");
    } else {
      this.#say("bestmove none");
      if (words[0] !== "stop") this.#command(line);
    }
  }

  #enqueue(item) {
    if (this.#isOver) return;
    this.#queue.push(item);
    this.#next();
  }

  #next() {
    if (!this.#isReady || this.#current || !this.#queue.length) return;
    this.#current = this.#queue.shift();
    const { text, name, bytes } = this.#current;
    if (name !== undefined) {
      this.#instance.session.postMessage({ type: "file", name, bytes });
      return;
    }
    const words = text.split(/\s+/);
    if (words[0] === "isready") {
      this.#wasReady = true;
      this.#owed = "isready";
    }
    if (words[0] === "go" && words[1] !== "perft") {
      this.#owed = words.includes("mate") ? "mate" : "go";
      this.#best = null;
    }
    // What is already said about the search, where that takes effect only within it.
    const later = this.#hasThreads || !this.#owed ? [] : this.#queue.map((item) => item.text ?? "");
    const isOver = later.some(endsASearch);
    const { session, suspends } = this.#instance;
    session.postMessage({ type: "line", text: isOver && !suspends ? shortest(text) : text });
    if (later.some((line) => /^ponderhit\b/.test(line))) session.postMessage({ type: "signal", bits: PONDER_HIT });
    if (isOver && suspends) session.postMessage({ type: "signal", bits: STOP });
  }

  // --- Lines out ---

  #say(line) {
    if (this.#isOver) return;
    if (this.#listeners.size === 0) this.#unheard?.push(line);
    for (const listener of this.#listeners) listener(line);
  }

  #receive(line) {
    if (this.#current?.quiet) return;
    const word = line.slice(0, line.indexOf(" ") < 0 ? undefined : line.indexOf(" "));
    if (word === "info") {
      const pv = / pv (\S+)(?: (\S+))?/.exec(line);
      if (pv && !/ multipv (?!1 )/.test(line)) this.#best = pv;
    } else if (word === "bestmove" || word === "checkmate") {
      this.#owed = null;
      this.#restarts = 0;
    } else if (word === "readyok") {
      if (this.#owed === "isready") this.#owed = null;
      if (!this.#hasThreads && !this.#hasSaid) {
        this.#hasSaid = true;
        this.#say("info string one thread: memory cannot be shared, because the page is not cross-origin isolated");
      }
    }
    this.#say(line);
    if (this.#cut && this.#best) this.#cutNow();
  }

  /** Gives the answer that the engine owes and cannot give any more. */
  #answerOwed(withoutMove) {
    const owed = this.#owed;
    this.#owed = null;
    if (owed === "isready") this.#say("readyok");
    if (owed === "mate") this.#say("checkmate timeout");
    if (owed === "go") {
      const [, move, reply] = this.#best ?? [];
      this.#say(move ? `bestmove ${move}${reply ? ` ponder ${reply}` : ""}` : `bestmove ${withoutMove}`);
    }
  }

  #answerBroken(words) {
    const answers = { usi: "usiok", isready: "readyok", go: words.includes("mate") ? "checkmate timeout" : "bestmove resign" };
    const answer = answers[words[0]];
    if (!answer) return;
    this.#say(`info string error: ${this.#broken}`);
    this.#say(answer);
  }

  // --- Instances ---

  async #begin() {
    const on = {
      begun: () => {
        this.#isReady = true;
        this.#settle();
        this.#next();
      },
      line: (line) => this.#receive(line),
      done: (isOpen) => {
        this.#current = null;
        if (isOpen) this.#next();
        else this.terminate();
      },
      failed: (text, hasNoThreads) => this.#fail(text, hasNoThreads),
    };
    this.#instance = new Instance(this.#options, this.#module, this.#hasThreads, on);
    await this.#instance.begin();
  }

  /** The engine has ended by a fault, or a thread cannot be had. */
  #fail(text, hasNoThreads = false) {
    if (this.#isOver) return;
    this.#instance.end();
    if (hasNoThreads) {
      this.#hasThreads = false;
    } else if (!this.#isReady || this.#restarts >= MOST_RESTARTS) {
      this.#giveUp(text);
      return;
    }
    this.#restarts += 1;
    const how = hasNoThreads ? "with one thread" : "anew";
    this.#say(`info string error: ${text.replace(/\s+/g, " ")}, the engine begins ${how}`);
    this.#answerOwed("resign");
    this.#restart();
  }

  #giveUp(text) {
    this.#instance?.end();
    this.#broken = text.replace(/\s+/g, " ");
    this.#settle();
    this.#say(`info string error: ${this.#broken}`);
    this.#answerOwed("resign");
    const left = this.#queue.splice(0);
    this.#current = null;
    for (const { text: line } of left) if (line) this.#answerBroken(line.split(/\s+/));
  }

  /** A new instance in the state of the old one, but for what it has learnt in searches. */
  #restart() {
    this.#instance.end();
    this.#isReady = false;
    this.#current = null;
    const said = [...this.#settings.values(), ...(this.#wasReady ? ["isready"] : []), ...(this.#position ? [this.#position] : [])];
    const waiting = this.#queue.filter((item) => !item.quiet && item.name === undefined);
    this.#queue = [
      ...[...this.#files.values()].map((file) => ({ ...file, quiet: true })),
      ...said.map((text) => ({ text, quiet: true })),
      ...waiting,
    ];
    this.#begin().catch((error) => this.#giveUp(error.message));
  }
}

/** Loads the engine. Errors come as `info string error:` lines; with `printErr` a failure to load rejects. */
export default async function createRaicho(options = {}) {
  return new Raicho(options).start();
}
export { createRaicho };
