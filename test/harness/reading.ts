// What tests see of the processes and connections that read for people and programs, and questions that take as long as a test needs.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CompiledQuery } from 'kysely';
import type { Readable } from '#src/store/contract.ts';
import { ask } from '../oracle/deliveries.ts';

/** What runs in the processes that read a SQLite file. */
export const readerScript = new URL(import.meta.resolve('#src/api/reader-process.ts'));

/** A query without an end, as a table. */
export const endless = {
  sqlite: '(with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) as n from n)',
  postgres:
    '(select count(*) as n from pg_attribute as a, pg_attribute as b, pg_attribute as c, pg_attribute as d where a.attnum + b.attnum > c.attnum + d.attnum)',
} as const;

/** What a program would ask. Rejects with the error of the reader. */
export const asks = ({ db }: Readable, text: string, ...parameters: readonly unknown[]) =>
  db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...parameters]));

export const asksWithoutEnd = (reading: Readable) =>
  asks(reading, `select * from ${endless[reading.engine.name]} as endless`);

/** The numbers of the processes, or of the sessions of the server, that read this database. */
export async function readersOf(url: string): Promise<readonly number[]> {
  const [, path] = /^sqlite:(.*)$/.exec(url) ?? [];
  if (path === undefined) {
    const ours = `application_name = 'slotstream-reader' and datname = current_database()`;
    const rows = await ask(url, `select pid from pg_stat_activity where ${ours}`);
    return rows.map(({ pid }) => Number(pid));
  }
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,args=']);
  const lines = stdout.split('\n').filter((line) => line.includes('reader-process') && line.includes(` ${path} `));
  return lines.map((line) => Number.parseInt(line, 10));
}

/** From outside, as an operator or the machine would. */
export async function killReader(url: string, pid: number): Promise<void> {
  if (url.startsWith('sqlite:')) process.kill(pid, 'SIGKILL');
  else await ask(url, `select pg_terminate_backend(${pid})`);
}
