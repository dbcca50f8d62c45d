// What runs in a process that reads one SQLite file: it gets one question at a time, a statement or a whole request, and answers it. SQLite
// cannot be interrupted while it computes, so the process that started this one kills it when a question takes too long.
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { ownCode } from '#src/base/errors.ts';
import { memoize } from '#src/base/memoize.ts';
import Sqlite from 'better-sqlite3';
import type { Readable, Statement } from '#src/store/contract.ts';
import { cachedStatements } from '#src/store/engines/statement-cache.ts';
import type {
  ReaderAnswer,
  ReaderFailure,
  ReaderMessage,
  ReaderQuestion,
  ReadRequest,
  ReadResponse,
} from './sqlite-readers.ts';

/** Here nothing else waits while a writer has the file for itself. */
const busyTimeoutMs = 5_000;

type Respond = (request: ReadRequest) => Promise<ReadResponse>;

/** Answers what the process that started this one asks, until it is killed. */
export function serveReads(openApi: (store: Readable) => Promise<Respond>): void {
  const [path = '', parent = ''] = process.argv.slice(2);
  // What receives and folds goes first. Not the lowest priority: a machine that is always busy would answer no question at all.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  process.on('disconnect', () => process.exit());
  // Ctrl-C reaches every process of a terminal. The one that started this one closes it.
  process.on('SIGINT', () => {});
  // A statement blocks this thread, so another one notices that the parent was killed.
  const watch = `setInterval(() => {
    if (process.ppid !== ${Number(parent)}) process.kill(process.pid, 'SIGKILL');
  }, 1000);`;
  new Worker(watch, { eval: true }).unref();
  const open = memoize(() => {
    const database = new Sqlite(path, { readonly: true, timeout: busyTimeoutMs });
    database.pragma('query_only = on');
    database.pragma('cache_size = -8000');
    // Loaded by the first request: a process that is asked for single statements never needs it.
    const respond = memoize(async () => {
      const { sqliteEngine } = await import('#src/store/engines/sqlite.ts');
      const engine = sqliteEngine(database, path);
      return openApi({ db: engine.db, engine });
    });
    return { respond, prepare: cachedStatements(database) };
  });

  async function answerTo(question: ReaderQuestion): Promise<ReaderAnswer> {
    try {
      const { respond, prepare } = open();
      if ('statement' in question) {
        await begin();
        return rowsOf(prepare, question.statement);
      }
      const answer = await respond();
      await begin();
      const { failures, ...response } = await answer(question.request);
      return { response: { ...response, failures: failures.map(failureOf) } };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  /** Waits until it is sent: a statement blocks this thread. */
  function begin(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    process.send?.({ begins: true } satisfies ReaderMessage, () => resolve());
    return promise;
  }

  process.on('message', async (question: ReaderQuestion) => process.send?.(await answerTo(question)));
}

function rowsOf(
  prepare: ReturnType<typeof cachedStatements>,
  { sql, parameters }: Statement,
): Extract<ReaderAnswer, { rows: unknown }> {
  const statement = prepare(sql);
  if (!statement.reader) {
    statement.run(...parameters);
    return { columns: [], rows: [] };
  }
  const columns = statement.columns().map(({ name }) => name);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `raw` makes each row a list of its cells
  return { columns, rows: statement.raw(true).all(...parameters) as unknown[][] };
}

function failureOf(error: unknown): ReaderFailure {
  const { name, message } = error instanceof Error ? error : new TypeError('No error was thrown.');
  return { name, message, code: ownCode(error) };
}
