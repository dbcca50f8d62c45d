// The verbs as a person types them where nothing runs, and with mistakes.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHome, type Home } from '../harness/product.ts';

let idle: Home;
beforeAll(async () => {
  idle = await openHome();
});
afterAll(() => idle[Symbol.asyncDispose]());

describe('where nothing runs', () => {
  it('status reads the store, and doctor is content with a sound folder', async () => {
    expect(JSON.parse((await idle.run(['status', '--json'])).out)).toMatchObject({
      running: false,
      store: { last_seq: 0 },
    });
    const doctor = await idle.run(['doctor']);
    expect([doctor.code, doctor.out]).toEqual([0, expect.stringContaining('✓ store')]);
    expect((await idle.run(['doctor'], { ALLOW_UNSIGNED: 'true' })).code).toBe(3);
  });
});

describe('a wrong command line or environment', () => {
  it('an unknown verb exits with 2', async () => {
    const { code, err } = await idle.run(['strat']);
    expect(code).toBe(2);
    expect(err).toContain('start');
  });

  it('a wrong environment is told all at once, and exits with 2', async () => {
    const wrong = { PORT: 'eighty', MAX_BODY_BYTES: '-1', QUEUE_URL: 'amqp://x', SIGNING_KEYS: ' ', LOG_LEVEL: 'loud' };
    const { code, err } = await idle.run(['start'], wrong);
    expect(code).toBe(2);
    for (const name of Object.keys(wrong)) expect(err).toContain(name);
  });

  it('a store that does not answer is named, without its password', async () => {
    const { code, err } = await idle.run(['status'], { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(err).toContain('✗ The store cannot be opened (ECONNREFUSED).\n→ Check DATABASE_URL');
    expect(err).not.toContain('secret');
  });

  it('a port that is taken is named', async () => {
    const holder = createServer().listen(Number(idle.settings['PORT']), '127.0.0.1');
    await once(holder, 'listening');
    const { code, err } = await idle.run(['start'], { QUEUE_URL: 'redis://127.0.0.1:1' });
    holder.close();
    expect(code).toBe(2);
    expect(err).toContain(`✗ 127.0.0.1:${idle.settings['PORT']} cannot be listened on: it is in use.\n→ `);
  });
});
