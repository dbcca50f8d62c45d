// No-shows as a worklist: whom to write to, about which meeting, and with which link.
import { html } from 'hono/html';
import { askedList, columnIn, refusedList, type Filter } from '#src/addons/dashboard/components/asked-list.ts';
import { filters, type Field } from '#src/addons/dashboard/components/form.ts';
import { localQuery, type LocalQuery } from '#src/addons/dashboard/components/local-times.ts';
import {
  badge,
  externalLink,
  foreign,
  joined,
  nothing,
  time,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { rowList, rowPager, type RowColumn } from '#src/addons/dashboard/components/rows.ts';
import { readEndedCounts } from '#src/read/booking-numbers.ts';
import { findNoShows, type NoShow } from '#src/read/bookings/no-shows.ts';
import type { Relation } from '#src/read/tables/relation.ts';
import { askText, countsText, rateText } from '#src/addons/dashboard/pages/numbers/headline.ts';
import { definePage, newestEntry, type PageCall, type View } from '#src/addons/dashboard/page.ts';
import { answerColumn, answeredNotice, canAnswer, withoutAnswer } from './answer-buttons.ts';
import { meetingFilters, startEnds, timesText } from './outcome.ts';

const noShowList = {
  table: 'no_shows',
  order: [{ name: 'marked_at', isDescending: true }],
  ends: startEnds,
  filters: {
    q: 'text',
    state: { oneOf: ['open', 'undone'] },
    host: 'uri',
    event_type: 'uri',
    min_start_time: 'time',
    max_start_time: 'time',
  } satisfies Readonly<Record<string, Filter>>,
} as const;

export const noShowsPage = definePage({ path: '/no-shows', section: '/no-shows', show: showNoShows });

async function showNoShows(call: PageCall): Promise<View> {
  const url = withoutAnswer(call.url);
  const { answered: _answered, of: _of, ...given } = call.query;
  const local = localQuery({ ...call, query: given }, startEnds);
  const fields: readonly Field[] = [
    { name: 'q', label: 'Name or e-mail address', type: 'search', placeholder: 'a part of it' },
    { name: 'state', label: 'Marks', none: 'open', options: { undone: 'removed' } },
    ...(await meetingFilters(call)),
    {
      name: 'order',
      label: 'Sorted by',
      none: 'marked, newest first',
      options: { 'marked_at.asc': 'marked, oldest first', 'unmarked_at.desc': 'removed, newest first' },
    },
  ];
  try {
    return await noShowsView({ ...call, url }, fields, local);
  } catch (error) {
    const refused = refusedList(error, { title: 'No-shows', url, fields, local });
    if (refused === undefined) throw error;
    return refused;
  }
}

async function noShowsView(call: PageCall, fields: readonly Field[], local: LocalQuery): Promise<View> {
  const { url } = call;
  const liveAfter = await newestEntry(call);
  const { asked, rows, pagination } = await call.read(async (mirror) => {
    const list = await askedList(mirror, { ...call, url }, noShowList);
    const { state, host: user, ...search } = list.values;
    const found = await findNoShows(mirror.reading, { ...search, user, isUndone: state === 'undone' }, list);
    return { asked: list, ...list.listed(found) };
  });
  const isUndone = asked.values['state'] === 'undone';
  const answerableOf = ({ invitee_uri: invitee }: NoShow) => ({ invitee, answer: 'no_show' as const });
  const answering = (await canAnswer(call)) ? [answerColumn(url, answerableOf)] : [];
  const columns = columnsOf(asked.relation);
  return {
    title: 'No-shows',
    liveAfter,
    content: html`<h1>No-shows</h1>
      <p class="lead">
        ${
          isUndone
            ? 'Marks that were removed at the service.'
            : html`Marked no-shows, with the link to offer another time. Also:
                <a href="/bookings?attendance=suspected_no_show">suspected no-shows</a> ·
                <a href="/bookings?unconfirmed=true">meetings without evidence</a>.`
        }
      </p>
      ${isUndone ? nothing : await headline(call)}
      ${answeredNotice(call.query, url)} ${filters(url, local.query, fields, local)}
      ${rowList<NoShow>({
        table: asked.relation,
        rows,
        order: asked.order,
        url,
        caption: isUndone ? 'Removed no-show marks' : 'No-shows',
        keyOf: ({ no_show_uri: uri }) => uri,
        linkOf: ({ uuid }) => `/bookings/${encodeURIComponent(uuid)}`,
        empty: Object.keys(asked.values).length > 0 ? 'No mark matches these filters.' : 'No open no-shows.',
        columns: isUndone ? [...columns.slice(0, -2), removed(asked.relation)] : [...columns, ...answering],
      })}
      ${rowPager(pagination, url)}`,
  };
}

const headlineDays = 30;

/** Of all hosts and event types, whatever is filtered below. */
async function headline({ read }: PageCall): Promise<Markup> {
  const counts = await read(({ store, clock }) => readEndedCounts(store, { days: headlineDays }, clock()));
  if (counts.ended === 0) return nothing;
  return html`<p>Last ${headlineDays} days: ${countsText(counts)}. ${rateText(counts)} ${askText(counts, '/bookings?unconfirmed=true')}</p>`;
}

const small = (text: Markup | string): Markup => html`<small>${text}</small>`;

/** What another table has. */
const unsorted = (label: string) => ({ name: label, label, kind: 'text', isUnsorted: true }) as const;

const columnsOf = (relation: Relation): readonly RowColumn<NoShow>[] => [
  {
    ...unsorted('Who'),
    cell: ({ uuid, name, email, company, missed_before: before }) =>
      html`<span class="who"><a href="/bookings/${encodeURIComponent(uuid)}"><bdi>${name ?? email ?? 'an erased person'}</bdi></a>${email === null ? '' : small(html`<bdi>${email}</bdi>`)}${company ? small(html`<bdi>${company}</bdi>`) : ''}${before === 0 ? '' : html`<span>${badge(`missed ${timesText(before)} before`, 'attention')}</span>`}</span>`,
  },
  {
    ...unsorted('Event'),
    cell: ({ event_name: event, hosts }) =>
      html`<span class="who">${foreign(event)}${hosts.length === 0 ? '' : small(html`with <bdi>${hosts.join(', ')}</bdi>`)}</span>`,
  },
  {
    ...unsorted('When'),
    cell: ({ host_time: theirs, invitee_time: own }) =>
      html`<span class="when">${theirs ?? 'unknown'}${own === null || own === theirs ? '' : small(html`for the invitee: ${own}`)}</span>`,
  },
  {
    ...columnIn(relation, 'marked_at'),
    label: 'Marked',
    cell: ({ marked_at: at }) => html`${time(at)} <small class="needs-script">your time</small>`,
    isMinor: true,
  },
  {
    ...unsorted('Alerts'),
    cell: ({ alerts }) =>
      alerts.length === 0
        ? html`<span class="none">none</span>`
        : joined(
            alerts.map(
              ({ channel, state }) => html`${channel} ${badge(state, state === 'failed' ? 'problem' : 'quiet')}`,
            ),
            ', ',
          ),
  },
  {
    ...unsorted('New time'),
    cell: ({ reschedule_url: url }) => (url === null ? '' : externalLink(url, 'Reschedule')),
  },
];

const removed = (relation: Relation): RowColumn<NoShow> => ({
  ...columnIn(relation, 'unmarked_at'),
  label: 'Removed',
});
