// An outage of the database is two lines in the log: its begin and its end.
import { expect, it } from 'vitest';
import { errorLogger } from '#src/app/mirror.ts';
import { watchStore } from '#src/app/store-outage.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { createLog } from '#src/observability/log.ts';
import { eventually } from '../../harness/moments.ts';

function openLog() {
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  return { lines, log };
}

it('says once that the database does not answer, without its password, and once that it answers again', async () => {
  const { lines, log } = openLog();
  let asked = 0;
  let isDown = true;
  const ping = async (): Promise<void> => {
    asked += 1;
    if (isDown) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  };
  const config = { databaseUrl: 'postgres://me:sesame@db.example.test:5433/crm?schema=slotstream' };
  using _watch = watchStore({ config, store: { engine: { name: 'postgres', ping } }, log, askEveryMs: 1 });
  await eventually(() => asked).toBeGreaterThan(3);
  isDown = false;
  await eventually(() => lines.length).toBe(2);
  const before = asked;
  await eventually(() => asked).toBeGreaterThan(before + 3);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'error', msg: 'PostgreSQL at db.example.test:5433 does not answer', cause: 'ECONNREFUSED' },
    {
      level: 'info',
      msg: expect.stringMatching('^PostgreSQL at db.example.test:5433 answers again, after ') as string,
    },
  ]);
  expect(lines.join('')).not.toContain('sesame');
});

it('says once that the file of SQLite was moved, and what to do (N8)', async () => {
  const { lines, log } = openLog();
  let asked = 0;
  let isAway = true;
  const ping = async (): Promise<void> => {
    asked += 1;
    if (isAway) throw new SlotstreamError('store_unavailable', 'The file was moved.', { hint: 'Move it back.' });
  };
  const config = { databaseUrl: 'sqlite:/data/mirror.db' };
  using _watch = watchStore({ config, store: { engine: { name: 'sqlite', ping } }, log, askEveryMs: 1 });
  await eventually(() => asked).toBeGreaterThan(3);
  isAway = false;
  await eventually(() => lines.length).toBe(2);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'error', msg: 'The file was moved.', hint: 'Move it back.' },
    { level: 'info', msg: expect.stringMatching('^SQLite answers again, after ') as string },
  ]);
});

it.each([
  ['ECONNREFUSED', 'a request to the admin listener failed: the database does not answer'],
  ['57P01', 'PostgreSQL is shutting down; deliveries wait in the queue'],
  ['53100', 'the admin listener reports an error: 53100'],
  ['55P03', 'the admin listener reports an error: 55P03'],
])('a request that fails with %s is logged as: %s', (code, msg) => {
  const { lines, log } = openLog();
  errorLogger(log, 'admin listener')(Object.assign(new Error('x'), { code }));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg });
});

it('an error of the service is not logged as one of the database', () => {
  const { lines, log } = openLog();
  errorLogger(log, 'admin listener')(new SlotstreamError('service_unavailable', 'The service does not answer.'));
  expect(lines.join('')).toContain('the admin listener reports an error: The service does not answer.');
});
