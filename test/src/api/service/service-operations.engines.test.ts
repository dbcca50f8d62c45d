// The service's reading operations on the mirror against the service itself, which the sandbox plays in both of its forms: any allowed
// parameters give the same rows, in the same order, on the same pages, with the same status; but for the differences that are named here.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allKinds } from '../../../harness/mirror/test-reconcile.ts';
import { openTestBackfill } from '../../../harness/mirror/test-backfill.ts';
import { bearer } from '../../../harness/mirror/api-app.ts';
import { readMirror } from '../../../harness/mirror/read-api.ts';
import { writeSubscriptions } from '#src/store/subscription-rows.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { availableEngines } from '../../../harness/stores.ts';

type Params = Readonly<Record<string, string>>;
type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** As HTTP allows it to be written. */
const inLowerCase = { authorization: bearer.authorization.replace('Bearer', 'bearer') };

describe.each(availableEngines)('the service and its mirror on $name', ({ fresh }) => {
  describe.each(['public', 'specification'] as const)('in the form %s', (as) => {
    let world: Awaited<ReturnType<typeof openTestBackfill>>;
    let mirror: Awaited<ReturnType<typeof readMirror>>;
    let known: Awaited<ReturnType<typeof namesIn>>;
    beforeAll(async () => {
      world = await openTestBackfill(fresh, { contacts: 15, bookings: 60, as });
      await world.run();
      mirror = await readMirror(world.store);
      const { sandbox } = world;
      const { organization } = sandbox.handles;
      for (const kind of allKinds.slice(0, 2))
        await sandbox.call('POST', '/webhook_subscriptions', {
          body: { url: `https://hooks.example.com/${kind}`, events: [kind], organization, scope: 'organization' },
        });
      const listed = await sandbox.call('GET', '/webhook_subscriptions', {
        query: { organization, scope: 'organization' },
      });
      const checked_at = '2026-11-01T00:00:00.000000Z';
      const seen = listed.body.collection.map((one: Json) => ({ ...one, checked_at }));
      await writeSubscriptions(world.store, { seen, deleted: [] });
      known = await namesIn(world);
    });
    afterAll(async () => {
      await mirror?.[Symbol.asyncDispose]();
      await world?.[Symbol.asyncDispose]();
    });

    /** The public service leaves these event types out where an organization is asked for; the mirror has them. */
    const isListed = (record: Json): boolean => as === 'specification' || record['pooling_type'] !== 'round_robin';
    const atService = (path: string, query: Params): Promise<Answer> => world.sandbox.call('GET', path, { query });
    const atMirror = (path: string, query: Params): Promise<Answer> =>
      mirror.get(`${path}?${new URLSearchParams(query)}`, inLowerCase);

    const lists = [
      'organization_memberships',
      'event_types',
      'scheduled_events',
      'invitees',
      'routing_forms',
      'routing_form_submissions',
      'meeting_recaps',
      'webhook_subscriptions',
    ] as const;

    it.each(lists)('answer alike for %s, whatever is asked for', { timeout: propertyTimeoutMs }, async (list) => {
      const { path, query } = known.questions[list];
      await fc.assert(
        fc.asyncProperty(query, async (asked) => {
          const params = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as Params;
          const address = await path();
          let [there, here] = [await atService(address, params), await atMirror(address, params)];
          expect([params, here.status]).toEqual([params, there.status]);
          for (let page = 0; there.status === 200; page += 1) {
            const [shown, all] = [here, there].map(({ body }) => body.collection as readonly Json[]);
            const wanted = (all ?? []).map((record) => shownUser(record, record));
            const found = (shown ?? []).filter(isListed).map((record, at) => shownUser(record, all?.[at] ?? {}));
            expect([params, page, found]).toEqual([params, page, wanted]);
            const [next, ours] = [there, here].map(({ body }) => body.pagination?.next_page_token as string | null);
            expect([params, page, ours === null]).toEqual([params, page, (next ?? null) === null]);
            if (!next || !ours) break;
            const { count } = params;
            const more = count === undefined ? {} : { count };
            [there, here] = [
              await atService(address, { ...params, page_token: next }),
              await atMirror(address, { ...more, page_token: ours }),
            ];
          }
        }),
        // `npm run clients` asks a thousand questions of each list.
        runs(50),
      );
    });

    it('have the same record under every URI', async () => {
      for (const uri of known.uris) {
        const { pathname } = new URL(uri);
        const [there, here] = [await atService(pathname, {}), await atMirror(pathname, {})];
        expect([pathname, here.status]).toEqual([pathname, 200]);
        const { resource } = there.body;
        expect([pathname, shownUser(here.body.resource, resource)]).toEqual([pathname, shownUser(resource, resource)]);
      }
    });

    it('say alike who the token belongs to', async () => {
      const [there, here] = [await atService('/users/me', {}), await atMirror('/users/me', {})];
      expect(shownUser(here.body.resource, there.body.resource)).toEqual(there.body.resource);
    });

    it('have the same contacts with the same custom fields: none that is retired, and all that is sent (C8, C9)', async () => {
      const [there, here] = [
        await atService('/contacts', { count: '100' }),
        await atMirror('/contacts', { count: '100' }),
      ];
      const all = there.body.collection as readonly Json[];
      expect(all.length).toBeGreaterThan(10);
      const shown = (here.body.collection as readonly Json[]).map((record, at) => shownUser(record, all[at] ?? {}));
      expect(shown.map(withTimes)).toEqual(all.map(withTimes));
      const definitions = await atService('/contacts/custom_field_definitions', {});
      // One of them is retired.
      expect(definitions.body.collection.length).toBeGreaterThan(there.body.collection[0].custom_fields.length);
    });

    it('refuse alike what does not exist, by the titles of the public service', async () => {
      for (const path of ['/scheduled_events/none', '/users/none', '/event_types/none', '/invitee_no_shows/none'])
        expect([path, await atMirror(path, {})]).toMatchObject([
          path,
          { status: 404, body: { title: 'Resource Not Found' } },
        ]);
      expect(
        await atMirror('/event_types', { organization: 'https://api.example.com/organizations/none' }),
      ).toMatchObject({ status: 404, body: { title: 'Resource Not Found' } });
      expect(await atMirror('/scheduled_events', { count: '1000' })).toMatchObject({
        status: 400,
        body: { title: 'Invalid Argument' },
      });
    });

    it('do not share what a mirror cannot have: it says to ask the service', async () => {
      const { pathname: organization } = new URL(world.sandbox.handles.organization);
      const unmirrored = ['/groups', organization, `${organization}/invitations`, '/user_busy_times'];
      for (const path of [...unmirrored, '/event_type_available_times', '/scheduled_events/x/cancellation'])
        expect([path, await atMirror(path, {})]).toMatchObject([
          path,
          {
            status: 404,
            body: { title: 'Not In The Mirror', message: expect.stringContaining(`GET ${path}`) as string },
          },
        ]);
      expect(await atMirror('/nothing', {})).toMatchObject({ status: 404, body: { title: 'Not Found' } });
    });

    it('ignore parameters that they do not know', async () => {
      const { organization } = world.sandbox.handles;
      const answer = await atMirror('/organization_memberships', {
        organization,
        sort: 'role:asc',
        admin_managed: 'x',
      });
      expect(answer.status).toBe(200);
    });
  });
});

/**
 * The fields that the service has: the mirror may have more. By the specification a membership names its user; the mirror shows the user, as
 * the public service does.
 */
function shownUser(record: Json, there: Json): Json {
  const valueOf = (name: string): unknown =>
    name === 'user' ? ((record[name] as Json | null | undefined)?.['uri'] ?? record[name]) : record[name];
  return Object.fromEntries(Object.keys(there).map((name) => [name, valueOf(name)]));
}

/** Times as numbers: the service writes some of contacts with no or three fractional digits, the mirror all with six. */
const withTimes = (record: Json): Json =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'string' && /_(at|date)$/.test(name) ? new Date(value).getTime() : value,
    ]),
  );

/** What can be asked about this world, and the URIs of its records. */
async function namesIn({ sandbox }: Awaited<ReturnType<typeof openTestBackfill>>) {
  const { organization } = sandbox.handles;
  const listOf = async (path: string, query: Params = {}): Promise<readonly Json[]> =>
    (await sandbox.call('GET', path, { query: { count: '100', ...query } })).body.collection;
  const uriOf = (record: Json): string => String(record['uri']);
  const events = await listOf('/scheduled_events', { organization });
  const eventTypes = await listOf('/event_types', { organization });
  const members = await listOf('/organization_memberships', { organization });
  const forms = await listOf('/routing_forms', { organization });
  const submissions = (
    await Promise.all(forms.map((form) => listOf('/routing_form_submissions', { form: uriOf(form) })))
  ).flat();
  const { resource: me } = (await sandbox.call('GET', '/users/me', {})).body;
  // The mirror reads the recaps of those who logged in.
  const recaps = await listOf('/meeting_recaps', { user: me.uri });
  const invitees = (
    await Promise.all(events.slice(0, 12).map((event) => listOf(`${new URL(uriOf(event)).pathname}/invitees`)))
  ).flat();
  const users = members.map(({ user }) => String((user as Json)['uri'] ?? user));
  const emails = invitees.map(({ email }) => String(email));
  const times = events.map(({ start_time }) => String(start_time));
  const some = (values: readonly string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const count = fc.option(fc.integer({ min: 1, max: 40 }).map(String), { nil: undefined });
  const sort = (...fields: readonly string[]) => some(fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]));
  const within = { min_start_time: some(times), max_start_time: some(times) };
  const ofOrganization = fc.constant(organization);
  const at = (path: string) => async () => path;
  let turn = 0;
  const questions = {
    organization_memberships: {
      path: at('/organization_memberships'),
      query: fc.record({
        organization: ofOrganization,
        user: some(users),
        role: some(['owner', 'admin', 'user']),
        count,
      }),
    },
    event_types: {
      path: at('/event_types'),
      query: fc.record({
        organization: ofOrganization,
        active: some(['true', 'false']),
        sort: sort('name', 'position', 'created_at', 'updated_at'),
        count: fc.constant('100'),
      }),
    },
    scheduled_events: {
      path: at('/scheduled_events'),
      query: fc.record({
        organization: ofOrganization,
        user: some(users),
        invitee_email: some(emails),
        status: some(['active', 'canceled']),
        sort: sort('start_time'),
        ...within,
        count,
      }),
    },
    invitees: {
      path: async () => `${new URL(uriOf(events[(turn += 1) % events.length] as Json)).pathname}/invitees`,
      query: fc.record({ status: some(['active', 'canceled']), email: some(emails), sort: sort('created_at'), count }),
    },
    routing_forms: {
      path: at('/routing_forms'),
      query: fc.record({ organization: ofOrganization, sort: sort('created_at'), count }),
    },
    routing_form_submissions: {
      path: at('/routing_form_submissions'),
      query: fc.record({ form: fc.constantFrom(...forms.map(uriOf)), sort: sort('created_at'), count }),
    },
    meeting_recaps: {
      path: at('/meeting_recaps'),
      query: fc.record({ user: fc.constant(String(me.uri)), sort: sort('start_time'), ...within, count }),
    },
    webhook_subscriptions: {
      path: at('/webhook_subscriptions'),
      query: fc.record({
        organization: ofOrganization,
        scope: fc.constantFrom('organization'),
        sort: sort('created_at'),
        count,
      }),
    },
  } satisfies Record<string, { path: () => Promise<string>; query: fc.Arbitrary<object> }>;
  const marks = invitees.flatMap(({ no_show: mark }) => (mark ? [uriOf(mark as Json)] : []));
  const records = [events, eventTypes, members, forms, submissions, recaps, invitees].flatMap((all) =>
    all.slice(0, 20),
  );
  return { questions, uris: [...records.map(uriOf), ...users.slice(0, 5), ...marks] };
}
