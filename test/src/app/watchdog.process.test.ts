// A process whose event loop is blocked ends; one that only was stopped goes on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

function run(silentMs: number, then: string) {
  const script = `
    import { startWatchdog } from '#src/app/watchdog.ts';
    const watchdog = startWatchdog({ beatMs: 50, silentMs: ${silentMs} });
    process.stdout.write('ready');
    ${then}`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script]);
  return { child, ready: once(child.stdout, 'data'), ended: once(child, 'exit'), error: text(child.stderr) };
}

const idleFor = (ms: number): string => `
  await new Promise((resolve) => setTimeout(resolve, ${ms}));
  await watchdog[Symbol.asyncDispose]();`;

describe.concurrent('the watchdog', () => {
  it('ends a process whose event loop is blocked, and says so in the log', async () => {
    const { ended, error } = run(1000, 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(JSON.parse(await error)).toMatchObject({ level: 'fatal', msg: expect.stringContaining('blocked for 1 s') });
  });

  it('ends a process that is blocked because the reader of its log has stopped', async () => {
    const script = `
      import { writeSync } from 'node:fs';
      import { startWatchdog } from '#src/app/watchdog.ts';
      startWatchdog({ beatMs: 50, silentMs: 1000 });
      for (;;) {
        try {
          writeSync(2, 'x'.repeat(65536));
        } catch {
          // EAGAIN, where the pipe is non-blocking.
        }
      }`;
    const inShell = 'exec "$0" --input-type=module-typescript --eval "$1" 2> >(exec sleep 15)';
    const child = spawn('bash', ['-c', inShell, process.execPath, script], { stdio: 'ignore' });
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('leaves a process alone that works, also after it was stopped for longer, and does not keep it running', async () => {
    const { child, ready, ended, error } = run(3000, idleFor(5000));
    await ready;
    child.kill('SIGSTOP');
    await sleep(4000);
    child.kill('SIGCONT');
    expect(await ended).toEqual([0, null]);
    expect(await error).toBe('');
  });
});
