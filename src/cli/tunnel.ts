// A tunnel: the process of another program that gives a port of this machine a public address, such as cloudflared or ngrok.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SlotstreamError } from '#src/base/errors.ts';
import { sleepUnlessAborted } from '#src/base/time.ts';

export interface Tunnel extends AsyncDisposable {
  readonly url: string;
  /** Aborts when its process has ended. */
  readonly ended: AbortSignal;
}

export interface TunnelInput {
  /** A line for the shell; `$PORT` is the port to lead to. */
  readonly command: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** How long it may take to print its address. */
  readonly waitMs?: number;
}

export const cloudflared = 'cloudflared tunnel --url http://127.0.0.1:$PORT';

/** Without a path: those with one are addresses of documents. */
const address = /https:\/\/[\w.-]+(?::\d+)?(?=\/?(?:[\s"'|,)]|$))/;
const addressWaitMs = 30_000;
const endWaitMs = 5_000;

/** Takes the first `https://` address that the command prints. */
export async function openTunnel({ command, env, signal, waitMs = addressWaitMs }: TunnelInput): Promise<Tunnel> {
  // A group of its own: Ctrl-C must not end it before the subscriptions are removed.
  const child = spawn(command, { shell: true, detached: true, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ending = new AbortController();
  const exited = once(child, 'exit')
    .catch(() => undefined)
    .finally(() => ending.abort());
  await using opened = new AsyncDisposableStack();
  opened.defer(() => end(child.pid, exited, ending.signal));
  let lastLine = '';
  const url = await new Promise<string | undefined>((resolve) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        lastLine = line.trim() || lastLine;
        const [found] = address.exec(line) ?? [];
        if (found !== undefined) resolve(found);
      });
    const giveUp = AbortSignal.any([signal, ending.signal]);
    void sleepUnlessAborted(waitMs, giveUp).then(() => resolve(undefined));
  });
  if (signal.aborted) throw new SlotstreamError('stopped', 'Stopped before the tunnel had an address.');
  if (url === undefined) {
    const what = ending.signal.aborted
      ? 'ended without an https:// address'
      : `printed no https:// address within ${waitMs / 1000} seconds`;
    const last = lastLine === '' ? '' : ` Its last line: ${lastLine.slice(0, 200)}`;
    throw new SlotstreamError('refused', `The tunnel (${command}) ${what}.${last}`, {
      hint: 'Install cloudflared, or give the command of another tunnel: --tunnel="ngrok http $PORT --log stdout"',
    });
  }
  const resources = opened.move();
  return { url, ended: ending.signal, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** With everything that the shell started. */
async function end(pid: number | undefined, exited: Promise<unknown>, ended: AbortSignal): Promise<void> {
  const send = (signal: NodeJS.Signals) => {
    try {
      if (pid !== undefined) process.kill(-pid, signal);
    } catch {
      // It has ended.
    }
  };
  send('SIGTERM');
  await sleepUnlessAborted(endWaitMs, ended);
  send('SIGKILL');
  await exited;
}
