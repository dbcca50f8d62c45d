// What is retained of an erased person's record: what other rows, links between records and statistics need. Every other field
// becomes null, not absent: it stays the newest version, so that no older value reappears.
import type { Contact, DeletedContact } from '#schemas/contact.ts';
import type { Invitee, ScheduledEvent } from '#schemas/invitee.ts';
import type { MeetingRecap } from '#schemas/meeting-recap.ts';
import type { FactPayload } from '#schemas/records.ts';
import type { RoutingFormSubmission } from '#schemas/routing-form.ts';
import { isObject, type JsonObject } from '#schemas/wire.ts';
import { wordsOf, type WordsAmong } from '#src/store/columns.ts';
import type { MirrorTable } from '#workers/fold/projections/contract.ts';
import type { DeclaredKeys } from '#workers/fold/projections/field-mapping.ts';
import { fieldsOf } from '#workers/fold/projections/registry.ts';

type RetainedFields = Readonly<Record<string, (value: unknown) => unknown>>;

const unchanged = (value: unknown): unknown => value;

/** Fields that are retained unchanged. The compiler checks each name against the payload. */
const keep =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the payload to check against
  <Payload>() =>
    <const Text extends string>(names: Text & WordsAmong<Text, DeclaredKeys<Payload>>): RetainedFields =>
      Object.fromEntries(wordsOf<string>(names).map((name) => [name, unchanged]));

const parts =
  (retained: RetainedFields) =>
  (value: unknown): unknown =>
    isObject(value) ? pick(value, retained) : null;

type Part<Payload, Key extends keyof Payload> = NonNullable<Payload[Key]>;

const times = keep<Contact & DeletedContact>()('uri created_at updated_at deleted_at');
const campaign = parts(keep<Part<Invitee, 'tracking'>>()('utm_campaign utm_source utm_medium utm_content utm_term'));
const cancellation = parts(keep<Part<Invitee, 'cancellation'>>()('canceler_type created_at'));

// The invitee fills in any other location: it may be their phone number or their home.
const locationsOfHosts = new Set(['physical', 'inbound_call']);
type Location = Record<'type' | 'kind' | 'status' | 'join_url' | 'location', unknown>;

function location(value: unknown): unknown {
  if (!isObject(value)) return null;
  const always = keep<Location>()('type kind status join_url');
  const isOfHost = locationsOfHosts.has(String(value['type']));
  return pick(value, isOfHost ? { ...always, ...keep<Location>()('location') } : always);
}

type RoutingResult = Part<RoutingFormSubmission, 'result'>;
const routingResult = (value: unknown): unknown => {
  const leadsToEventType = isObject(value) && value['type'] === 'event_type';
  return parts(leadsToEventType ? keep<RoutingResult>()('type value') : keep<RoutingResult>()('type'))(value);
};

const retainedByTable: Partial<Record<MirrorTable, RetainedFields>> = {
  invitees: {
    ...times,
    ...keep<Invitee>()(
      'status canceled event rescheduled old_invitee new_invitee routing_form_submission scheduling_method invitee_scheduled_by',
    ),
    no_show: parts(keep<Part<Invitee, 'no_show'>>()('uri created_at')),
    reconfirmation: parts(keep<Part<Invitee, 'reconfirmation'>>()('created_at confirmed_at')),
    cancellation,
    tracking: campaign,
    payment: parts(keep<Part<Invitee, 'payment'>>()('provider amount currency successful')),
    scheduled_event: (event) => (isObject(event) ? retainFields('scheduled_events', event) : null),
  },
  meeting_recaps: {
    ...times,
    event: (event) => ({
      ...(isObject(event) && Object.fromEntries(Object.keys(event).map((key) => [key, null]))),
      ...pick(isObject(event) ? event : {}, keep<Part<MeetingRecap, 'event'>>()('uri start_time end_time')),
    }),
  },
  organization_memberships: {
    ...times,
    ...keep<FactPayload<'organization_membership.read'>>()('role organization'),
    user: (user) => (isObject(user) ? retainFields('users', user) : user),
  },
  routing_form_submissions: {
    ...times,
    ...keep<RoutingFormSubmission>()('routing_form submitter submitter_type'),
    tracking: campaign,
    result: routingResult,
  },
  scheduled_events: {
    ...times,
    ...keep<ScheduledEvent>()(
      'name status start_time end_time event_type invitees_counter event_memberships event_guests',
    ),
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

function pick(record: JsonObject, retained: RetainedFields): JsonObject {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      const retain = Object.hasOwn(retained, key) ? retained[key] : undefined;
      return retain ? [[key, value === null || value === undefined ? value : retain(value)]] : [];
    }),
  );
}
