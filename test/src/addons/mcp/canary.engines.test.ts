// With people masked, no answer of any tool contains a name, an address, a number or a text that a person wrote; revealed, they do.
import { describe, expect, it } from 'vitest';
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { hourMs, instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { tools } from '#src/addons/mcp/server.ts';
import { openMcp } from '../../../harness/mirror/mcp.ts';
import { ingestBodies, oneEngine } from '../../../harness/stores.ts';

const email = 'canary.bird@gelbfeder.example.test';
const phone = '+49 30 5550199';
const name = 'Canary Gelbfeder';
/** Of meetings, which hosts may name after a guest. */
const title = 'Rotkehlchen';
const trace = /canar|gelbfeder|5550199|rotkehlchen/i;

/** Words of the service, times and URIs of records stay; every other text becomes the person's. */
function planted(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => planted(each, key));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([field, each]) => [
        field,
        planted(each, key === 'scheduled_event' && field === 'name' ? 'title' : field),
      ]),
    );
  if (typeof value === 'string' && /^event_name$|^title$/.test(key)) return title;
  if (/^(answer|utm_\w+|salesforce_uuid)$/.test(key)) return name;
  if (typeof value !== 'string') return value;
  if (/_url$|link|transcript/.test(key))
    return key.length % 2 === 0
      ? 'https://elsewhere.example.test/canary'
      : `https://elsewhere.example.test/?who=${email}`;
  if (/^https?:|^\d{4}-\d\d-\d\dT|^[a-z_]+$/.test(value) || /zone$|currency|country|^uuid$/.test(key)) return value;
  if (value.includes('@')) return email;
  return /phone|number/.test(key) ? phone : name;
}

function bodies(): readonly string[] {
  const sample = createSampler(7);
  const now = new Date();
  const kinds = Object.keys(eventKinds).filter((kind) => !kind.endsWith('deleted')) as EventKind[];
  const later = kinds.filter((kind) => kind !== 'invitee.canceled').map((kind) => [kind, 1] as const);
  const all = [...kinds.map((kind) => [kind, 0] as const), ...later, ['invitee.created', 2] as const];
  const deliveries = all.map(([kind, index]) => {
    const { payload, ...envelope } = sample(kind, { index, now });
    // The names of event types are written by hosts.
    return { ...envelope, payload: kind.startsWith('event_type') ? payload : planted(payload) };
  });
  return [
    ...deliveries.map((delivery) => JSON.stringify(delivery)),
    JSON.stringify({ event: 'invitee.created', created_at: now, payload: { uri: 7, name, email } }),
    JSON.stringify({ event: 'contact.created', created_at: now, payload: { uri: `mailto:${email}`, name } }),
    JSON.stringify({ event: 'canary.gelbfeder', created_at: now, payload: { name, email } }),
    `not JSON: ${name} ${email}`,
  ];
}

async function fill(store: Store): Promise<void> {
  await ingestBodies(store, bodies());
  await store.db.updateTable('routing_form_submissions').set({ result_type: 'event_type' }).execute();
  const [start_time, end_time] = [24, 23].map((hours) => instantOf(Date.now() - hours * hourMs));
  await store.db.updateTable('scheduled_events').set({ start_time, end_time }).execute();
}

/** Two of each collection. */
function urisIn(text: string): readonly string[] {
  const all = new Set(text.match(/https?:\/\/[^"\s\\]+/g));
  return [
    ...Map.groupBy(all, (uri) => uri.replace(/\/[^/]*$/, '').replace(/[^/]+\/invitees$/, 'invitees')).values(),
  ].flatMap((of) => of.slice(0, 2));
}
const callsOf = (uris: readonly string[]): readonly (readonly [string, Readonly<Record<string, unknown>>])[] => [
  ...tools.flatMap(({ name: tool, pages, record }) =>
    record || tool === 'why'
      ? []
      : pages
        ? [[tool, { limit: 1 }] as const, [tool, { limit: 50 }] as const]
        : [[tool, {}] as const],
  ),
  ['find_contacts', { email }],
  ['find_contacts', { phone_number: phone }],
  ['find_people', { email }],
  ['find_people', { contact: 'false' }],
  ['list_bookings', { email, limit: 1 }],
  ['list_recaps', { attendee: email }],
  ['list_deliveries', { address: email }],
  ['list_deliveries', { outcome: 'quarantined' }],
  ['list_deliveries', { event: 'canary.gelbfeder' }],
  ['no_shows', { state: 'undone' }],
  ['no_show_rates', { days: 1000 }],
  ...uris.flatMap((uri) => [
    ['why', { uri }] as const,
    ...(uri.includes('/contacts/') ? [['person_timeline', { contact: uri, limit: 50 }] as const] : []),
    ...(uri.includes('/meeting_recaps/') ? [['get_recap', { recap: uri }] as const] : []),
  ]),
];

for (const engine of oneEngine)
  describe.runIf(engine.available)(`people in the answers of MCP on ${engine.name}`, () => {
    it('are in none of them when they are masked, not even in a cursor or the record of calls', async () => {
      await using mcp = await openMcp(engine);
      await fill(mcp.store);
      const listed = await Promise.all(tools.map((tool) => mcp.call(tool.name)));
      const asked = new Set<string>();
      for (const [tool, input] of callsOf(urisIn(listed.map(({ text }) => text).join(' ')))) {
        const { text, isError, data } = await mcp.call(tool, input);
        expect([tool, input, text]).toEqual([tool, input, expect.not.stringMatching(trace)]);
        // Of an event type or a form, only the name is mirrored.
        expect(isError && !/event_types|routing_forms|users/.test(String(input['uri']))).toBe(false);
        const { next_cursor: cursor } = (data ?? {}) as { readonly next_cursor?: string };
        if (cursor === undefined) continue;
        expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(trace);
        const more = await mcp.call(tool, { ...input, cursor });
        expect([tool, more.isError, more.text]).toEqual([tool, false, expect.not.stringMatching(trace)]);
        asked.add(tool);
      }
      expect(asked.size).toBeGreaterThan(3);
      expect(JSON.stringify(await mcp.store.db.selectFrom('admin_actions').selectAll().execute())).not.toMatch(trace);
      expect(JSON.stringify(mcp.reported)).not.toMatch(trace);
    });

    it('are in the answer of every tool that has some when they are revealed', async () => {
      await using mcp = await openMcp(engine, { isRevealed: true });
      await fill(mcp.store);
      const all = await Promise.all(tools.map((tool) => mcp.call(tool.name, tool.pages && { limit: 50 })));
      const uris = urisIn(all.map(({ text }) => text).join(' '));
      const naming = new Set<string>();
      for (const [tool, input] of callsOf(uris)) {
        const { text } = await mcp.call(tool, input);
        if (trace.test(text)) naming.add(tool);
      }
      expect([...naming].toSorted()).toEqual(
        tools
          .map((tool) => tool.name)
          .filter((tool) => tool !== 'mirror_health')
          .toSorted(),
      );
    });
  });
