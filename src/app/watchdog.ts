// Ends the process when its event loop is blocked: a process that answers nothing stays for ever otherwise, because container
// engines do not restart what is only unhealthy. Accepted deliveries are on disk or in the queue, as after any crash.
import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

const beatMs = 10_000;
const silentMs = 60_000;

const write = `
  const { line, written } = require('node:worker_threads').workerData;
  require('node:fs').writeSync(2, line);
  Atomics.store(written, 0, 1);
  Atomics.notify(written, 0);`;

// A thread of its own, because a blocked event loop cannot watch itself. A process that was stopped (SIGSTOP, a suspended machine)
// finds its time run out when it continues, so it gets a moment to answer before it is ended.
const watch = `
  const { Worker, workerData: { beat, silentMs, message, write } } = require('node:worker_threads');
  const isSilent = (seen, ms) => Atomics.wait(beat, 0, seen, ms) === 'timed-out';
  for (;;) {
    const seen = Atomics.load(beat, 0);
    if (isSilent(seen, silentMs) && isSilent(seen, Math.min(5000, silentMs))) {
      const line = { level: 'fatal', time: new Date().toISOString(), pid: process.pid, msg: message };
      // In another thread: the reader of standard error may be what blocks the event loop, and would block this one too.
      const written = new Int32Array(new SharedArrayBuffer(4));
      new Worker(write, { eval: true, workerData: { line: JSON.stringify(line) + '\\n', written } });
      Atomics.wait(written, 0, 0, 5000);
      process.kill(process.pid, 'SIGKILL');
    }
  }`;

/** Start it when the process is ready: opening a large database may block it for long. */
export function startWatchdog(
  timing: { readonly beatMs: number; readonly silentMs: number } = { beatMs, silentMs },
): AsyncDisposable {
  // A debugger stops the event loop on purpose.
  if (inspectorUrl() !== undefined) return { [Symbol.asyncDispose]: async () => {} };
  const beat = new Int32Array(new SharedArrayBuffer(4));
  const seconds = Math.round(timing.silentMs / 1000);
  const message = `the event loop was blocked for ${seconds} s: the process ends, so that it can be restarted`;
  const thread = new Worker(watch, {
    eval: true,
    // Not the flags of this process: they may say how `eval` reads its code.
    execArgv: [],
    workerData: { beat, silentMs: timing.silentMs, message, write },
    resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  thread.unref();
  const beating = setInterval(() => {
    Atomics.add(beat, 0, 1);
    Atomics.notify(beat, 0);
  }, timing.beatMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      await thread.terminate();
    },
  };
}
