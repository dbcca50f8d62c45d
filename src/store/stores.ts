// The registry of store engines by URL, and the one way a transaction is run.
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, SlotstreamError } from '#src/errors.ts';
import type { Store, StoreEngine, Unit } from './contract.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import { keepViews } from './views/upkeep.ts';

export interface StoreNeeds {
  /** Told of errors that concern no caller, such as an idle connection that broke. */
  readonly report: (error: unknown) => void;
  /** Told of what works but is not as it should be, such as a view that could not be replaced; `report` where it is left out. */
  readonly warn?: (problem: SlotstreamError) => void;
}

const engines: Record<string, (url: string, needs: StoreNeeds) => StoreEngine> = {
  'sqlite:': (url) => openSqlite(url.slice('sqlite:'.length)),
  'postgres:': (url, { report }) => openPostgres(url, report),
  'postgresql:': (url, { report }) => openPostgres(url, report),
};

// Two processes on one SQLite file, a deadlock on PostgreSQL, an erasure in between: gone in a moment. Anything longer is the
// queue's to retry.
const passing = /^(SQLITE_BUSY|SQLITE_LOCKED|40P01|40001|55P03|erased_meanwhile)/;
const patienceMs = 10_000;

export async function openStore(needs: StoreNeeds, url: string): Promise<Store> {
  const scheme = /^[a-z]+:/.exec(url)?.[0] ?? '';
  const open = engines[scheme];
  if (!open) {
    throw new SlotstreamError('config', `DATABASE_URL has the scheme "${scheme}", which no store understands.`, {
      hint: 'Use sqlite:PATH or postgres://USER@HOST/DATABASE.',
    });
  }
  const engine = open(url, needs);
  try {
    await patiently(() => engine.migrate());
  } catch (error) {
    await engine.close();
    throw error instanceof SlotstreamError ? error : notOpened(error);
  }
  const close = () => engine.close();
  const transaction: Store['transaction'] = (work) =>
    patiently(() => engine.db.transaction().execute((db) => work({ db, engine } satisfies Unit)));
  const refreshViews = () => keepViews({ db: engine.db, engine, transaction, warn: needs.warn ?? needs.report });
  await refreshViews();
  return {
    engine,
    db: engine.db,
    transaction,
    refreshViews,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The code alone: what the engines say quotes addresses and users. */
function notOpened(cause: unknown): SlotstreamError {
  return new SlotstreamError('store_unavailable', `The store cannot be opened (${codeOf(cause)}).`, {
    hint: 'Check DATABASE_URL, and that the database runs, exists and lets this user in.',
    cause,
  });
}

/** Tries again what fails for a cause of the moment, for some seconds; anything longer is the caller's to try again. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  const endAt = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > endAt || !passing.test(codeOf(error))) throw error;
      await sleep(Math.min(10 * attempt, 200) * (0.5 + Math.random()));
    }
  }
}
