// The address of PostgreSQL: several hosts, the size of the pool, and what is refused instead of ignored.
import { describe, expect, it } from 'vitest';
import { postgresProblem, readPostgresUrl } from '#src/base/postgres-url.ts';
import { loadConfig } from '#src/config/load.ts';

describe('the address of PostgreSQL', () => {
  it('has one address per host, with its port, and without what is ours (S5, S6)', () => {
    const url =
      'postgres://ada:p%40ss@h1:5433,[::1],h3/crm?sslmode=require&pool=4&target_session_attrs=read-write&schema=m';
    expect(readPostgresUrl(url)).toEqual({
      urls: ['h1:5433', '[::1]', 'h3'].map((host) => `postgres://ada:p%40ss@${host}/crm?sslmode=require&schema=m`),
      hosts: ['h1:5433', '[::1]', 'h3'],
      needsWrites: true,
      pool: 4,
    });
  });

  it.each([
    'postgres://h/db',
    'postgresql://u:p@ss@h:5432/db?options=-c%20a%3Db%20c&sslrootcert=/etc/ca.pem',
    'postgres:///db?host=/run/postgresql',
  ])('stays as it is where nothing of it is ours: %s', (url) => {
    expect(readPostgresUrl(url)).toMatchObject({ urls: [url], needsWrites: false, pool: 8 });
    expect(postgresProblem('QUEUE_URL', url)).toBeUndefined();
  });

  it.each([
    ['DATABASE_URL', 'postgres://h/db?connect_timeout=3', 'the parameter connect_timeout'],
    ['DATABASE_URL', 'postgres://h/db?channel_binding=require', 'the parameter channel_binding'],
    ['DATABASE_URL', 'postgres://h/db?target_session_attrs=prefer-standby', 'target_session_attrs other than'],
    ['DATABASE_URL', 'postgres:///db?host=h1,h2', 'several hosts as a parameter'],
    ['DATABASE_URL', 'postgres://h/db?pool=1', 'a pool that is no whole number from 2 to 999'],
    ['DATABASE_URL', 'postgres://h/db?pool=many', 'a pool that is no whole number from 2 to 999'],
    ['QUEUE_URL', 'postgres://u:canary@h1,h2/db', 'QUEUE_URL has several hosts'],
    ['QUEUE_URL', 'postgres://h/db?target_session_attrs=read-write', 'which only DATABASE_URL may have'],
    ['QUEUE_URL', 'postgres://h/db?pool=4', 'the parameter pool, which only DATABASE_URL may have'],
    ['QUEUE_URL', 'postgres://h/db?keepalives_idle=4', 'the parameter keepalives_idle'],
  ])('is refused by name in %s, with exit code 2: %s (S6)', (name, url, problem) => {
    expect(() => loadConfig({ [name]: url })).toThrow(problem);
    expect(() => loadConfig({ [name]: url })).not.toThrow('canary');
  });

  it('accepts several hosts for the database (S6)', () => {
    const url = 'postgres://h1,h2:5433/db?target_session_attrs=any&pool=999';
    expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  });
});
