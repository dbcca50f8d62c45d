// An outage of the database is two lines in the log: its begin and its end.
import { expect, it } from 'vitest';
import { watchStore } from '#src/app/store-outage.ts';
import { createLog } from '#src/observability/log.ts';

it('says once that the database does not answer, without its password, and once that it answers again', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', pretty: false, destination: { write: (line) => void lines.push(line) } });
  let asked = 0;
  let isDown = true;
  const ping = async (): Promise<void> => {
    asked += 1;
    if (isDown) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  };
  const config = { databaseUrl: 'postgres://me:sesame@db.example.test:5433/crm?schema=slotstream' };
  using _watch = watchStore({ config, store: { engine: { name: 'postgres', ping } }, log, askEveryMs: 1 });
  await expect.poll(() => asked).toBeGreaterThan(3);
  isDown = false;
  await expect.poll(() => lines.length).toBe(2);
  const before = asked;
  await expect.poll(() => asked).toBeGreaterThan(before + 3);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { level: 'error', msg: 'PostgreSQL at db.example.test:5433 does not answer', cause: 'ECONNREFUSED' },
    {
      level: 'info',
      msg: expect.stringMatching('^PostgreSQL at db.example.test:5433 answers again, after ') as string,
    },
  ]);
  expect(lines.join('')).not.toContain('sesame');
});
