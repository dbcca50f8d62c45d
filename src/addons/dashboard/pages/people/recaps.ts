// Recaps: the list. One recap is a row of its table.
import { html } from 'hono/html';
import { z } from 'zod';
import { isObject, textOf } from '#schemas/wire.ts';
import { rowNamed } from '#src/api/row-record.ts';
import { parseInput, plainText as plainTextInput } from '#src/http/request.ts';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';
import { recapFilters } from '#src/read/people/recaps.ts';
import { filters } from '#src/addons/dashboard/components/form.ts';
import { findListed, listedView, statusOf, type FixedColumn } from '#src/addons/dashboard/components/listed.ts';
import { localQuery, rangeEnds } from '#src/addons/dashboard/components/local-times.ts';
import { command, joined, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { pathOf } from '#src/addons/dashboard/components/question.ts';
import type { Row } from '#src/addons/dashboard/components/rows.ts';
import { definePage, type Page, type PageCall, type Redirect, type View } from '#src/addons/dashboard/page.ts';
import { plainText } from './markdown.ts';

export const recapPages: readonly Page[] = [
  definePage({ path: '/recaps', section: '/recaps', show: showRecaps }),
  definePage({
    path: '/recaps/:uuid',
    section: '/recaps',
    async show({ read, params }): Promise<Redirect> {
      const { uri } = await read(({ reading }) => rowNamed(reading, 'meeting_recaps', params['uuid'] ?? '', 'recap'));
      return { to: pathOf('meeting_recaps', uri) };
    },
  }),
];

const search = z.object({
  host: plainTextInput.optional(),
  attendee: plainTextInput.optional(),
  text: plainTextInput.max(200).optional(),
});

async function showRecaps(call: PageCall): Promise<View> {
  const { read, url } = call;
  const local = localQuery(call, rangeEnds);
  const { query } = local;
  const { from, to } = query;
  const listed = await findListed(call, {
    name: 'meeting_recaps',
    select: ['uri', 'event_name', 'created_at', 'event_start_time', 'attendees', 'summary_md'],
    conditions: [
      ['deleted_at', 'is.null'],
      ...(from === undefined ? [] : [['created_at', `gte.${from}`] as const]),
      ...(to === undefined ? [] : [['created_at', `lt.${to}`] as const]),
    ],
    also: ({ dialect }) => recapFilters(dialect, parseInput(search, query)),
    order: 'created_at.desc',
  });
  const { hosts } = await read(readBookingFilters);
  return {
    title: 'Recaps',
    ...statusOf(listed),
    content: html`<h1>Recaps</h1>
      <p class="lead">What was said and agreed in meetings, written by the service.</p>
      ${filters(
        url,
        query,
        [
          { name: 'text', label: 'Text', type: 'search', placeholder: 'in name, summary, action items' },
          { name: 'host', label: 'Host', options: Object.fromEntries(hosts.map(({ uri, name }) => [uri, name])) },
          { name: 'attendee', label: 'Participant', type: 'email', placeholder: 'e-mail address' },
          { name: 'from', label: 'From', type: 'date' },
          { name: 'to', label: 'To', type: 'date' },
          // As the headings sort, which a narrow screen does not have.
          {
            name: 'order',
            label: 'Sorted by',
            none: 'newest first',
            options: {
              'created_at.asc': 'oldest first',
              'event_name.asc': 'meeting',
              'event_start_time.desc': 'start',
            },
          },
        ],
        local,
      )}
      ${listedView(listed, { url, columns, caption: 'Recaps', empty: emptyList(query) })}`,
  };
}

function emptyList({ order: _order, ...query }: PageCall['query']): Markup | string {
  if (Object.keys(query).length > 0) return 'No recap matches these filters.';
  return html`There are no recaps yet. They arrive with <code>meeting_recap.created</code>; ${command('backfill')} copies those that the service has.`;
}

const people = ({ attendees }: Row, isHost: boolean): Markup | string => {
  const found = (Array.isArray(attendees) ? attendees : [])
    .filter(isObject)
    .filter(({ host }) => (host === true) === isHost)
    .map(({ user_name: name, user_email: email }) => textOf(name) || textOf(email) || 'without a name');
  // One element, because a narrow screen arranges the parts of a cell side by side.
  return found.length === 0
    ? ''
    : html`<span>${joined(
        found.map((name) => html`<bdi>${name}</bdi>`),
        ', ',
      )}</span>`;
};

const excerptLength = 280;

const columns: readonly FixedColumn[] = [
  {
    name: 'event_name',
    label: 'Meeting',
    cell: ({ uri, event_name: name }) =>
      html`<a href="${pathOf('meeting_recaps', String(uri))}"><bdi>${name || 'A meeting without a name'}</bdi></a>`,
  },
  { name: 'created_at', label: 'Written' },
  { name: 'event_start_time', label: 'Meeting started', isMinor: true },
  { name: 'attendees', label: 'Host', cell: (row) => people(row, true), isMinor: true },
  { name: 'attendees', label: 'Participants', cell: (row) => people(row, false), isMinor: true },
  {
    name: 'summary_md',
    label: 'Summary',
    isUnsorted: true,
    cell: ({ summary_md: text }) =>
      text ? html`<span class="excerpt"><bdi>${plainText(String(text).slice(0, excerptLength))}</bdi></span>` : '',
  },
];
