// Meeting recaps, read from the mirror: a list that can be searched, and one with all its texts.
import { z } from 'zod';
import { textOf } from '#schemas/wire.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { objectsIn, rowNamed } from '#src/api/row-record.ts';
import { notFound } from '#src/http/http-error.ts';
import type { Listing } from '#src/http/pagination.ts';
import { plainText, timeRange } from '#src/http/request.ts';
import { recapConditions } from '#src/read/people/recaps.ts';
import { scanRows } from '#src/store/record-search.ts';
import type { TableRow } from '#src/store/schema/tables.ts';

const text = z.string().nullable();
const excerptLength = 280;

const recapLine = z
  .strictObject({
    uri: z.string(),
    event_uri: text.describe('The meeting; null for one that was not booked here.'),
    event_name: text,
    event_start_time: instant.nullable(),
    event_end_time: instant.nullable(),
    attendees: z.array(z.strictObject({ name: text, email: text, is_host: z.boolean() })),
    excerpt: text.describe(`The first ${excerptLength} characters of the summary.`),
    created_at: instant.nullable(),
    updated_at: instant.nullable(),
  })
  .meta({ id: 'RecapLine' });

const recap = recapLine
  .extend({
    summary_md: text.describe('Markdown, as sent.'),
    action_items_md: text.describe('Markdown, as sent.'),
    discussion_md: text.describe('Markdown, as sent.'),
    transcript: text.describe('The URI of the transcript at the service, which is not mirrored.'),
    share_link: text,
  })
  .meta({ id: 'Recap' });

const listQuery = pageQuery.extend({
  ...timeRange('recaps that were written'),
  host: plainText.optional().describe('Only recaps of meetings with this user (URI) among the hosts.'),
  attendee: plainText.optional().describe('Only recaps of meetings in which this e-mail address took part.'),
  text: plainText
    .max(200)
    .optional()
    .describe(
      'Only recaps with this text in the name of the meeting, the summary, the action items or the discussion.',
    ),
});

const tag = 'Recaps';

export const listRecaps = defineOperation({
  id: 'listRecaps',
  method: 'GET',
  path: '/api/recaps',
  tag,
  summary: 'Meeting recaps, newest first',
  description:
    'In the order in which they were written. Deleted ones are left out. A page reads a limited number of recaps: where few pass the filters it is short, and the next page continues.',
  query: listQuery,
  answers: 'collection',
  schema: recapLine,
  async run({ reading, query: { count: _count, page_token: _token, ...search }, pageIn }): Promise<Listing> {
    const conditions = recapConditions(reading.engine.dialect, search);
    const wanted = { order: 'created_at', page: pageIn('created_at:desc'), ...conditions };
    const { items, ...page } = await scanRows(reading, 'meeting_recaps', wanted);
    return { ...page, records: items.map(lineOf) };
  },
});

export const getRecap = defineOperation({
  id: 'getRecap',
  method: 'GET',
  path: '/api/recaps/{uuid}',
  tag,
  summary: 'One meeting recap',
  errors: { 404: 'No such recap, or it was deleted.' },
  answers: 'resource',
  schema: recap,
  async run({ reading, params }) {
    const row = await rowNamed(reading, 'meeting_recaps', params['uuid'] ?? '', 'recap');
    if (row.deleted_at !== null) throw notFound('No such recap.');
    const { summary_md, action_items_md, discussion_md, transcript, share_link } = row;
    return { ...lineOf(row), summary_md, action_items_md, discussion_md, transcript, share_link };
  },
});

export const recapOperations = [listRecaps, getRecap] as const;

function lineOf(row: TableRow<'meeting_recaps'>): z.input<typeof recapLine> {
  return {
    uri: row.uri,
    event_uri: row.event_uri,
    event_name: row.event_name,
    event_start_time: row.event_start_time,
    event_end_time: row.event_end_time,
    attendees: objectsIn(row.attendees).map(({ user_name: name, user_email: email, host }) => ({
      name: textOf(name),
      email: textOf(email),
      is_host: host === true,
    })),
    excerpt: row.summary_md?.slice(0, excerptLength) ?? null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
