// The whole truth of one organization.
import { expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox.ts';
import { everyPage, fillEveryList } from '../../../harness/sandbox/lists.ts';

type Records = readonly { readonly uri: string }[];

const sandbox = openForSuite({ rateLimits: false }, fillEveryList);

const listOf = (path: string, query: Record<string, string> = {}): Promise<Records> =>
  everyPage(sandbox, `${path}?${new URLSearchParams({ ...query, count: '100' })}`);
const truthOf = async (query = ''): Promise<Readonly<Record<string, Records>>> =>
  (await sandbox.control('GET', `/state${query}`)).body;
const texts = (records: Records = []): readonly string[] => records.map((record) => JSON.stringify(record)).toSorted();
const namesIn = (truth: object): readonly string[] => JSON.stringify(truth).match(/"uri":"[^"]+"/g) ?? [];

it('the state shows an organization, each record byte by byte as the service does, and nothing of another one', async () => {
  const { organization } = sandbox.handles;
  const gone = (await listOf('/contacts')).at(-1)?.uri ?? '';
  expect((await sandbox.call('DELETE', gone)).status).toBe(204);
  const truth = await truthOf();
  for (const [name, path, query] of [
    ['contacts', '/contacts', {}],
    ['scheduled_events', '/scheduled_events', { organization }],
    ['event_types', '/event_types', { organization }],
    ['meeting_recaps', '/meeting_recaps', { organization }],
    ['webhook_subscriptions', '/webhook_subscriptions', { organization, scope: 'organization' }],
    ['invitations', `${organization}/invitations`, {}],
  ] as const)
    expect([name, ...texts(truth[name])]).toEqual([name, ...texts(await listOf(path, query))]);
  const invitees: { readonly uri: string }[] = [];
  for (const { uri } of truth['scheduled_events'] ?? []) invitees.push(...(await listOf(`${uri}/invitees`)));
  expect(texts(truth['invitees'])).toEqual(texts(invitees));
  expect(truth['deleted_contacts']).toEqual([{ uri: gone, deleted_at: expect.any(String) }]);
  expect(truth['routing_form_submissions']?.length).toBeGreaterThan(0);
  const { body } = await sandbox.call('GET', '/users/me', { as: 'enterprise' });
  const other = namesIn(await truthOf(`?organization=${encodeURIComponent(body.resource.current_organization)}`));
  expect(other.length).toBeGreaterThan(0);
  const ours = new Set(namesIn(truth));
  expect(other.filter((name) => ours.has(name))).toEqual([]);
});
