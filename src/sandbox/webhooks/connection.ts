// One kept connection to a subscriber: a request, its answer, then the next. Node's own HTTP client takes several times as long
// for the same, and the sandbox must be able to outrun the receivers it is there to test.
import { connect as connectPlain, isIP } from 'node:net';
import type { Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { createAnswerReader } from './answer-reader.ts';
import type { AnswerReader } from './answer-reader.ts';

export interface Patience {
  readonly connectMs: number;
  readonly readMs: number;
  /** How long a connection nobody needs is kept. */
  readonly idleMs: number;
}

export interface Origin {
  readonly isSecure: boolean;
  readonly host: string;
  readonly port: number;
}

export interface Outcome {
  /** The answer's status; null when there was none. */
  readonly status: number | null;
  readonly error?: string;
}

export interface Connection {
  /** Takes part in no exchange and can begin one. */
  readonly isFree: boolean;
  /** Whether an exchange before this one went well. */
  readonly isUsed: boolean;
  /** One at a time. Never rejects. */
  exchange(head: string, body: Uint8Array): Promise<Outcome>;
  /** Gives up what takes too long. */
  look(nowMs: number): void;
  close(reason: string): void;
}

interface Exchange {
  readonly reader: AnswerReader;
  startedMs: number;
  end(outcome: Outcome): void;
}

const goodbyeMs = 1000;

export function openConnection(origin: Origin, patience: Patience, onClose: () => void): Connection {
  let current: Exchange | undefined;
  let error: string | undefined;
  let isConnected = false;
  let isSpent = false;
  let isUsed = false;
  let quietSinceMs = performance.now();
  const socket = connect(origin, () => {
    isConnected = true;
    if (current) current.startedMs = performance.now();
  });

  function finish(outcome: Outcome): void {
    const ended = current;
    current = undefined;
    quietSinceMs = performance.now();
    ended?.end(outcome);
  }
  function close(reason: string): void {
    isSpent = true;
    error ??= reason;
    socket.destroy();
  }
  socket.on('data', (chunk) => {
    if (isSpent) return;
    // Nobody asked.
    if (current === undefined) return close('unexpected data');
    const reading = current.reader.read(chunk);
    if (reading === 'more') return;
    if (reading === 'broken') return close('not an HTTP answer');
    if (reading === 'spent') sayGoodbye();
    isUsed = true;
    finish({ status: current.reader.status });
  });
  function sayGoodbye(): void {
    isSpent = true;
    // Ended, not torn down: the other side may still be writing its answer.
    socket.end();
    setTimeout(() => socket.destroy(), goodbyeMs).unref();
  }
  socket.on('error', (failure: NodeJS.ErrnoException) => (error ??= failure.code ?? failure.message));
  socket.on('close', () => {
    isSpent = true;
    const status = current?.reader.status ?? null;
    if (current) finish(status === null ? { status, error: error ?? hangUp } : { status });
    onClose();
  });

  return {
    get isFree() {
      return current === undefined && !isSpent && socket.writable;
    },
    get isUsed() {
      return isUsed;
    },
    exchange: (head, body) =>
      new Promise((end) => {
        current = { reader: createAnswerReader(), startedMs: performance.now(), end };
        socket.cork();
        socket.write(head, 'latin1');
        socket.write(body);
        socket.uncork();
      }),
    look(nowMs) {
      if (current === undefined) {
        if (nowMs - quietSinceMs > patience.idleMs) close('idle');
      } else if (!isConnected) {
        if (nowMs - current.startedMs > patience.connectMs) close('connect time-out');
      } else if (nowMs - current.startedMs > patience.readMs) close('read time-out');
    },
    close,
  };
}

/** The other side closed the connection without an answer. */
export const hangUp = 'hang-up';

function connect({ isSecure, host, port }: Origin, onConnect: () => void): Socket {
  if (!isSecure) return connectPlain({ host, port, noDelay: true }, onConnect);
  const servername = isIP(host) === 0 ? host : '';
  return connectSecure({ host, port, servername, ALPNProtocols: ['http/1.1'] }, onConnect).setNoDelay(true);
}
