// Submissions of routing forms, with what became of each.
import { z } from 'zod';
import { pageQuery } from '#schemas/pagination.ts';
import { isObject, textOf } from '#schemas/wire.ts';
import { instant } from '#schemas/resources/values.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { namesOf, objectsIn } from '#src/api/row-record.ts';
import type { Listing } from '#src/http/pagination.ts';
import { plainText, timeRange } from '#src/http/request.ts';
import type { Readable } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { scanRows } from '#src/store/record-search.ts';
import { bookingOutcomes, resultsOf, submissionConditions } from '#src/read/people/routing.ts';
import { unbookedSubmitters } from '#src/read/people/submissions.ts';
import { utmColumns, type TableRow } from '#src/store/schema/tables.ts';

const text = z.string().nullable();
const submission = z
  .strictObject({
    uri: z.string(),
    created_at: instant.nullable(),
    routing_form: text,
    routing_form_name: text,
    questions_and_answers: z.array(z.strictObject({ question: text, answer: text })),
    result_type: text.describe('`event_type`, `external_url` or `custom_message`.'),
    result: z.unknown().describe('Where it led, as sent: a URI, an address, or a message.'),
    event_type_name: text.describe('The name of the event type it led to.'),
    tracking: z.strictObject(Object.fromEntries(utmColumns.map((tag) => [tag, text]))),
    unbooked: z
      .strictObject({
        name: text.describe('Who submitted it, from the answers.'),
        email: text.describe('The first answer that is an e-mail address.'),
        booked_otherwise: text.describe('The URI of the first later invitee with this address.'),
      })
      .nullable()
      .describe(
        'Only for a submission that led to a booking page and has no booking; as in the view `unbooked_submissions`.',
      ),
    outcome: z
      .enum(bookingOutcomes)
      .nullable()
      .describe('What became of its booking; `booked` where more is not known, null where there is none.'),
    booking: z
      .strictObject({ invitee: z.string(), name: text, event_name: text, start_time: instant.nullable() })
      .nullable()
      .describe('The last booking that refers to it.'),
  })
  .meta({ id: 'RoutingFormSubmission' });

const tagged = plainText.optional().describe('Only submissions with exactly this UTM tag.');

const filters = {
  routing_form: plainText.optional().describe('Only submissions of the form with this URI.'),
  ...timeRange('submissions'),
  utm_source: tagged,
  utm_medium: tagged,
  utm_campaign: tagged,
  utm_content: tagged,
  utm_term: tagged,
};

const tag = 'Routing';

export const listSubmissions = defineOperation({
  id: 'listRoutingSubmissions',
  method: 'GET',
  path: '/api/routing/submissions',
  tag,
  summary: 'Submissions of routing forms, newest first',
  description:
    'With what became of each. `booked=false` and `result_type=event_type` list the people who could have booked and did not. A page reads a limited number of submissions: where few pass the filters it is short, and the next page continues.',
  query: pageQuery.extend({
    ...filters,
    booked: z
      .enum(['true', 'false'])
      .transform((value) => value === 'true')
      .optional()
      .describe('Only submissions with a booking, or only those without.'),
    result_type: z.enum(['event_type', 'external_url', 'custom_message']).optional().describe('Where it led.'),
  }),
  answers: 'collection',
  schema: submission,
  async run({ reading, query: { count: _count, page_token: _token, ...search }, pageIn }): Promise<Listing> {
    const conditions = submissionConditions(reading.engine.dialect, search);
    const wanted = { order: 'created_at', page: pageIn('created_at:desc'), ...conditions };
    const { items, ...page } = await scanRows(reading, 'routing_form_submissions', wanted);
    return { ...page, records: await submissionRecords(reading, items) };
  },
});

type Submission = TableRow<'routing_form_submissions'>;

/** With the names of forms and event types, and what became of each. */
async function submissionRecords(
  store: Readable,
  rows: readonly Submission[],
): Promise<readonly z.input<typeof submission>[]> {
  const uris = rows.map(({ uri }) => uri);
  const results = await resultsOf(store, uris);
  const unbooked = await unbookedSubmitters(store, uris);
  const bookings = await bookingsOf(
    store,
    [...results.values()].flatMap(({ invitee }) => invitee ?? []),
  );
  const forms = await namesOf(
    store,
    'routing_forms',
    rows.map((row) => row.routing_form),
  );
  const eventTypes = await namesOf(
    store,
    'event_types',
    rows.map(({ result }) => eventTypeIn(result)),
  );
  return rows.map((row) => {
    const result = results.get(row.uri);
    return {
      uri: row.uri,
      created_at: row.created_at,
      routing_form: row.routing_form,
      routing_form_name: forms.get(row.routing_form ?? '') ?? null,
      questions_and_answers: objectsIn(row.questions_and_answers).map(({ question, answer }) => ({
        question: textOf(question),
        answer: textOf(answer),
      })),
      result_type: row.result_type,
      result: isObject(row.result) ? (row.result['value'] ?? null) : null,
      event_type_name: eventTypes.get(eventTypeIn(row.result) ?? '') ?? null,
      tracking: Object.fromEntries(utmColumns.map((tagName) => [tagName, row[tagName]])),
      unbooked: unbooked.get(row.uri) ?? null,
      outcome: result?.outcome ?? null,
      booking: bookings.get(result?.invitee ?? '') ?? null,
    };
  });
}

const eventTypeIn = (result: unknown): string | null =>
  isObject(result) && result['type'] === 'event_type' ? textOf(result['value']) : null;

async function bookingsOf(store: Readable, uris: readonly string[]) {
  const invitees = await readColumns(store, 'invitees', {
    columns: ['uri', 'name', 'email', 'event_uri'],
    key: 'uri',
    values: uris,
  });
  const meetings = await readColumns(store, 'scheduled_events', {
    columns: ['uri', 'name', 'start_time'],
    key: 'uri',
    values: invitees.flatMap(({ event_uri: uri }) => uri ?? []),
  });
  const meetingOf = new Map(meetings.map((meeting) => [meeting.uri, meeting]));
  return new Map(
    invitees.map(({ uri, name, email, event_uri: event }) => {
      const meeting = meetingOf.get(event ?? '');
      const booking = { invitee: uri, name: name ?? email, event_name: meeting?.name ?? null };
      return [uri, { ...booking, start_time: meeting?.start_time ?? null }] as const;
    }),
  );
}

export const routingOperations = [listSubmissions] as const;
