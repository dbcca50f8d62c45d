// Rows about other programs that use the SQLite file: a reader, a writer, a backup.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { succeeds } from '../../harness/ports.ts';
import { redisAndSqlite } from '../engines.ts';
import { kib, requireFault } from '../faults/evidence.ts';
import { countLogged } from '../oracle/judge.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

const runProgram = promisify(execFile);
const readMs = 15_000;
const writeMs = 10_000;

const fileOf = (store: string): string => store.slice('sqlite:'.length);

async function holdSnapshot({ engines: { store }, wait }: Run<Engines>): Promise<string> {
  using resources = new DisposableStack();
  const reader = resources.adopt(new Sqlite(fileOf(store), { readonly: true }), (db) => db.close());
  const count = reader.prepare<[], { readonly entries: number }>('select count(*) as entries from event_log');
  reader.exec('begin');
  const seen = count.get()?.entries ?? 0;
  await wait(readMs);
  const isHeld = count.get()?.entries === seen;
  const logged = (await countLogged(store)) - seen;
  const { size } = await stat(`${fileOf(store)}-wal`);
  reader.exec('commit');
  requireFault(isHeld && logged > 0, 'the reader did not see an old state');
  return `the reader saw ${seen} entries throughout while ${logged} were added; write-ahead log ${kib(size)}`;
}

async function holdWriteLock({ engines: { store }, load, wait }: Run<Engines>): Promise<string> {
  using resources = new DisposableStack();
  const writer = resources.adopt(new Sqlite(fileOf(store), { timeout: 10_000 }), (db) => db.close());
  writer.exec('begin immediate');
  const before = await countLogged(store);
  const acceptedBefore = load.accepted();
  await wait(writeMs);
  const logged = (await countLogged(store)) - before;
  writer.exec('rollback');
  requireFault(logged === 0, `${logged} entries were added under the lock`);
  return `0 entries were added in ${writeMs / 1000} s; ${load.accepted() - acceptedBefore} acknowledged meanwhile`;
}

/** As docs/backup.md says. */
async function backUp({ engines: { store }, stack, wait }: Run<Engines>): Promise<string> {
  const copy = join(stack.folder, 'copy.db');
  const before = await countLogged(store);
  await runProgram('sqlite3', [fileOf(store), `.backup '${copy}'`]);
  await wait(2_000);
  const after = await countLogged(store);
  const [check] = await ask(`sqlite:${copy}`, 'pragma integrity_check');
  const copied = await countLogged(`sqlite:${copy}`);
  const rebuilt = await stack.command(['rebuild'], { DATABASE_URL: `sqlite:${copy}` });
  if (check?.['integrity_check'] !== 'ok')
    throw new Error(`the copy is damaged: ${String(check?.['integrity_check'])}`);
  if (rebuilt.code !== 0 || !rebuilt.output.includes('no row differed'))
    throw new Error(`rebuild of the copy ended with ${rebuilt.code}:\n${rebuilt.output.slice(-1_000)}`);
  requireFault(copied >= before && after > before, `${before}, ${copied}, ${after} entries`);
  return `the copy has ${copied} entries (${before} before, ${after} after), integrity_check ok, rebuild: no row differed`;
}

const backupObstacle = async (): Promise<string | undefined> =>
  (await succeeds(runProgram('sqlite3', ['--version']))) ? undefined : 'sqlite3 is not installed';

export const sqliteRows: readonly Scenario[] = [
  scenario('a reader holds a transaction for 15 s', redisAndSqlite, holdSnapshot),
  scenario('another process holds the write lock for 10 s', redisAndSqlite, holdWriteLock),
  scenario('backup under load (sqlite3 .backup)', redisAndSqlite, backUp, { obstacle: backupObstacle }),
];
