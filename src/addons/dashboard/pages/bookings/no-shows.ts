// No-shows as a worklist: whom to write to, about which meeting, and with which link.
import { html } from 'hono/html';
import { listNoShows } from '#src/api/bookings/no-shows.ts';
import { filters } from '#src/addons/dashboard/components/form.ts';
import { localQuery } from '#src/addons/dashboard/components/local-times.ts';
import { pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import {
  badge,
  externalLink,
  foreign,
  joined,
  nothing,
  time,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { readEndedCounts } from '#src/read/booking-numbers.ts';
import { askText, countsText, rateText } from '#src/addons/dashboard/pages/numbers/headline.ts';
import { newestEntry, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { answerColumn, answeredNotice, canAnswer } from './answer-buttons.ts';
import { meetingFilters, startEnds, timesText } from './outcome.ts';

type NoShow = RecordOf<typeof listNoShows>;

export async function showNoShows(call: PageCall) {
  const { url } = call;
  const { answered: _answered, of: _of, ...filter } = call.query;
  const local = localQuery({ ...call, query: filter }, startEnds);
  const { query } = local;
  const liveAfter = await newestEntry(call);
  const { collection, pagination } = await call.ask(listNoShows, { query });
  const isUndone = query['state'] === 'undone';
  const answerableOf = ({ invitee_uri: invitee }: NoShow) => ({ invitee, answer: 'no_show' as const });
  const answering = (await canAnswer(call)) ? [answerColumn(url, answerableOf)] : [];
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
      ${answeredNotice(call.query, url)}
      ${filters(
        url,
        query,
        [
          { name: 'q', label: 'Name or e-mail address', type: 'search', placeholder: 'a part of it' },
          { name: 'state', label: 'Marks', none: 'open', options: { undone: 'removed' } },
          ...(await meetingFilters(call)),
        ],
        local,
      )}
      ${table({
        caption: isUndone ? 'Removed no-show marks, newest first' : 'No-shows, newest first',
        rows: collection,
        keyOf: ({ no_show_uri: uri }) => uri,
        linkOf: ({ uuid }) => `/bookings/${encodeURIComponent(uuid)}`,
        empty: Object.keys(query).length > 0 ? 'No mark matches these filters.' : 'No open no-shows.',
        columns: isUndone ? [...columns.slice(0, -2), removed] : [...columns, ...answering],
      })}
      ${pager(pagination, url)}`,
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

const columns: readonly Column<NoShow>[] = [
  {
    name: 'Who',
    cell: ({ uuid, name, email, company, missed_before: before }) =>
      html`<span class="who"><a href="/bookings/${encodeURIComponent(uuid)}"><bdi>${name ?? email ?? 'an erased person'}</bdi></a>${email === null ? '' : small(html`<bdi>${email}</bdi>`)}${company ? small(html`<bdi>${company}</bdi>`) : ''}${before === 0 ? '' : html`<span>${badge(`missed ${timesText(before)} before`, 'attention')}</span>`}</span>`,
  },
  {
    name: 'Event',
    cell: ({ event_name: event, event_type_name: type, hosts }) =>
      html`<span class="who">${foreign(type ?? event)}${hosts.length === 0 ? '' : small(html`with <bdi>${hosts.join(', ')}</bdi>`)}</span>`,
  },
  {
    name: 'When',
    cell: ({ host_time: theirs, invitee_time: own }) =>
      html`<span class="when">${theirs ?? 'unknown'}${own === null || own === theirs ? '' : small(html`for the invitee: ${own}`)}</span>`,
  },
  {
    name: 'Marked',
    cell: ({ marked_at: at }) => html`${time(at)} <small class="needs-script">your time</small>`,
    isMinor: true,
  },
  {
    name: 'Alerts',
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
    name: 'New time',
    cell: ({ reschedule_url: url }) => (url === null ? '' : externalLink(url, 'Reschedule')),
  },
];

const removed: Column<NoShow> = { name: 'Removed', cell: ({ unmarked_at: at }) => time(at) };
