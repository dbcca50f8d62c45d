// PGlite in the shape of a pg.Pool, as far as BullMQ's PostgreSQL backend uses one. There is one session behind it, so a
// "client" is only a face with listeners of its own.

import { EventEmitter } from 'node:events';
import { setImmediate as breathe } from 'node:timers/promises';
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
  /** There is no socket that could die silently, so BullMQ need not poll. */
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

  /** The database belongs to whoever opened it. */
  async end(): Promise<void> {}
}

async function runQuery<R>(db: PGliteInterface, text: string, params?: readonly unknown[]): Promise<Rows<R>> {
  // PGlite answers without leaving the microtask queue, so a busy worker would let no timer and no request in.
  await breathe();
  // Only the simple protocol takes several statements at once, and BullMQ's migrations are such texts.
  const result = params === undefined ? (await db.exec(text)).at(-1) : await db.query<R>(text, [...params]);
  return { rows: (result?.rows ?? []) as R[], rowCount: result?.affectedRows ?? null };
}
