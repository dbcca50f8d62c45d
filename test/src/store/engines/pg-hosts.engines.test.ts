// A store on several hosts: each new connection goes to the first that answers and can be written to.
import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { isTransient } from '#src/base/errors.ts';
import { Report } from '#src/doctor/check.ts';
import { checkStore } from '#src/doctor/engines.ts';
import { loadConfig } from '#src/config/load.ts';
import { createLog } from '#src/observability/log.ts';
import { openStore } from '#src/store/open-store.ts';
import { ask } from '../../../oracle/deliveries.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { freePort } from '../../../harness/ports.ts';
import { startPostgres } from '../../../harness/postgres.ts';
import { copyPostgres } from '../../../harness/templates.ts';

const quiet = { report: () => undefined };
const failure = (url: string): Promise<unknown> =>
  openStore(quiet, url).then(
    (store) => store.close(),
    (error: unknown) => error,
  );

describe.runIf(inject('postgresUrl'))('a store on several hosts', () => {
  const other = openedOnce(() => startPostgres({ settings: { max_connections: '12' } }));
  const of = (hosts: readonly string[], path: string, query = '') =>
    `postgres://postgres@${hosts.join(',')}${path}?${query}`;
  const readOnly = async (isOn: boolean) => {
    await ask(other.url, `alter system set default_transaction_read_only = ${isOn ? 'on' : 'off'}`);
    await ask(other.url, 'select pg_reload_conf()');
  };

  it('skips a host that does not answer and one that is read-only, at each new connection (S6)', async () => {
    const good = new URL(await copyPostgres());
    const { host } = new URL(other.url);
    await ask(other.url, `create database ${good.pathname.slice(1)}`);
    const url = of(
      [`127.0.0.1:${await freePort()}`, host, good.host],
      good.pathname,
      'target_session_attrs=read-write',
    );
    await readOnly(true);
    const port = async () => {
      await using store = await openStore(quiet, url);
      const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(store.db);
      return rows[0]?.port;
    };
    expect(await port()).toBe(good.port);
    await readOnly(false);
    expect(await port()).toBe(String(other.port));
  });

  it('is refused where no host can be written to, also where there is one only (S6)', async () => {
    const { host } = new URL(other.url);
    await readOnly(true);
    const gone = `127.0.0.1:${await freePort()}`;
    for (const hosts of [[host], [host, host]]) {
      const error = await failure(of(hosts, '/postgres', 'target_session_attrs=read-write'));
      expect(error).toMatchObject({ message: `PostgreSQL at ${hosts.join(', ')} can only be read.` });
      expect(isTransient(error)).toBe(true);
    }
    const mixed = await failure(of([host, gone], '/postgres', 'target_session_attrs=read-write'));
    expect(mixed).toMatchObject({ message: expect.stringContaining(`ECONNREFUSED ${gone}`) as string });
    await readOnly(false);
  });

  it('has at most as many connections as its pool, and works with the smallest (S5)', async () => {
    await using store = await openStore(quiet, `${await copyPostgres()}?pool=2`);
    const pids = await Promise.all(
      Array.from({ length: 6 }, () =>
        sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.05)`.execute(store.db),
      ),
    );
    expect(new Set(pids.map(({ rows }) => rows[0]?.pid)).size).toBe(2);
  });

  it('warns when most connections of the server are in use, and says so when there is none (S5)', async () => {
    await ask(other.url, 'create database full_server');
    await ask(other.url, 'create role guest login superuser');
    await ask(other.url, 'alter database full_server connection limit 2');
    const url = `postgres://guest@127.0.0.1:${other.port}/full_server?pool=9`;
    await using store = await openStore(quiet, url);
    const findings = async () => {
      const report = new Report();
      const log = createLog({ level: 'silent', pretty: false });
      const needs = { config: loadConfig({}), log, now: () => new Date(), mirror: async () => store };
      await checkStore(needs, report);
      return report.findings.filter(({ sentence }) => sentence.includes('connections of PostgreSQL'));
    };
    expect(await findings()).toEqual([]);
    const busy = Array.from({ length: 8 }, () => sql`select pg_sleep(2)`.execute(store.db));
    expect(await findings()).toEqual([
      {
        id: 'store',
        state: 'warning',
        sentence: expect.stringMatching(/^[89] of the 9 connections of PostgreSQL are in use/) as string,
        fix: expect.stringContaining('?pool=4') as string,
      },
    ]);
    await Promise.all(busy);
    await ask(other.url, 'alter role guest nosuperuser');
    expect(await failure(url)).toMatchObject({
      message: expect.stringMatching(/^PostgreSQL has no free connection: max_connections, .*\(53300\)\.$/) as string,
      hint: expect.stringContaining('fewer processes') as string,
    });
  });
});
