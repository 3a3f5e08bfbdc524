// One thread of Raicho: the session, or a thread that the engine has started. `raicho.js` starts it and passes
// messages; the engine is an instance of the same module on the same memory in every thread.
"use strict";
(() => {
  const PAGE_BYTES = 65536;
  const INITIAL_PAGES = 256;
  /** Sizes in MB of the engine's memory; the largest that the browser gives is taken. */
  const MEMORY_MEGABYTES = [2048, 1024, 512, 256];

  /** What has happened since the last look: bits of the engine's `poll`. */
  let signals = 0;
  let instance;
  /** The call for a line: a promise where the engine can be suspended. */
  let callLine;
  let memory;
  let post;
  let wake = null;

  const decoder = new TextDecoder();
  const textAt = (address, length) => decoder.decode(new Uint8Array(memory.buffer, address, length).slice());

  /** Lets the messages that have arrived be processed. */
  function breathe() {
    const { port1, port2 } = new MessageChannel();
    return new Promise((resolve) => {
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(0);
    });
  }

  function takeSignals() {
    const taken = signals;
    signals = 0;
    return taken;
  }

  async function pollSuspended(wait) {
    if (wait && !signals) {
      await new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, 50);
      });
      wake = null;
    } else {
      await breathe();
    }
    return takeSignals();
  }

  /** Without suspension no message arrives: `raicho.js` ends this worker instead. */
  function pollBlocked(wait) {
    if (wait) {
      const words = new Int32Array(memory.buffer, 0, 1);
      Atomics.wait(words, 0, Atomics.load(words, 0), 20);
    }
    return 0;
  }

  /** Memory that grows to as much as the browser gives, and that bound in bytes. */
  function newMemory() {
    for (const megabytes of MEMORY_MEGABYTES) {
      try {
        const maximum = megabytes * 2 ** 20 / PAGE_BYTES;
        const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum, shared: true });
        return [memory, maximum * PAGE_BYTES];
      } catch {
        // Less may be given.
      }
    }
    throw new Error(`no memory for the engine, expected ${MEMORY_MEGABYTES.at(-1)} MB`);
  }

  async function instantiate(message) {
    memory = message.memory;
    const suspends = !message.threads && typeof WebAssembly.Suspending === "function";
    const imports = {
      env: { memory },
      raicho: {
        now: () => performance.timeOrigin + performance.now(),
        line: (address, length, number) => post({ type: "line", text: textAt(address, length), number }),
        panic: (address, length) => post({ type: "panic", text: textAt(address, length) }),
        spawn: (start, stack, locals, inUse) => post({ type: "spawn", memory, start, stack, locals, inUse }),
        poll: suspends ? new WebAssembly.Suspending(pollSuspended) : pollBlocked,
      },
    };
    instance = await WebAssembly.instantiate(message.module, imports);
    const { raicho_line } = instance.exports;
    callLine = suspends ? WebAssembly.promising(raicho_line) : raicho_line;
    return suspends;
  }

  /** Copies bytes into memory of the engine, and returns address and length. */
  function give(bytes) {
    const address = instance.exports.raicho_alloc(bytes.length) >>> 0;
    if (address === 0) throw new Error(`no memory for ${bytes.length} bytes`);
    new Uint8Array(memory.buffer, address, bytes.length).set(bytes);
    return [address, bytes.length];
  }

  const encode = (text) => new TextEncoder().encode(text);

  const actions = {
    async begin(message) {
      const [memory, mostMemory] = newMemory();
      const suspends = await instantiate({ ...message, memory });
      instance.exports.raicho_begin(message.cores, mostMemory, message.threads ? 1 : 0);
      post({ type: "begun", suspends });
    },
    file(message) {
      try {
        const name = give(encode(message.name));
        instance.exports.raicho_file(...name, ...give(message.bytes));
      } catch (error) {
        // The engine goes on; it will say that there is no such file.
        post({ type: "note", text: `file ${message.name}, ${error.message}` });
      }
      post({ type: "done", isOpen: true });
    },
    async line(message) {
      signals = 0;
      const isOpen = await callLine(...give(encode(message.text)));
      post({ type: "done", isOpen: isOpen !== 0 });
    },
    signal(message) {
      signals |= message.bits;
      if (wake) wake();
    },
    async thread(message) {
      if (!instance) await instantiate(message);
      const { __stack_pointer, __wasm_init_tls, raicho_run_thread } = instance.exports;
      __stack_pointer.value = message.stack;
      __wasm_init_tls(message.locals);
      raicho_run_thread(message.start);
      Atomics.store(new Int32Array(memory.buffer), message.inUse >>> 2, 0);
      post({ type: "idle" });
    },
  };

  async function receive(message) {
    try {
      await actions[message.type](message);
    } catch (error) {
      post({ type: "failed", text: String(error.message || error) });
    }
  }

  if (typeof WorkerGlobalScope === "undefined") {
    import("node:worker_threads").then(({ parentPort }) => {
      post = (message) => parentPort.postMessage(message);
      parentPort.on("message", receive);
    });
  } else {
    post = (message) => self.postMessage(message);
    self.onmessage = (event) => receive(event.data);
  }
})();
