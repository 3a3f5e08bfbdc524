/** Receives lines of the engine, such as `info …` and `bestmove …`, without line ends. */
export type Listener = (line: string) => void;

export interface Options {
  /** `false` for one thread, even where there are several. */
  threads?: boolean;
  /** Receives every line from the start. */
  onLine?: Listener;
  /** Where `raicho.wasm` and `worker.js` lie, given the name and the folder of the module. */
  locateFile?: (name: string, folder: string) => string;
  /** The content of `raicho.wasm`, instead of loading it. */
  wasmBinary?: BufferSource;
  /** `raicho.wasm` compiled, instead of loading it. */
  wasmModule?: WebAssembly.Module;
  /** The worker script, instead of `worker.js`. */
  workerUrl?: string | URL;
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
  /** Gives the engine a file; `setoption name EvalFile value NAME` and the like then name it. It is kept until `removeFile` or `terminate`. */
  writeFile(name: string, data: ArrayBuffer | ArrayBufferView): void;
  /** Takes a file back and frees its memory; what was loaded from it stays loaded. */
  removeFile(name: string): void;
  /** The same under the names that engines built with Emscripten have. */
  readonly FS: {
    writeFile(name: string, data: ArrayBuffer | ArrayBufferView): void;
    unlink(name: string): void;
  };
  /** Whether the option `Threads` can be more than 1. */
  readonly hasThreads: boolean;
  /** Ends the engine at once, without an answer to a running search. */
  terminate(): void;
}

/** Loads the engine. Whatever goes wrong comes as an `info string error:` line. */
export function createRaicho(options?: Options): Promise<Raicho>;
export default createRaicho;
