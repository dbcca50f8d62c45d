// Opens a store: the registry of engines by URL, migrations, and how transactions run and are retried.
import { slotstream } from '#src/base/command.ts';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { schemaIn } from '#src/base/database-schema.ts';
import { codeOf, isContention, SlotstreamError } from '#src/base/errors.ts';
import { backoffMs, type Backoff } from '#src/base/retry-policy.ts';
import type { Store, StoreEngine, Unit } from './contract.ts';
import { notOpened } from './open-failure.ts';
import { openSettings } from './settings-row.ts';
import type { SharedSettings, StatedSettings } from './shared-settings.ts';
import { installViews } from '#src/store/views/refresh-views.ts';

export interface StoreNeeds {
  /** Receives errors that concern no caller, such as an idle connection that broke. */
  readonly report: (error: unknown) => void;
  /** Receives problems that do not stop the store, such as a view that could not be replaced. Default: `report`. */
  readonly warn?: (problem: SlotstreamError) => void;
  /** What the environment of this process says. It counts until the mirror has settings of its own. */
  readonly stated?: StatedSettings;
  /** Fails where there is no store yet, and creates nothing. */
  readonly existing?: boolean;
  /** Is called where there was none. */
  readonly onCreated?: () => void;
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

const retryForMs = 10_000;
const contentionBackoff: Backoff = { firstMs: 15, longestMs: 300, jitter: 2 / 3 };

/** The engine of a URL, without a look at the schema. A server is connected to by the first statement. */
export async function connectStore(needs: StoreNeeds, url: string): Promise<StoreEngine> {
  const scheme = /^[a-z]+:/.exec(url)?.[0] ?? '';
  const open = engines[scheme];
  if (!open) {
    throw new SlotstreamError('config', `DATABASE_URL has the scheme "${scheme}", which no store understands.`, {
      hint: 'Use sqlite:PATH or postgres://USER@HOST/DATABASE.',
    });
  }
  return open(url, needs);
}

export async function openStore(needs: StoreNeeds, url: string): Promise<Store> {
  if (needs.existing && isMissingFile(url)) throw noMirror(url);
  const engine = await connectStore(needs, url);
  let settings: SharedSettings;
  try {
    const isNew = !(await retryContention(() => engine.hasMirror()));
    if (needs.existing && isNew) throw noMirror(url);
    await retryContention(() => engine.migrate(), isMigrationRace);
    if (isNew) needs.onCreated?.();
    settings = await retryContention(() => openSettings({ db: engine.db, engine }, needs.stated));
  } catch (error) {
    await engine.close();
    throw error instanceof SlotstreamError ? error : notOpened(error, url);
  }
  const close = () => engine.close();
  const transaction: Store['transaction'] = (work) =>
    retryContention(() =>
      engine.db.transaction().execute(async (db) => {
        using _begun = await engine.begin(db);
        return await work({ db, engine } satisfies Unit);
      }),
    );
  const warn = needs.warn ?? needs.report;
  let reported: readonly string[] = [];
  /** A problem that lasts is reported once. */
  const refreshViews = async () => {
    const problems = await installViews({ db: engine.db, engine, transaction, settings });
    for (const problem of problems) if (!reported.includes(problem.message)) warn(problem);
    reported = problems.map(({ message }) => message);
    return problems;
  };
  const store: Store = {
    engine,
    db: engine.db,
    settings,
    transaction,
    refreshViews,
    close,
    [Symbol.asyncDispose]: close,
  };
  await refreshViews();
  return store;
}

/** The path of a SQLite database; undefined for other stores. */
export const sqliteFile = (url: string): string | undefined => /^sqlite:(.*)$/s.exec(url)?.[1];

/** Checked before the file is opened, because opening creates it. */
function isMissingFile(url: string): boolean {
  const path = sqliteFile(url);
  return path !== undefined && !existsSync(path);
}

function noMirror(url: string): SlotstreamError {
  return new SlotstreamError('no_mirror', `There is no mirror ${addressInWords(url)}.`, {
    hint: `Run it in the folder of the mirror, or set DATA_DIR, DATABASE_URL or DATABASE_SCHEMA; \`${slotstream} start\` makes a new one.`,
  });
}

/** Without the address of a server. */
export function addressInWords(url: string): string {
  const path = sqliteFile(url);
  if (path !== undefined) return `at ${path}`;
  return `in the schema ${schemaIn(url)} of the database of DATABASE_URL`;
}

/** The migrator reads the columns of all tables and views first, and fails when another process replaces a view at that moment. */
const isMigrationRace = (error: unknown): boolean => isContention(error) || /^(42703|42P01|XX000)$/.test(codeOf(error));

/** The code of PostgreSQL for a lock that was waited for in vain. */
const lockTimeout = '55P03';

/**
 * Runs `work` again while it fails because of contention, for up to ten seconds. Anything longer is the caller's to retry. On a busy
 * machine one attempt may take longer than that: a conflict with a transaction that has ended gets two more in any case.
 */
export async function retryContention<Result>(
  work: () => Promise<Result>,
  isRetried: (error: unknown) => boolean = isContention,
): Promise<Result> {
  const endAt = performance.now() + retryForMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isOver = performance.now() > endAt && (attempt > 2 || codeOf(error) === lockTimeout);
      if (isOver || !isRetried(error)) throw error;
      await sleep(backoffMs(contentionBackoff, attempt, Math.random()));
    }
  }
}

/** A store for dry runs: every transaction computes its result and is then rolled back. */
export function dryRunStore(store: Store): Store {
  const transaction: Store['transaction'] = async <Result>(work: (unit: Unit) => Promise<Result>) => {
    const rollback = new Error('dry run');
    const done: Result[] = [];
    await store
      .transaction(async (unit) => {
        done.splice(0, 1, await work(unit));
        throw rollback;
      })
      .catch((error: unknown) => {
        if (error !== rollback) throw error;
      });
    const [result] = done;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `work` has returned: otherwise its error was thrown
    return result as Result;
  };
  return { ...store, transaction };
}
