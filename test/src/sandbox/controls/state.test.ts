// The whole truth of one organization, or of all.
import { beforeAll, expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox.ts';
import { everyPage } from '../../../harness/sandbox/lists.ts';

type Records = readonly { readonly uri: string }[];
type Lists = Readonly<Record<string, Records>>;
type Who = 'owner' | 'enterprise';

const sandbox = openForSuite({ rateLimits: false });
beforeAll(async () => {
  for (const as of ['owner', 'enterprise'] as const) await fill(as);
});

const organizationOf = async (as: Who): Promise<string> =>
  (await sandbox.call('GET', '/users/me', { as })).body.resource.current_organization;
const listOf = (as: Who, path: string, query: Record<string, string> = {}): Promise<Records> =>
  everyPage(sandbox, `${path}?${new URLSearchParams({ ...query, count: '100' })}`, as);

/** A record of each kind that is not seeded everywhere. */
async function fill(as: Who): Promise<void> {
  const organization = await organizationOf(as);
  const [eventType] = await listOf(as, '/event_types', { organization });
  const gone = (await listOf(as, '/contacts')).at(-1);
  const invitee = { name: 'Ada', email: `ada@${as}.example.test`, timezone: 'UTC' };
  const hook = { url: `https://${as}.example.test/`, events: ['contact.created'], organization, scope: 'organization' };
  const bodies = {
    '/invitees': { event_type: eventType?.uri, start_time: '2999-01-01T10:00:00Z', invitee },
    '/webhook_subscriptions': hook,
    [`${organization}/invitations`]: { email: `new@${as}.example.test` },
  };
  for (const [path, body] of Object.entries(bodies))
    expect((await sandbox.call('POST', path, { as, body })).status).toBe(201);
  expect((await sandbox.call('DELETE', gone?.uri ?? '', { as })).status).toBe(204);
}
const truthOf = async (organization?: string): Promise<Lists> =>
  (await sandbox.control('GET', `/state${organization ? `?${new URLSearchParams({ organization })}` : ''}`)).body;
const texts = (records: Records = []): readonly string[] => records.map((record) => JSON.stringify(record)).toSorted();

async function expectAsTheServiceShows(truth: Lists, as: Who): Promise<void> {
  const organization = await organizationOf(as);
  const lists = {
    contacts: ['/contacts', {}],
    scheduled_events: ['/scheduled_events', { organization }],
    event_types: ['/event_types', { organization }],
    meeting_recaps: ['/meeting_recaps', { organization }],
    webhook_subscriptions: ['/webhook_subscriptions', { organization, scope: 'organization' }],
    invitations: [`${organization}/invitations`, {}],
  } as const;
  for (const [name, [path, query]] of Object.entries(lists))
    expect([name, ...texts(truth[name])]).toEqual([name, ...texts(await listOf(as, path, query))]);
  const invitees: { readonly uri: string }[] = [];
  for (const { uri } of truth['scheduled_events'] ?? []) invitees.push(...(await listOf(as, `${uri}/invitees`)));
  expect(texts(truth['invitees'])).toEqual(texts(invitees));
}

it('the state shows the main organization, or the one that is named, each record byte by byte as the service does', async () => {
  const truth = await truthOf();
  await expectAsTheServiceShows(truth, 'owner');
  expect(truth['routing_form_submissions']?.length).toBeGreaterThan(0);
  const other = await truthOf(await organizationOf('enterprise'));
  await expectAsTheServiceShows(other, 'enterprise');
  const gone = { uri: expect.any(String), deleted_at: expect.any(String) };
  for (const state of [truth, other])
    expect(state).toMatchObject({ deleted_contacts: [gone], invitations: { length: 1 } });
  expect(other['invitees']).toHaveLength(1);
  expect(other['routing_form_submissions']).toEqual([]);
});
