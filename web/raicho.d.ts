/** Receives lines of the engine, such as `info …` and `bestmove …`, without line ends. */
export type Listener = (line: string) => void;

export interface Options {
  /** `false` for one thread, even where there are several. */
  threads?: boolean;
  /** Receives every line from the start. */
  onLine?: Listener;
  /** Where `raicho.wasm` and `worker.js` lie, as a URL or path, given the name and the folder of the module. */
  locateFile?: (name: string, folder: string) => string;
  /** The content of `raicho.wasm`, instead of loading it. */
  wasmBinary?: BufferSource;
  /** `raicho.wasm` compiled, instead of loading it. */
  wasmModule?: WebAssembly.Module;
  /** The worker script, instead of `worker.js`. */
  workerUrl?: string | URL;
  /** Given by pages for Emscripten's modules, and never called: a failure to load then rejects the promise. */
  printErr?: (line: string) => void;
  /** Most workers, one for the session and one for each thread; with too few the engine goes on with one thread. */
  maxWorkers?: number;
}

export interface Raicho {
  /** Sends lines of USI. */
  postMessage(lines: string): void;
  addMessageListener(listener: Listener): void;
  removeMessageListener(listener: Listener): void;
  /** Adds a listener. */
  set onLine(listener: Listener);
  /**
   * Gives the engine a file; `EvalFile`, `BookFile` and the like then name it. A slash or `./` before the name is left
   * out. It is kept until `removeFile` or `terminate`.
   */
  writeFile(name: string, data: string | ArrayBuffer | ArrayBufferView): void;
  /** Takes a file back and frees its memory; what was loaded from it stays loaded. */
  removeFile(name: string): void;
  /** The same under the names that engines built with Emscripten have. */
  readonly FS: {
    /** Nothing needs to be done: folders are parts of the names of files. */
    mkdir(path: string): void;
    mkdirTree(path: string): void;
    writeFile(path: string, data: string | ArrayBuffer | ArrayBufferView): void;
    unlink(path: string): void;
  };
  /** Whether the option `Threads` can be more than 1. */
  readonly hasThreads: boolean;
  /** Ends the engine at once, without an answer to a running search, as `quit` does. Nothing is heard afterwards. */
  terminate(): void;
}

/** Loads the engine. Whatever goes wrong comes as an `info string error:` line, but see `printErr`. */
export function createRaicho(options?: Options): Promise<Raicho>;
export default createRaicho;
