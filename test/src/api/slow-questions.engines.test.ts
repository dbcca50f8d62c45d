// What a caller reads whose question took too long or did not get its turn, and that no question is written anywhere.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { eventually } from '../../harness/moments.ts';
import { openHome } from '../../harness/product.ts';
import { asksWithoutEnd, endless } from '../../harness/reading.ts';
import { availableEngines } from '../../harness/stores.ts';
import { expectNoTraceOf } from '../../oracle/deliveries.ts';

const canary = 'canary.person@example.test';

/** In place of the view of payments, one that never ends and one that fails. */
async function spoil({ db, engine }: Store): Promise<void> {
  const run = (sql: string) => engine.run(db, { sql, parameters: [] });
  const { name, schema } = engine;
  const cascade = name === 'postgres' ? ' cascade' : '';
  for (const view of ['revenue', 'payments']) await run(`drop view if exists ${schema}.${view}${cascade}`);
  await run(`create view ${schema}.revenue as select cast(n as text) as currency from ${endless[name]} as endless`);
  // Whose message quotes the value.
  const failing = name === 'postgres' ? 'name::integer' : 'json(name)';
  await run(`create view ${schema}.payments as select name as currency, ${failing} as amount from ${schema}.contacts`);
}

describe.each(availableEngines)('a slow question over HTTP on $name', ({ fresh }) => {
  it('is answered 400 with how to narrow it, and one that gets no turn 503 with when to ask again', async () => {
    await using api = await openReadApi(fresh, {
      readsApart: { most: 1, mostWaiting: 1, waitMs: 50, statementMs: 3_000 },
    });
    await spoil(api.store);
    const path = `/api/tables/revenue?select=count()&currency=eq.${canary}`;
    const slow = await api.get(path);
    expect([slow.status, slow.body.title]).toEqual([400, 'Question Too Slow']);
    expect(slow.body.message).toMatch(/^The question was stopped: one may take 3 seconds\. Narrow it: add a filter/);

    const busy = asksWithoutEnd(api.context.reading).catch(() => {});
    // It has its turn.
    await setImmediate();
    for (const other of ['/api/tables', '/api/tables/contacts', '/api/contacts', '/api/scheduled_events']) {
      const answer = await api.fetch(other);
      expect([other, answer.status, answer.headers.get('retry-after')]).toEqual([other, 503, '5']);
      expect(await answer.json()).toMatchObject({ title: 'Service Unavailable' });
    }
    await busy;
    await eventually(async () => (await api.get('/api/tables/contacts')).status).toBe(200);
    // They concern their callers alone.
    expect(api.heard.reported).toEqual([]);
  });
});

it.each(availableEngines)('an address in a question is in no log and no metric, on $name', async ({ fresh }) => {
  await using opened = await fresh();
  const { store, url } = opened;
  await spoil(store);
  await store.engine.run(store.db, {
    sql: `insert into ${store.engine.schema}.contacts (uri, name) values ('https://api.example.test/contacts/1', '${canary}')`,
    parameters: [],
  });
  await using home = await openHome({ DATABASE_URL: url, LOG_LEVEL: 'debug' });
  const { admin } = await home.open('start');
  const statuses: number[] = [];
  for (const path of [
    `tables/contacts?name=eq.${canary}`,
    `tables/contacts?name=eq.${canary}&order=name.sideways`,
    `tables/${canary}`,
    `tables/contacts/${canary}`,
    `tables/payments?select=amount&currency=eq.${canary}&order=currency`,
    `contacts?name=${canary}`,
    `scheduled_events?invitee_email=${canary}`,
  ]) {
    const answer = await admin(`/api/${path}`);
    statuses.push(answer.status);
    await answer.text();
  }
  expect(statuses).toEqual([200, 400, 404, 404, 500, 200, 200]);
  const metrics = await (await admin('/metrics')).text();
  // The failure was reported.
  expect(home.output()).toContain('the admin listener reports an error');
  expect(metrics).toContain('/api/tables/:name"');
  expectNoTraceOf({ address: canary, person: 'canary' }, { log: home.output(), metrics });
});
