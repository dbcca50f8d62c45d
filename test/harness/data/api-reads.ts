// Random reads of the API beside random deliveries: the same small world, the same contents again at other times, and 404s.
import fc, { type Arbitrary } from 'fast-check';
import type { JsonObject } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import type { DeletableKind, RecordKind } from '#schemas/records.ts';
import { ingestDeletes, ingestRecords, type ServiceRecord } from '#workers/sync/records.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { history, type Fact, type Observation } from './delivery-histories.ts';
import {
  about,
  contact,
  definition,
  deletedEventType,
  eventType,
  invitee,
  membership,
  recap,
  recapSpeakers,
  routingForm,
  scheduledEvent,
  submission,
  time,
  uris,
  user,
  type Payload,
} from './payloads.ts';
import { ingestBodies, receivedAt } from '../stores.ts';

/** When a page was asked for: whole seconds among the instants of the deliveries, in the one form the client gives. */
const second = fc.nat(3).map((n) => `2025-04-14T11:42:3${n}.000000Z`);

const pages: readonly { event: string; payload: Arbitrary<Payload>; weight: number; sound?: false }[] = [
  { event: 'contact.read', payload: contact, weight: 5 },
  { event: 'invitee.read', payload: invitee.map(({ scheduled_event: _none, ...record }) => record), weight: 6 },
  { event: 'scheduled_event.read', payload: scheduledEvent, weight: 3 },
  { event: 'event_type.read', payload: eventType, weight: 2 },
  { event: 'event_type.read', payload: deletedEventType, weight: 1 },
  { event: 'meeting_recap.read', payload: recap, weight: 2 },
  { event: 'meeting_recap_transcript.read', payload: recapSpeakers, weight: 2 },
  { event: 'routing_form_submission.read', payload: submission, weight: 2 },
  { event: 'routing_form.read', payload: routingForm, weight: 1 },
  { event: 'custom_field_definition.read', payload: definition, weight: 1 },
  { event: 'user.read', payload: user, weight: 1 },
  { event: 'organization_membership.read', payload: membership, weight: 2 },
  { event: 'contact.gone', payload: about(uris.contacts), weight: 1 },
  { event: 'event_type.gone', payload: about(uris.eventTypes), weight: 1 },
  { event: 'meeting_recap.gone', payload: about(uris.recaps), weight: 1 },
  { event: 'custom_field_definition.gone', payload: last(uris.definitions), weight: 1 },
  { event: 'organization_membership.gone', payload: last(uris.memberships), weight: 1 },
  { event: 'routing_form.gone', payload: last(uris.forms), weight: 1 },
  // A value that does not fit is set aside, and the rest counts.
  { event: 'contact.read', payload: contact.map((record) => ({ ...record, emails: 'none' })), weight: 1 },
  // Kept, never projected: a record without its URI.
  { event: 'contact.read', payload: fc.constant({ uri: 'none', name: 'x' }), weight: 1, sound: false },
];

/** As it was read last. */
function last(subjects: readonly string[]): Arbitrary<Payload> {
  return fc.record({ uri: fc.constantFrom(...subjects), updated_at: fc.option(time) });
}

/** One content, seen at one to three moments. */
const read: Arbitrary<Observation[]> = fc.oneof(
  ...pages.map(({ event, payload, weight, sound = true }) => ({
    weight,
    arbitrary: fc
      .record({ payload, moments: fc.array(second, { minLength: 1, maxLength: 3 }) })
      .map(({ payload: record, moments }) =>
        moments.map((created_at) => ({ fact: { event, created_at, payload: record, sound }, body: null })),
      ),
  })),
);

/** Deliveries and reads about the same subjects. */
export function mixedHistory(maxLength = 8): Arbitrary<Observation[]> {
  return fc
    .tuple(history(maxLength), fc.array(read, { minLength: 1, maxLength }))
    .map(([deliveries, reads]) => [...deliveries, ...reads.flat()]);
}

export function recordOf({ event, created_at, payload }: Fact): ServiceRecord {
  return { kind: event.split('.')[0] as RecordKind, record: payload as JsonObject, observed: created_at };
}

/** Takes observations in as they come: those of one kind that stand together, together. */
export async function ingestObservations(
  store: Store,
  batch: readonly Observation[],
  eraseOnDelete = true,
): Promise<void> {
  const needs = { store, screen: privacyScreen({ eraseOnDelete }) };
  const howOf = ({ body, fact }: Observation) =>
    body !== null ? 'sent' : fact.event.endsWith('.gone') ? 'gone' : 'read';
  for (let from = 0; from < batch.length;) {
    const how = howOf(batch[from] as Observation);
    const rest = batch.slice(from);
    const other = rest.findIndex((each) => howOf(each) !== how);
    const run = other < 0 ? rest : rest.slice(0, other);
    const records = run.map(({ fact }) => recordOf(fact));
    if (how === 'sent')
      await ingestBodies(
        store,
        run.flatMap(({ body }) => body ?? []),
        eraseOnDelete,
      );
    else if (how === 'read') await ingestRecords(needs, records, { source: 'reconcile', now: receivedAt });
    else await ingestDeletes(needs, records.map(goneOf), { now: receivedAt });
    from += run.length;
  }
}

function goneOf({ kind, record, observed }: ServiceRecord) {
  const { uri, updated_at: at } = record;
  return { kind: kind as DeletableKind, uri: String(uri), updated_at: typeof at === 'string' ? at : null, observed };
}
