// The whole truth of one organization, or of all.
import { describe, expect, it } from 'vitest';
import { stateControls } from '#src/sandbox/controls/state.ts';
import { openForSuite } from '../../../harness/sandbox/suite.ts';
import { openTestSandbox, type CallOptions } from '../../../harness/sandbox.ts';

type Lists = Readonly<Record<string, readonly { readonly uri: string }[]>>;

const sandbox = openForSuite({ rateLimits: false }, async () => {
  for (const as of ['owner', 'enterprise'] as const) await fill(as);
});

async function organizationOf(as: CallOptions['as']): Promise<string> {
  return (await sandbox.call('GET', '/users/me', { as: as ?? 'owner' })).body.resource.current_organization;
}
/** A record of each kind that is not seeded everywhere. */
async function fill(as: 'owner' | 'enterprise'): Promise<void> {
  const organization = await organizationOf(as);
  const [eventType] = await everythingAt('/event_types', { as, query: { organization } });
  const [gone] = (await everythingAt('/contacts', { as })).slice(-1);
  const invitee = { name: 'Ada', email: `ada@${as}.example.test`, timezone: 'UTC' };
  const bodies = {
    '/invitees': { event_type: eventType?.uri, start_time: '2999-01-01T10:00:00Z', invitee },
    '/webhook_subscriptions': {
      url: `https://${as}.example.test/`,
      events: ['contact.created'],
      organization,
      scope: 'organization',
    },
    [`${new URL(organization).pathname}/invitations`]: { email: `new@${as}.example.test` },
  };
  for (const [path, body] of Object.entries(bodies))
    expect((await sandbox.call('POST', path, { as, body })).status).toBe(201);
  expect((await sandbox.call('DELETE', gone?.uri ?? '', { as })).status).toBe(204);
}
async function everythingAt(path: string, options: CallOptions): Promise<readonly { readonly uri: string }[]> {
  const found = [];
  for (let page_token = ''; ;) {
    const query = { ...options.query, count: 100, ...(page_token === '' ? {} : { page_token }) };
    const { body } = await sandbox.call('GET', path, { ...options, query });
    found.push(...body.collection);
    page_token = body.pagination.next_page_token ?? '';
    if (page_token === '') return found;
  }
}
const truthOf = async (query = ''): Promise<Lists> => (await sandbox.control('GET', `/state${query}`)).body;
const texts = (records: readonly { readonly uri: string }[] = []): readonly string[] =>
  records.map((record) => JSON.stringify(record)).toSorted();

async function expectAsTheServiceShows(truth: Lists, as: 'owner' | 'enterprise'): Promise<void> {
  const organization = await organizationOf(as);
  const lists = {
    contacts: ['/contacts', {}],
    scheduled_events: ['/scheduled_events', { organization }],
    event_types: ['/event_types', { organization }],
    meeting_recaps: ['/meeting_recaps', { organization }],
    webhook_subscriptions: ['/webhook_subscriptions', { organization, scope: 'organization' }],
    invitations: [`${new URL(organization).pathname}/invitations`, {}],
  } as const;
  for (const [name, [path, query]] of Object.entries(lists))
    expect([name, ...texts(truth[name])]).toEqual([name, ...texts(await everythingAt(path, { as, query }))]);
  const invitees = [];
  for (const { uri } of truth['scheduled_events'] ?? [])
    invitees.push(...(await everythingAt(`${uri}/invitees`, { as })));
  expect(texts(truth['invitees'])).toEqual(texts(invitees));
}

describe('GET /_sandbox/state', () => {
  it('shows the main organization, each record byte by byte as the service does', async () => {
    const truth = await truthOf();
    await expectAsTheServiceShows(truth, 'owner');
    // Fifty of the seed, one new by booking, one deleted.
    expect(truth['contacts']).toHaveLength(50);
    expect(truth['deleted_contacts']).toEqual([{ uri: expect.any(String), deleted_at: expect.any(String) }]);
    expect(truth['invitations']).toHaveLength(1);
    expect(truth['routing_form_submissions']?.length).toBeGreaterThan(0);
  });

  it('shows another organization when it is named', async () => {
    const truth = await truthOf(`?organization=${encodeURIComponent(await organizationOf('enterprise'))}`);
    await expectAsTheServiceShows(truth, 'enterprise');
    expect(truth['deleted_contacts']).toHaveLength(1);
    expect(truth['invitees']).toHaveLength(1);
    expect(truth['routing_form_submissions']).toEqual([]);
  });

  it('shows all of them together when all are asked for', async () => {
    const all = await truthOf('?organization=all');
    const { state } = sandbox.service;
    const each = [];
    for (const organization of state.organizations.keys())
      each.push(await truthOf(`?organization=${encodeURIComponent(organization)}`));
    for (const [name, records] of Object.entries(all))
      expect([name, ...texts(records)]).toEqual([name, ...texts(each.flatMap((truth) => truth[name] ?? []))]);
    expect(each).toHaveLength(4);
    expect(all['invitees']).toHaveLength(state.invitees.size);
  });

  it('knows no other organization and no other question', async () => {
    expect((await sandbox.control('GET', '/state?organization=some')).status).toBe(404);
    expect((await sandbox.control('GET', '/state?user=me')).status).toBe(400);
  });

  it('lets others have their turn between two pieces', async () => {
    await using large = await openTestSandbox({ contacts: 2000, bookings: 0 });
    const [control] = stateControls;
    const { service, dispatcher } = large;
    const request = new Request('http://127.0.0.1/state');
    const call = { service, dispatcher, faults: {} as never, params: {}, query: {}, body: undefined, request };
    const answer = control?.run({ ...call, pageIn: () => ({ count: 1, descending: false, backwards: false }) });
    const reader = (answer as Response).body?.getReader();
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    let pieces = 0;
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) pieces += 1;
    isOver = true;
    expect(pieces).toBeGreaterThan(10);
    expect(turns).toBeGreaterThanOrEqual(pieces - 2);
  });
});
