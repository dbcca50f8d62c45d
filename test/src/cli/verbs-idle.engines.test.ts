// The verbs as a person types them where no process runs, and with mistakes.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { demoFolder, writeAddress } from '#src/api/running-instance.ts';
import { openHome } from '../../harness/product.ts';
import { openedOnce } from '../../harness/opened.ts';

const idle = openedOnce(() => openHome());

describe('where no process runs', () => {
  it('status reads the store, and doctor passes on a healthy folder', async () => {
    expect(JSON.parse((await idle.run(['status', '--json'])).out)).toMatchObject({
      running: false,
      store: { last_seq: 0 },
    });
    const doctor = await idle.run(['doctor']);
    expect([doctor.code, doctor.out]).toEqual([0, expect.stringContaining('✓ store')]);
    expect((await idle.run(['doctor'], { ALLOW_UNSIGNED: 'true' })).code).toBe(3);
  });

  it('status names a demo that runs in a folder of its own', async () => {
    const folder = demoFolder(idle.dataDir);
    mkdirSync(folder);
    const address = writeAddress(folder, { url: 'http://127.0.0.1:1', port: 1, works: true });
    const { err } = await idle.run(['status']);
    expect(err).toMatch(new RegExp(`^→ A demo is running: DATA_DIR=${folder} \\S+slotstream status$`, 'm'));
    address.remove();
    expect((await idle.run(['status'])).err).toBe('');
  });
});

describe('where there is no mirror', () => {
  const reading = [
    ['erase', 'person@example.test'],
    ['export', 'contacts', '--format', 'csv', '--out', '-'],
    ['why', 'https://x.test/contacts/1'],
    ['feed'],
    ['replay', '--all'],
    ['rebuild'],
    ['reconcile', '--repair'],
    ['alerts', 'list'],
    ['mcp'],
  ];

  it.each(reading)('%s fails, says what to set, and creates nothing', async (...args) => {
    const folder = join(idle.dataDir, 'elsewhere');
    const { code, out, err } = await idle.run(args, {
      DATA_DIR: folder,
      API_BASE_URL: 'http://127.0.0.1:1',
      API_TOKEN: 't',
    });
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(
      `✗ There is no mirror at ${join(folder, 'mirror.db')}.\n→ Run it in the folder of the mirror`,
    );
    expect(existsSync(folder)).toBe(false);
  });

  it('status and doctor say so, and create nothing, not even an admin token', async () => {
    const folder = join(idle.dataDir, 'elsewhere');
    const status = await idle.run(['status', '--json'], { DATA_DIR: folder, ADMIN_TOKEN: '' });
    const health = [expect.objectContaining({ sentence: 'No process runs.', fix: './bin/slotstream start' })];
    const report = { running: false, store: { state: 'no mirror yet' }, health };
    expect([status.code, JSON.parse(status.out)]).toEqual([0, report]);
    expect(status.err).toContain(`There is no mirror at ${join(folder, 'mirror.db')}.`);
    const doctor = await idle.run(['doctor'], { DATA_DIR: folder, ADMIN_TOKEN: '' });
    expect([doctor.code, doctor.out]).toEqual([0, expect.stringContaining('! store: There is no mirror at ')]);
    expect(doctor.out).toContain('! processes: No process runs.');
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a wrong environment', () => {
  it('a store that does not answer is named, without its password', async () => {
    const { code, err } = await idle.run(['status'], { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(err).toContain(
      '! PostgreSQL does not answer: connection refused (ECONNREFUSED 127.0.0.1:1).\n→ Start PostgreSQL',
    );
    expect(err).not.toContain('secret');
  });
});
