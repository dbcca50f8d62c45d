// Recaps: the list, and one with its summary, action items and discussion.
import { html } from 'hono/html';
import { readBookingFilters } from '#src/read/bookings/hosts.ts';
import { getRecap, listRecaps } from '#src/api/people/recaps.ts';
import { filters } from '#src/addons/dashboard/components/form.ts';
import { facts, pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  breadcrumb,
  command,
  externalLink,
  idOf,
  joined,
  nothing,
  optionalTime,
  time,
  uriActions,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { definePage, type Page, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { localQuery, rangeEnds } from '#src/addons/dashboard/components/local-times.ts';
import { markdown, plainText } from './markdown.ts';

type Recap = RecordOf<typeof listRecaps>;
type Attendee = Recap['attendees'][number];

export const recapPages: readonly Page[] = [
  definePage({
    path: '/recaps',
    section: '/recaps',
    async show(call) {
      const { ask, read, url } = call;
      const local = localQuery(call, rangeEnds);
      const { query } = local;
      const { collection, pagination } = await ask(listRecaps, { query });
      const { hosts } = await read(readBookingFilters);
      return {
        title: 'Recaps',
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
            ],
            local,
          )}
          ${table({
            caption: 'Recaps, newest first',
            rows: collection,
            keyOf: ({ uri }) => uri,
            linkOf: ({ uri }) => `/recaps/${idOf(uri)}`,
            empty: emptyList(query, pagination.next_page_token !== null),
            columns,
          })}
          ${pager(pagination, url)}`,
      };
    },
  }),
  definePage({ path: '/recaps/:uuid', section: '/recaps', show: showRecap }),
];

function emptyList(query: PageCall['query'], hasNext: boolean): Markup | string {
  if (hasNext) return 'None of the newest recaps matches. The search continues on the next page.';
  if (Object.keys(query).length > 0) return 'No recap matches these filters.';
  return html`There are no recaps yet. They arrive with <code>meeting_recap.created</code>; ${command('backfill')} copies those that the service has.`;
}

const nameOf = ({ name, email }: Attendee): Markup => html`<bdi>${name || email || 'without a name'}</bdi>`;
const titleOf = ({ event_name: name }: Pick<Recap, 'event_name'>): string => name || 'A meeting without a name';

/** One element, because a narrow screen arranges the parts of a cell side by side. */
const namesOf = (people: readonly Attendee[]): Markup | string =>
  people.length === 0 ? '' : html`<span>${joined(people.map(nameOf), ', ')}</span>`;

const columns: readonly Column<Recap>[] = [
  { name: 'Meeting', cell: (recap) => html`<a href="/recaps/${idOf(recap.uri)}"><bdi>${titleOf(recap)}</bdi></a>` },
  { name: 'Written', cell: ({ created_at: written }) => time(written) },
  {
    name: 'Meeting started',
    cell: ({ event_start_time: start }) => optionalTime(start),
    isMinor: true,
  },
  { name: 'Host', cell: ({ attendees }) => namesOf(attendees.filter((each) => each.is_host)), isMinor: true },
  { name: 'Participants', cell: ({ attendees }) => namesOf(attendees.filter((each) => !each.is_host)), isMinor: true },
  {
    name: 'Summary',
    cell: ({ excerpt }) => (excerpt ? html`<span class="excerpt"><bdi>${plainText(excerpt)}</bdi></span>` : ''),
  },
];

async function showRecap({ ask, params }: PageCall) {
  const { resource } = await ask(getRecap, { params });
  const { event_uri: event, attendees } = resource;
  const title = titleOf(resource);
  const part = (heading: string, text: string | null): Markup =>
    text ? html`<h2>${heading}</h2>${markdown(text, heading)}` : nothing;
  const isEmpty = !resource.summary_md && !resource.action_items_md && !resource.discussion_md;
  return {
    title,
    content: html`${breadcrumb('/recaps', 'Recaps', title)}
      <h1><bdi>${title}</bdi></h1>
      ${facts({
        Started: resource.event_start_time && time(resource.event_start_time),
        Ended: resource.event_end_time && time(resource.event_end_time),
        Host: peopleFact(attendees.filter((each) => each.is_host)),
        Participants: peopleFact(attendees.filter((each) => !each.is_host)),
        Written: resource.created_at && time(resource.created_at),
        Changed: resource.updated_at && time(resource.updated_at),
        Booked: event === null ? 'not through the scheduling service' : null,
        Shared: resource.share_link ? externalLink(resource.share_link) : null,
        Transcript: resource.transcript ? html`at the service, not mirrored: <bdi>${resource.transcript}</bdi>` : null,
      })}
      ${isEmpty ? html`<p class="empty">The recap has no text, or it was erased.</p>` : ''}
      ${part('Summary', resource.summary_md)} ${part('Action items', resource.action_items_md)}
      ${part('Discussion', resource.discussion_md)}
      <p class="row spaced">${uriActions(resource.uri)}</p>`,
  };
}

/** Each leads to the contact with this address. */
const peopleFact = (people: readonly Attendee[]): Markup | null =>
  people.length === 0
    ? null
    : joined(
        people.map((person) =>
          person.email
            ? html`<a href="${address('/contacts', { email: person.email })}">${nameOf(person)}</a>`
            : nameOf(person),
        ),
        ', ',
      );
