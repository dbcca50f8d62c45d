// Random payloads about a small world, so that facts collide: few subjects, few instants, few values.
import fc, { type Arbitrary } from 'fast-check';

type Parts = Record<string, Arbitrary<unknown>>;
export type Payload = Record<string, unknown>;

const base = 'https://api.example.test';
export const uris = {
  contacts: [1, 2].map((n) => `${base}/contacts/${n}`),
  invitees: [1, 2, 3].map((n) => `${base}/invitees/${n}`),
  events: [1, 2].map((n) => `${base}/scheduled_events/${n}`),
  eventTypes: [1, 2].map((n) => `${base}/event_types/${n}`),
  recaps: [1, 2].map((n) => `${base}/meeting_recaps/${n}`),
  submissions: [1, 2].map((n) => `${base}/routing_form_submissions/${n}`),
  forms: [1, 2].map((n) => `${base}/routing_forms/${n}`),
  definitions: [1, 2].map((n) => `${base}/contact_custom_fields/${n}`),
  users: [1, 2].map((n) => `${base}/users/${n}`),
  memberships: [1, 2].map((n) => `${base}/organization_memberships/${n}`),
};

/** Part of every value a contact's facts hold, apart from its URI and its times. */
export const canaryOf = (contactUri: string) => `canary-${uris.contacts.indexOf(contactUri)}`;

// 0, 1, 3 and 6 digits, with instants that differ by less than a millisecond, and two offsets of the same instant.
const fractions = ['', '.5', '.500', '.500000', '.500001', '.500999', '.000', '.501'];
const zones = fc.constantFrom<[string, number]>(['Z', 0], ['+00:00', 0], ['+02:00', 120], ['-0530', -330]);
const timeIn = (seconds: Arbitrary<number>, fraction: Arbitrary<string>): Arbitrary<string> =>
  fc.tuple(seconds, fraction, zones).map(([second, digits, [zone, minutes]]) => {
    const local = new Date(Date.UTC(2025, 3, 14, 11, 42 + minutes, 30 + second));
    return `${local.toISOString().slice(0, 19)}${digits}${zone}`;
  });
export const time = timeIn(fc.nat(3), fc.constantFrom(...fractions));

const words = fc.constantFrom('', 'Ada', 'Grace', 'žluťoučký 🐎', 'a "quoted" \\ \n line');
const flag = fc.boolean();
const small = fc.nat(3);
const each = (names: string, value: Arbitrary<unknown>): Parts =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));
const nullable = (parts: Parts): Parts =>
  Object.fromEntries(Object.entries(parts).map(([name, value]) => [name, fc.option(value, { freq: 5 })]));

/** A record of its URI and all, or any, of its parts: absent is not null. */
function partial(uri: Arbitrary<string>, parts: Parts): Arbitrary<Payload> {
  const model = { uri, ...nullable(parts) };
  return fc.oneof(
    { arbitrary: fc.record(model), weight: 1 },
    { arbitrary: fc.record(model, { requiredKeys: ['uri'] }), weight: 2 },
  );
}

const anyOf = (parts: Parts) => fc.record(nullable(parts), { requiredKeys: [] });
const listOf = (parts: Parts) => fc.array(anyOf(parts), { maxLength: 2 });
const tracking = anyOf(each('utm_campaign utm_source utm_medium utm_content utm_term salesforce_uuid', words));
const cancellation = anyOf({ ...each('canceled_by reason canceler_type', words), created_at: time });

export const contact = fc.constantFrom(...uris.contacts).chain((uri) => {
  const value = fc.constantFrom('a', 'b', 'c').map((letter) => `${canaryOf(uri)}-${letter}`);
  return partial(fc.constant(uri), {
    ...each('name timezone job_title company country state city linkedin creation_source', value),
    ...each(
      'created_at updated_at first_email_date last_email_date next_meeting_date last_meeting_date last_interaction_date',
      time,
    ),
    emails: fc.array(fc.record({ email: value, is_primary: flag }), { maxLength: 3 }),
    phone_numbers: fc.array(fc.record({ phone_number: value }), { maxLength: 2 }),
    custom_fields: fc.array(
      fc.record({
        uri: value.map((each) => `${base}/custom_fields/${each}`),
        label: value,
        value: fc.oneof(value, fc.array(value)),
      }),
      { maxLength: 2 },
    ),
    unknown_key: value,
  });
});

// A mark was made at one moment, however it is written.
const mark = small.chain((n) =>
  fc.record({
    uri: fc.constant(`${base}/invitee_no_shows/${n}`),
    created_at: timeIn(fc.constant(n), fc.constantFrom('', '.000')),
  }),
);
export const scheduledEvent = partial(fc.constantFrom(...uris.events), {
  ...each('name status event_type meeting_notes_plain meeting_notes_html', words),
  ...each('start_time end_time created_at updated_at', time),
  location: fc.record({ type: words, join_url: words }, { requiredKeys: [] }),
  invitees_counter: fc.record({ total: small, active: small, limit: small }),
  event_memberships: listOf(each('user user_email user_name', words)),
  event_guests: listOf({ email: words, created_at: time }),
  cancellation,
  unknown_key: words,
});
export const invitee = partial(fc.constantFrom(...uris.invitees), {
  ...each('email first_name last_name name timezone text_reminder_number cancel_url reschedule_url', words),
  ...each('routing_form_submission scheduling_method invitee_scheduled_by', words),
  ...each('old_invitee new_invitee', fc.constantFrom(...uris.invitees)),
  ...each('created_at updated_at', time),
  status: fc.constantFrom('active', 'canceled'),
  canceled: flag,
  rescheduled: flag,
  event: fc.constantFrom(...uris.events),
  questions_and_answers: listOf({ question: words, answer: words, position: small }),
  tracking,
  payment: anyOf({
    ...each('external_id provider currency terms', words),
    successful: flag,
    amount: fc.constantFrom(12.5, '12.50', 0),
  }),
  reconfirmation: anyOf(each('created_at confirmed_at', time)),
  no_show: mark,
  cancellation,
  scheduled_event: scheduledEvent,
  // A field that the service may add has this name, too.
  extra: words,
});

export const eventType: Arbitrary<Payload> = partial(fc.constantFrom(...uris.eventTypes), {
  ...each(
    'name slug scheduling_url kind pooling_type type color internal_note description_plain description_html',
    words,
  ),
  ...each('booking_method locale', words),
  ...each('active secret admin_managed', flag),
  ...each('duration position', small),
  ...each('created_at updated_at', time),
  profile: fc.record({ type: words, owner: words }, { requiredKeys: [] }),
  custom_questions: listOf({ name: words, required: flag }),
  locations: listOf({ kind: words }),
});
export const deletedEventType = fc
  .tuple(eventType, time)
  .map(([record, deleted_at]): Payload => ({ ...record, deleted_at }));
const recapUri = fc.constantFrom(...uris.recaps);
export const recap = partial(recapUri, {
  user: words,
  ...each('transcript summary_md action_items_md discussion_md share_link', words),
  ...each('created_at updated_at', time),
});
export const recapSpeakers: Arbitrary<Payload> = fc.record(
  { uri: recapUri, created_at: time, speakers: fc.array(words, { maxLength: 3 }) },
  { requiredKeys: ['uri', 'speakers'] },
);
const recapEvent = anyOf({
  ...each('uri name unknown_key location', words),
  ...each('start_time end_time', time),
  attendees: listOf({ user_email: words }),
});
export const submission = partial(fc.constantFrom(...uris.submissions), {
  ...each('routing_form submitter submitter_type', words),
  ...each('created_at updated_at', time),
  questions_and_answers: listOf(each('question_uuid question answer', words)),
  tracking,
  result: fc.record({ type: words, value: fc.oneof(words, fc.record({ headline: words })) }, { requiredKeys: [] }),
});

export const routingForm = partial(fc.constantFrom(...uris.forms), {
  ...each('name status organization', words),
  ...each('created_at updated_at', time),
  questions: listOf(each('uuid name type', words)),
});
export const definition = partial(fc.constantFrom(...uris.definitions), {
  ...each('label field_type currency', words),
  ...each('created_at updated_at', time),
  options: fc.array(fc.record({ uuid: words, label: words }), { maxLength: 2 }),
});
export const user = partial(fc.constantFrom(...uris.users), {
  ...each('name email slug timezone scheduling_url', words),
  ...each('created_at updated_at', time),
});
export const membership = partial(fc.constantFrom(...uris.memberships), {
  ...each('role organization', words),
  ...each('created_at updated_at', time),
  user: fc.oneof({ arbitrary: user, weight: 3 }, { arbitrary: fc.constantFrom(...uris.users), weight: 1 }),
});

export const about = (subjects: readonly string[]): Arbitrary<Payload> =>
  fc.record({ uri: fc.constantFrom(...subjects) });
export const deleted = (uri: Arbitrary<string>) =>
  fc.record({ uri, deleted_at: fc.option(time) }, { requiredKeys: ['uri'] }) as Arbitrary<Payload>;
export const contactShape = (payload: Arbitrary<Payload>) =>
  fc.oneof(
    payload,
    payload.map((flat) => ({ user_uuid: 'u1', contact: flat })),
  );
export const recapShape = (payload: Arbitrary<Payload>) =>
  fc.oneof(
    payload,
    fc.record<Payload>({ created_at: time, event: recapEvent, recap: payload }, { requiredKeys: ['recap'] }),
    fc
      .record({ flat: payload, event: fc.option(fc.oneof(recapEvent, words)) })
      .map(({ flat, event }) => ({ ...flat, event })),
    fc
      .record({ flat: payload, event: fc.option(words), beside: recapEvent })
      .map(({ flat, event, beside: { uri: _, ...beside } }) => ({ ...flat, ...beside, event })),
  );
