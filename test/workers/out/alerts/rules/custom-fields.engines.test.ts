// Custom fields of contacts in rules and messages: labels and options, whichever of contact and definition arrives first.
import { describe, expect } from 'vitest';
import { instantOf } from '#src/base/time.ts';
import type { Json } from '#src/store/columns.ts';
import type { Store } from '#src/store/contract.ts';
import { bookingSubject } from '#workers/out/alerts/bookings/booking-subject.ts';
import { encodeFact } from '#workers/out/alerts/rules/fact.ts';
import { buildMessage } from '#workers/out/alerts/message/message.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { unknownContactFields } from '#workers/out/alerts/rules/custom-fields.ts';
import { catchUp } from '../../../../harness/alerts/alert-world.ts';
import { bookingRules } from '../../../../harness/alerts/watched-rules.ts';
import { readDefinitions } from '../../../../harness/data/custom-fields.ts';
import { noShowBooking } from '../../../../harness/data/no-show-bookings.ts';
import { ingestBodies, oneEngine, rowsOf, testWith } from '../../../../harness/stores.ts';

const nowMs = Date.UTC(2026, 10, 16, 12);
const fieldUri = 'https://api.scheduling.test/contacts/custom_field_definitions/1';
const uuids = { startup: 'bd7adbdd-ddcf-4737-8495-cc95eb3c89f2', other: '0f64a1a9-6f0e-4c1c-8a53-5a3b7f3d8e11' };

const segment = (startup: string, minute = 0) => ({
  uri: fieldUri,
  label: 'Segment',
  field_type: 'single_select',
  options: [
    { uuid: uuids.startup, label: startup },
    { uuid: uuids.other, label: 'Enterprise' },
  ],
  updated_at: instantOf(nowMs + minute * 60_000),
});

function contactWith(value: Json): string {
  const at = instantOf(nowMs);
  const payload = {
    uri: 'https://api.scheduling.test/contacts/1',
    updated_at: at,
    emails: [{ email: 'person-1@example.test', is_primary: true }],
    custom_fields: [{ uri: fieldUri, label: 'Segment', value }],
  };
  return JSON.stringify({ event: 'contact.created', created_at: at, payload });
}

const contactRule = (name: string, contact: object) => ({ name, when: 'vip', contact });

async function alertedRules(store: Store): Promise<readonly string[]> {
  const rows = await rowsOf(store, 'alerts');
  return rows.flatMap(({ rule, state }) => (state === 'pending' ? [String(rule)] : [])).toSorted();
}

describe.each(oneEngine)('a single-select field on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('matches by label and by UUID, also when its definition comes or changes after the booking', async ({ store }) => {
    const rules = await bookingRules(
      contactRule('label', { Segment: 'startup' }),
      contactRule('uuid', { Segment: [uuids.startup] }),
      contactRule('other', { Segment: 'Enterprise' }),
      contactRule('renamed', { Segment: 'Scale-up' }),
    );
    const watch = () => catchUp({ store, nowMs: () => nowMs }, { rules, maxAgeMs: 86_400_000 });
    await watch();
    const { marked } = noShowBooking(1, nowMs - 3_600_000);
    await ingestBodies(store, [marked, contactWith(uuids.startup)]);
    await watch();
    expect(await alertedRules(store)).toEqual(['uuid']);
    await readDefinitions(store, [segment('Startup')]);
    await watch();
    expect(await alertedRules(store)).toEqual(['label', 'uuid']);
    await readDefinitions(store, [segment('Scale-up', 1)]);
    await watch();
    expect(await alertedRules(store)).toEqual(['renamed', 'uuid']);
  });

  it('is shown by its label in a template', async ({ store }) => {
    const booking = noShowBooking(1, nowMs);
    await readDefinitions(store, [segment('Startup')]);
    await ingestBodies(store, [booking.marked, contactWith(uuids.startup)]);
    const context = (await loadBookingContexts(store, [booking.uri])).get(booking.uri);
    const [rule] = await bookingRules({ name: 'a', when: 'no_show', template: '{{ contact["Segment"] }}' });
    const [found] = context && rule ? rule.find(context) : [];
    if (context === undefined || rule === undefined || found === undefined) throw new Error('no no-show was found');
    const about = bookingSubject.about(context, rule, encodeFact(found.fact));
    const input = { id: 'a', rule, kind: 'alert', about, occurredAt: found.occurredAt } as const;
    expect((await buildMessage({ adminUrl: undefined }, input)).text).toBe('Startup');
  });

  it('is reported when a rule or a template names a field or an option that does not exist', async ({ store }) => {
    const rules = await bookingRules(
      contactRule('fine', { Segment: ['STARTUP', uuids.other], company: 'Acme' }),
      contactRule('no-field', { Tier: 'gold' }),
      { name: 'no-option', when: 'no_show', filter: { contact: { Segment: ['Startup', 'gold'] } } },
      {
        name: 'no-text',
        when: 'no_show',
        template: '{{ contact["Seats"] }} {{ contact.company }} {{ contact.Segment }}',
      },
    );
    // Without definitions nothing is known about fields.
    expect(await unknownContactFields(store, rules)).toEqual([]);
    await readDefinitions(store, [segment('Startup')]);
    expect(await unknownContactFields(store, rules)).toEqual([
      'Rule no-field: contacts have no field “Tier”. Custom fields: Segment.',
      'Rule no-option: the field “Segment” has no option “gold”. Options: Startup, Enterprise.',
      'Rule no-text: contacts have no field “Seats”. Custom fields: Segment.',
    ]);
  });
});
