// Rows about other programs that use the SQLite file: a writer, a backup.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { succeeds } from '../../harness/ports.ts';
import { redisAndSqlite } from '../engines.ts';
import { requireFault } from '../faults/evidence.ts';
import { countLogged } from '../oracle/judge.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

const runProgram = promisify(execFile);
const writeMs = 10_000;

const fileOf = (store: string): string => store.slice('sqlite:'.length);

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
  scenario('another process holds the write lock for 10 s', redisAndSqlite, holdWriteLock),
  scenario('backup under load (sqlite3 .backup)', redisAndSqlite, backUp, { obstacle: backupObstacle }),
];
