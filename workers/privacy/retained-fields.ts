// What is kept of a record that is an erased person's: what the rows of others, the links between records and the statistics
// need. Everything else that it says becomes null, not absent: it stays the newest word, so that nothing older shows through.
import { isObject, type JsonObject } from '#schemas/wire.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import { fieldsOf } from '#workers/projections/registry.ts';

type Keep = Readonly<Record<string, (value: unknown) => unknown>>;

const whole = (value: unknown): unknown => value;
const all = (names: string): Keep => Object.fromEntries(names.split(' ').map((name) => [name, whole]));
const some =
  (keep: Keep) =>
  (value: unknown): unknown =>
    isObject(value) ? picked(value, keep) : null;

const times = all('uri created_at updated_at deleted_at');
const campaign = some(all('utm_campaign utm_source utm_medium utm_content utm_term'));
const end = some(all('canceler_type created_at'));

// Where the invitee says where, it may be their telephone number or their home.
const placesOfHosts = new Set(['physical', 'inbound_call']);

function place(value: unknown): unknown {
  if (!isObject(value)) return null;
  const keep = all('type kind status join_url');
  return picked(value, placesOfHosts.has(String(value['type'])) ? { ...keep, ...all('location') } : keep);
}

const routed = (value: unknown): unknown =>
  some(isObject(value) && value['type'] === 'event_type' ? all('type value') : all('type'))(value);

const meeting: Keep = {
  ...times,
  ...all('name status start_time end_time event_type invitees_counter event_memberships event_guests'),
  location: place,
  cancellation: end,
};

const kept: Partial<Record<MirrorTable, Keep>> = {
  invitees: {
    ...times,
    ...all('status canceled event rescheduled old_invitee new_invitee routing_form_submission scheduling_method'),
    ...all('invitee_scheduled_by'),
    no_show: some(all('uri created_at')),
    reconfirmation: some(all('created_at confirmed_at')),
    cancellation: end,
    tracking: campaign,
    payment: some(all('provider amount currency successful')),
    scheduled_event: (event) => (isObject(event) ? withoutPerson('scheduled_events', event) : null),
  },
  meeting_recaps: { ...times, event: some(all('uri start_time end_time')) },
  organization_memberships: {
    ...times,
    ...all('role organization'),
    user: (user) => (isObject(user) ? withoutPerson('users', user) : user),
  },
  routing_form_submissions: {
    ...times,
    ...all('routing_form submitter submitter_type'),
    tracking: campaign,
    result: routed,
  },
  scheduled_events: meeting,
};

/** A record without the person whose it is; of a scheduled event, without what an invitee filled in. */
export function withoutPerson(table: MirrorTable, record: JsonObject): JsonObject {
  const keep = kept[table] ?? times;
  const nulls = Object.keys(record).filter((key) => Object.hasOwn(fieldsOf[table], key) && !Object.hasOwn(keep, key));
  return { ...picked(record, keep), ...Object.fromEntries(nulls.map((key) => [key, null])) };
}

function picked(record: JsonObject, keep: Keep): JsonObject {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const keeper = Object.hasOwn(keep, key) ? keep[key] : undefined;
      return keeper ? [[key, value === null || value === undefined ? value : keeper(value)]] : [];
    }),
  );
}
