// Adapts PGlite to the part of pg.Pool that BullMQ's PostgreSQL backend uses. PGlite has one session, so every "client" shares it
// and only has its own listeners.

import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PGliteInterface } from '@electric-sql/pglite';

type Rows<R> = { rows: R[]; rowCount: number | null };

class PgliteClient extends EventEmitter {
  readonly #db: PGliteInterface;
  readonly #unsubscribe: () => void;

  constructor(db: PGliteInterface) {
    super();
    this.#db = db;
    this.#unsubscribe = db.onNotification((channel, payload) => this.emit('notification', { channel, payload }));
  }

  query<R>(text: string, params?: readonly unknown[]): Promise<Rows<R>> {
    return runQuery<R>(this.#db, text, params);
  }

  release(): void {
    this.#unsubscribe();
  }
}

export class PglitePool extends EventEmitter {
  /** There is no socket that could break unnoticed, so BullMQ does not need to poll. */
  readonly options = { keepAlive: true };
  readonly #db: PGliteInterface;

  constructor(db: PGliteInterface) {
    super();
    this.setMaxListeners(0);
    this.#db = db;
  }

  query<R>(text: string, params?: readonly unknown[]): Promise<Rows<R>> {
    return runQuery<R>(this.#db, text, params);
  }

  async connect(): Promise<PgliteClient> {
    return new PgliteClient(this.#db);
  }

  /** The caller that opened the database closes it. */
  async end(): Promise<void> {}
}

async function runQuery<R>(db: PGliteInterface, text: string, params?: readonly unknown[]): Promise<Rows<R>> {
  // PGlite answers within the microtask queue, so without this a busy worker would block timers and requests.
  await nextTurn();
  // Only the simple protocol accepts several statements at once, as in BullMQ's migrations.
  const result = params === undefined ? (await db.exec(text)).at(-1) : await db.query<R>(text, [...params]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `exec` has no row type; the caller names it, as with pg
  const rows = (result?.rows ?? []) as R[];
  return { rows, rowCount: result?.affectedRows ?? null };
}
