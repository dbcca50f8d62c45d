// A process of its own that reads one SQLite file: it gets one statement at a time, and answers its cells. SQLite cannot be interrupted
// while it computes, so the process that started this one kills it when a statement takes too long.
import { constants, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { ownCode } from '#src/base/errors.ts';
import { cachedStatements } from '#src/store/engines/statement-cache.ts';
import type { ReaderAnswer, ReaderQuestion } from './sqlite-readers.ts';

/** Here nothing else waits while a writer has the file for itself. */
const busyTimeoutMs = 5_000;

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

let prepare: ((sql: string) => Sqlite.Statement) | undefined;

function open(): (sql: string) => Sqlite.Statement {
  const database = new Sqlite(path, { readonly: true, timeout: busyTimeoutMs });
  database.pragma('query_only = on');
  database.pragma('cache_size = -8000');
  return cachedStatements(database);
}

function answerTo({ sql, parameters }: ReaderQuestion): ReaderAnswer {
  try {
    prepare ??= open();
    const statement = prepare(sql);
    if (!statement.reader) {
      statement.run(...parameters);
      return { columns: [], rows: [] };
    }
    const columns = statement.columns().map(({ name }) => name);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `raw` makes each row a list of its cells
    return { columns, rows: statement.raw(true).all(...parameters) as unknown[][] };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new TypeError('No error was thrown.');
    return { failure: { name, message, code: ownCode(error) } };
  }
}

process.on('message', (question: ReaderQuestion) => process.send?.(answerTo(question)));
