// What is retained of an erased person's record: what other rows, links between records and statistics need. Every other field
// becomes null, not absent: it stays the newest version, so that no older value reappears.
import { isObject, type JsonObject } from '#schemas/wire.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import { fieldsOf } from '#workers/projections/registry.ts';

/** Field → how its value is retained. */
type Retained = Readonly<Record<string, (value: unknown) => unknown>>;

const unchanged = (value: unknown): unknown => value;
const all = (names: string): Retained => Object.fromEntries(names.split(' ').map((name) => [name, unchanged]));
const parts =
  (retained: Retained) =>
  (value: unknown): unknown =>
    isObject(value) ? pick(value, retained) : null;

const times = all('uri created_at updated_at deleted_at');
const campaign = parts(all('utm_campaign utm_source utm_medium utm_content utm_term'));
const cancellation = parts(all('canceler_type created_at'));

// The invitee fills in any other location: it may be their phone number or their home.
const locationsOfHosts = new Set(['physical', 'inbound_call']);

function location(value: unknown): unknown {
  if (!isObject(value)) return null;
  const retained = all('type kind status join_url');
  return pick(value, locationsOfHosts.has(String(value['type'])) ? { ...retained, ...all('location') } : retained);
}

const routingResult = (value: unknown): unknown =>
  parts(isObject(value) && value['type'] === 'event_type' ? all('type value') : all('type'))(value);

const retainedByTable: Partial<Record<MirrorTable, Retained>> = {
  invitees: {
    ...times,
    ...all('status canceled event rescheduled old_invitee new_invitee routing_form_submission scheduling_method'),
    ...all('invitee_scheduled_by'),
    no_show: parts(all('uri created_at')),
    reconfirmation: parts(all('created_at confirmed_at')),
    cancellation,
    tracking: campaign,
    payment: parts(all('provider amount currency successful')),
    scheduled_event: (event) => (isObject(event) ? retainFields('scheduled_events', event) : null),
  },
  meeting_recaps: { ...times, event: parts(all('uri start_time end_time')) },
  organization_memberships: {
    ...times,
    ...all('role organization'),
    user: (user) => (isObject(user) ? retainFields('users', user) : user),
  },
  routing_form_submissions: {
    ...times,
    ...all('routing_form submitter submitter_type'),
    tracking: campaign,
    result: routingResult,
  },
  scheduled_events: {
    ...times,
    ...all('name status start_time end_time event_type invitees_counter event_memberships event_guests'),
    location,
    cancellation,
  },
};

/** Returns a record without the person it belongs to; a scheduled event without what an invitee filled in. */
export function retainFields(table: MirrorTable, record: JsonObject): JsonObject {
  const retained = retainedByTable[table] ?? times;
  const nulls = Object.keys(record).filter(
    (key) => Object.hasOwn(fieldsOf[table], key) && !Object.hasOwn(retained, key),
  );
  return { ...pick(record, retained), ...Object.fromEntries(nulls.map((key) => [key, null])) };
}

function pick(record: JsonObject, retained: Retained): JsonObject {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const retain = Object.hasOwn(retained, key) ? retained[key] : undefined;
      return retain ? [[key, value === null || value === undefined ? value : retain(value)]] : [];
    }),
  );
}
