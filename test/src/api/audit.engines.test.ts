// What operators do is recorded on each store: before it is answered, by whom and from where, and without people.
import { describe, expect, it } from 'vitest';
import { createAudit } from '#src/api/audit.ts';
import { insertAction, pruneActions, type AdminAction } from '#src/store/admin-actions.ts';
import { dayMs, instantOf } from '#src/base/time.ts';
import { logIn, readToken } from '../../harness/mirror/api-app.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { freshMemory, ingestBodies, oneEngine, storeEngines } from '../../harness/stores.ts';

const nowMs = Date.parse('2026-04-14T12:00:00Z');
const nothing = { target: null, input: null, result: null };
const action = { caller: 'admin token', address: '', operation: 'x', ...nothing, status: 200 };

describe.each(storeEngines)('an action of an operator on $name', ({ name: engine, available, fresh }) => {
  const open = () => openReadApi(fresh);

  it.runIf(available)('is recorded with time, caller, address, target and outcome, newest first', async () => {
    await using api = await open();
    await ingestBodies(api.store, ['not JSON']);
    expect(await api.actions()).toEqual([]);
    await api.post('/api/deliveries/1/replay');
    const cookie = await logIn(api.admin);
    const headers = { cookie, 'sec-fetch-site': 'same-origin' };
    await api.admin.ask('/api/deliveries/nothing/replay', { method: 'POST', headers }, '2001:db8::7');
    const replayed = { id: expect.any(String), at: expect.any(String), operation: 'replayDelivery', input: null };
    const result = { changed: false, outcome_before: 'quarantined', outcome_after: 'quarantined' };
    expect(await api.actions()).toEqual([
      { ...replayed, caller: 'admin session', address: '2001:db8::7', target: 'nothing', result: null, status: 404 },
      { ...replayed, caller: 'admin token', address: '192.0.2.1', target: '1', result, status: 200 },
    ]);
    expect(api.heard.acted).toEqual(['replayDelivery']);
  });

  it.runIf(available)(
    'is stored for 400 days, and not pushed out by many calls of models, answers by links or presses of buttons (N3)',
    async () => {
      await using api = await open();
      const insert = (caller: AdminAction['caller'], agoMs: number) =>
        insertAction(api.store, { ...action, caller, id: caller + agoMs, at: instantOf(nowMs - agoMs) });
      for (const days of [399, 401]) await insert('admin token', days * dayMs);
      for (const [index, caller] of (['mcp token', 'mcp command', 'mcp token'] as const).entries())
        await insert(caller, 3 - index);
      for (const agoMs of [14, 13, 12, 11]) await insert('answer link', agoMs);
      for (const agoMs of [23, 22, 21]) await insert('slack button', agoMs);
      await pruneActions(api.store, nowMs, 2);
      const left = (await api.actions()).map(({ id }: AdminAction) => id);
      const others = ['answer link11', 'answer link12', 'slack button21', 'slack button22'];
      expect(left).toEqual(['mcp token1', 'mcp command2', ...others, `admin token${399 * dayMs}`]);
    },
  );

  // What is recorded does not depend on the engine.
  if (!oneEngine.some(({ name }) => name === engine)) return;

  it('is recorded when the read-only token is refused it, at most a hundred times an hour', async () => {
    await using api = await open();
    const headers = { authorization: `Bearer ${readToken}` };
    for (const path of ['/api/deliveries/7/replay', '/deliveries/ada@example.test/replay'])
      expect((await api.admin.ask(path, { method: 'POST', headers })).status).toBe(403);
    const refused = { caller: 'read-only token', address: '192.0.2.1', status: 403 };
    expect(await api.actions()).toMatchObject([
      { ...refused, operation: 'POST /deliveries', target: null },
      { ...refused, operation: 'replayDelivery', target: '7' },
    ]);
    for (let n = 0; n < 110; n += 1) await api.admin.ask('/api/deliveries/7/replay', { method: 'POST', headers });
    const counted = await api.get('/api/tables/admin_actions?select=count()');
    expect(counted.body.collection).toEqual([{ count: 100 }]);
  });

  it('is not done when it cannot be recorded', async () => {
    await using api = await open();
    await ingestBodies(api.store, ['not JSON']);
    await api.post('/api/feed/consumers/bi', { acknowledged: 1 });
    await api.store.db.schema.dropTable('admin_actions').execute();
    expect((await api.fetch('/api/feed/consumers/bi', 'DELETE')).status).toBe(500);
    expect((await api.get('/api/feed/consumers')).body.collection).toHaveLength(1);
    expect(api.heard.reported).toHaveLength(1);
    expect(api.heard.acted).toEqual([]);
    // What was refused is refused all the same.
    const headers = { authorization: `Bearer ${readToken}` };
    expect((await api.admin.ask('/api/feed/consumers/bi', { method: 'DELETE', headers })).status).toBe(403);
    expect(api.heard.reported).toHaveLength(2);
  });

  it('holds nothing of a person but URIs and ids', async () => {
    await using api = await open();
    const audit = createAudit(
      { store: api.store, clock: Date.now, report: (error) => expect.unreachable(String(error)) },
      [],
    );
    const end = await audit.begin({ id: 'replayDeliveries' }, undefined, {
      params: { id: 'ada@example.test' },
      query: {
        event: 'invitee.*',
        outcome: ['quarantined', 'unhandled'],
        subject: 'https://api.example.test/contacts/7',
        received_after: '2025-04-14T12:00:00Z',
        q: 'Ada Lovelace',
        email: 'ada@example.test',
        dry_run: false,
      },
      body: { expected: 12, filter: { name: 'Ada', state: 'failed' }, people: ['Ada', 'Grace'] },
    });
    await end(200, { resource: { matched: 12, changed: 3, name: 'Ada', changes: { a: 1 }, all: [{ n: 1 }] } });
    const [recorded] = await api.actions();
    expect(recorded).toMatchObject({
      caller: 'unknown',
      target: '[redacted]',
      input: {
        event: 'invitee.*',
        outcome: 'quarantined, unhandled',
        subject: 'https://api.example.test/contacts/7',
        received_after: '2025-04-14T12:00:00Z',
        q: '[hidden]',
        email: '[hidden]',
        dry_run: false,
        expected: 12,
        'filter.name': '[hidden]',
        'filter.state': 'failed',
        people: '2 values',
      },
      result: { matched: 12, changed: 3 },
      status: 200,
    });
    expect(JSON.stringify({ ...recorded, id: '' })).not.toMatch(/ada|grace/i);
  });

  it('was done when only its end cannot be recorded, which is reported', async () => {
    await using api = await open();
    const reported: unknown[] = [];
    const audit = createAudit({ store: api.store, clock: Date.now, report: (error) => void reported.push(error) }, []);
    const end = await audit.begin({ id: 'replayDelivery' }, undefined, { params: {}, query: {}, body: undefined });
    expect(await api.actions()).toMatchObject([{ status: null }]);
    await api.store.db.schema.dropTable('admin_actions').execute();
    await end(200, {});
    expect(reported).toHaveLength(1);
  });
});

it('every operation that changes something is recorded', async () => {
  await using api = await openReadApi(freshMemory);
  const unrecorded = api.operations.filter(({ method, audited }) => method !== 'GET' && audited === undefined);
  expect(unrecorded).toEqual([]);
});

it('of a consumer it is recorded that it was rewound, not that it acknowledged', async () => {
  await using api = await openReadApi(freshMemory);
  await ingestBodies(api.store, ['not JSON']);
  await api.post('/api/feed/consumers/bi', { acknowledged: 1 });
  await api.post('/api/feed/consumers/bi', { rewind_to: 0 });
  expect(await api.actions()).toMatchObject([
    { operation: 'acknowledgeFeed', target: 'bi', input: { rewind_to: 0 }, result: { position: 0, behind: 1 } },
  ]);
});
