// The registry of store engines by URL, and the one way a transaction is run.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isContention, isMissingTable, SlotstreamError } from '#src/base/errors.ts';
import { backoffMs, type Backoff } from '#src/base/retry-policy.ts';
import type { Store, StoreEngine, Unit } from './contract.ts';
import { keepViews } from '#src/store/views/refresh-views.ts';

export interface StoreNeeds {
  /** Told of errors that concern no caller, such as an idle connection that broke. */
  readonly report: (error: unknown) => void;
  /** Told of what works but is not as it should be, such as a view that could not be replaced; `report` where it is left out. */
  readonly warn?: (problem: SlotstreamError) => void;
  /** Only one that is there: where there is none, refuse and leave no trace. */
  readonly existing?: boolean;
}

type OpenEngine = (url: string, needs: StoreNeeds) => Promise<StoreEngine>;

// Loaded when it is opened: a process needs the driver of one engine only.
const openPostgresEngine: OpenEngine = async (url, { report }) =>
  (await import('#src/store/engines/postgres.ts')).openPostgres(url, report);

const engines: Record<string, OpenEngine> = {
  'sqlite:': async (url) => (await import('#src/store/engines/sqlite.ts')).openSqlite(url.slice('sqlite:'.length)),
  'postgres:': openPostgresEngine,
  'postgresql:': openPostgresEngine,
};

const patienceMs = 10_000;
const contentionBackoff: Backoff = { firstMs: 15, longestMs: 300, jitter: 2 / 3 };

export async function openStore(needs: StoreNeeds, url: string): Promise<Store> {
  const scheme = /^[a-z]+:/.exec(url)?.[0] ?? '';
  const open = engines[scheme];
  if (!open) {
    throw new SlotstreamError('config', `DATABASE_URL has the scheme "${scheme}", which no store understands.`, {
      hint: 'Use sqlite:PATH or postgres://USER@HOST/DATABASE.',
    });
  }
  if (needs.existing && isMissingFile(url)) throw noMirror(url);
  const engine = await open(url, needs);
  try {
    if (needs.existing && !(await hasLog(engine))) throw noMirror(url);
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

const fileOf = (url: string): string | undefined => /^sqlite:(.*)$/s.exec(url)?.[1];

/** Looked at before it is opened: opening makes it. */
function isMissingFile(url: string): boolean {
  const path = fileOf(url);
  return path !== undefined && !existsSync(path);
}

/** Whatever its version: an older one is brought up to date, as always. */
async function hasLog({ db }: StoreEngine): Promise<boolean> {
  try {
    await patiently(() => db.selectFrom('event_log').select('seq').limit(1).execute());
    return true;
  } catch (error) {
    if (isMissingTable(error)) return false;
    throw error;
  }
}

/** Without the address of a server, which may hold a password. */
function noMirror(url: string): SlotstreamError {
  const place = fileOf(url);
  return new SlotstreamError(
    'no_mirror',
    `There is no mirror ${place === undefined ? 'in the database of DATABASE_URL' : `at ${place}`}.`,
    {
      hint: 'Run it in the folder of the mirror, or set DATA_DIR or DATABASE_URL; `npx slotstream start` makes a new one.',
    },
  );
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
      if (performance.now() > endAt || !isContention(error)) throw error;
      await sleep(backoffMs(contentionBackoff, attempt, Math.random()));
    }
  }
}
