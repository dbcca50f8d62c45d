// Deliveries: the log, searched; and why some of them are not in the tables.
import { html } from 'hono/html';
import { listDeliveries, readQuarantineReasons } from '#src/api/deliveries/deliveries.ts';
import { number } from '#src/base/number-text.ts';
import { filters } from '#src/addons/dashboard/components/form.ts';
import { pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import { address, command, foreign, outcomeBadge, time, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { localQuery } from '#src/addons/dashboard/components/local-times.ts';
import { fieldsFor, filterIn, receivedEnds, sourceIn } from './filter.ts';

type Delivery = RecordOf<typeof listDeliveries>;

const unprojected = ['unprojected', 'quarantined', 'unhandled'];

export const deliveriesPage = definePage({
  path: '/deliveries',
  section: '/deliveries',
  async show(call) {
    const { ask, read, url, isReadOnly } = call;
    const local = localQuery(call, receivedEnds);
    const { query } = local;
    const {
      collection,
      pagination,
      stopped_at: stopped,
      last_seq: end,
    } = await ask(listDeliveries, {
      query: { ...sourceIn(query), include: 'sentence' },
    });
    const filter = filterIn(query);
    const isFiltered = Object.keys(filter).length > 0;
    const replayed = sourceIn(filter);
    const showsAll = replayed['source'] === undefined;
    const isFirst = query['page_token'] === undefined;
    const isWaiting = unprojected.includes(filter['outcome'] ?? '');
    return {
      title: 'Deliveries',
      // A text is searched for in parts: not every entry that arrives is worth another search.
      ...(isFirst && filter['q'] === undefined && { liveAfter: end }),
      content: html`<h1>Deliveries</h1>
        <p class="lead">
          ${showsAll ? 'What you received, and what Slotstream read from the API, newest first.' : html`The webhooks that you received, newest first. <a href="/deliveries?source=any">Show what was read from the API, too</a>`}
        </p>
        ${filters(url, query, fieldsFor(query), local)}
        ${isFirst && isWaiting ? await reasonsView(read, filter['outcome']) : ''}
        ${Object.keys(replayed).length > 0 && isFiltered && !isReadOnly && collection.length > 0 ? html`<p class="row spaced"><a class="button" href="${address('/deliveries/replay', replayed)}">Replay ${isWaiting ? 'or dismiss ' : ''}everything that matches …</a></p>` : ''}
        ${table({
          caption: 'Deliveries, newest first',
          rows: collection,
          keyOf: ({ seq }) => String(seq),
          linkOf: ({ seq }) => `/deliveries/${seq}`,
          empty: emptyText({ isFiltered, isStopped: stopped !== null, isLogEmpty: end === 0 }),
          columns,
        })}
        ${stopped === null ? pager(pagination, url) : stoppedView({ url, query }, { stopped, end, token: pagination.next_page_token, isEmpty: collection.length === 0 })}`,
    };
  },
});

/** The subject is in the tooltip: its URI says little to a person. */
const whatHappened = ({ sentence, subject_uri: uri }: Delivery): Markup =>
  html`<bdi title="${uri ?? ''}">${sentence}</bdi>`;

const outcomeCell = ({ outcome, reason, dismissed_at: dismissed }: Delivery): Markup =>
  html`<div>${outcomeBadge(outcome)}${dismissed === null ? '' : html` <span class="soft">dismissed</span>`}${reason === null ? '' : html`<span class="reason soft"><bdi>${reason}</bdi></span>`}</div>`;

export const columns: readonly Column<Delivery>[] = [
  { name: 'Entry', cell: ({ seq }) => html`<a href="/deliveries/${seq}">#${seq}</a>` },
  { name: 'Received', cell: ({ received_at }) => time(received_at) },
  {
    name: 'Event',
    cell: ({ event }) => (event === null ? html`<span class="none">not readable</span>` : foreign(event)),
  },
  { name: 'What happened', cell: whatHappened },
  { name: 'Outcome', cell: outcomeCell },
  { name: 'Source', cell: ({ source }) => source, isMinor: true },
];

function emptyText({
  isFiltered,
  isStopped,
  isLogEmpty,
}: Readonly<Record<'isFiltered' | 'isStopped' | 'isLogEmpty', boolean>>): Markup {
  if (isStopped) return html`Nothing yet.`;
  if (isFiltered) return html`No delivery matches. <a href="/deliveries">Remove all filters</a>`;
  if (!isLogEmpty)
    return html`No webhook has arrived yet. <a href="/deliveries?source=any">Show what was read from the service</a>`;
  return html`No webhook has arrived yet. ${command('bootstrap')} registers for webhooks, and ${command('trigger invitee.created')} sends one for a try.`;
}

interface Stop {
  readonly stopped: { readonly seq: number; readonly received_at: string | null };
  /** The last entry of the log. */
  readonly end: number;
  readonly token: string | null;
  readonly isEmpty: boolean;
}

/** The log is long: the script goes on while nothing is found, and otherwise the search goes on where the visitor wants it to. */
function stoppedView({ url, query }: Pick<PageCall, 'url' | 'query'>, stop: Stop): Markup {
  const { stopped, end, token, isEmpty } = stop;
  const next = address(url.pathname, { ...query, page_token: token ?? undefined });
  const since = stopped.received_at === null ? `#${stopped.seq}` : time(stopped.received_at);
  return html`<p class="notice" role="status">
    ${isEmpty ? 'Nothing found since' : 'Searched back to'} ${since}: ${number(end - stopped.seq + 1)} of ${number(end)} deliveries were searched.
    ${token === null ? '' : html`<a rel="next" ${isEmpty ? html`data-search` : ''} href="${next}">Search older deliveries</a>`} A range of time makes it faster.
  </p>`;
}

/** More of an outcome than this are not counted: the page has to be fast. */
const mostCounted = 1_000;

async function reasonsView(read: PageCall['read'], outcome: string | undefined): Promise<Markup> {
  const all = await read((mirror) => readQuarantineReasons(mirror, mostCounted));
  const collection = all.filter((each) => outcome === 'unprojected' || each.outcome === outcome);
  if (collection.length === 0) return html`<p class="notice">None waits for a replay.</p>`;
  const counts = Map.groupBy(collection, (each) => each.outcome).values();
  const isPart = [...counts].some((each) => each.reduce((sum, { count }) => sum + count, 0) >= mostCounted);
  return html`<h2>Why they are not in the tables</h2>
    ${table({
      caption: 'Reasons with their numbers',
      rows: collection,
      empty: '',
      columns: [
        {
          name: 'Reason',
          cell: ({ outcome: found, reason }) =>
            html`<a href="${address('/deliveries', { outcome: found, reason: reason ?? undefined })}"><bdi>${reason ?? 'no reason recorded'}</bdi></a>`,
        },
        { name: 'Outcome', cell: (each) => outcomeBadge(each.outcome) },
        { name: 'Newest', cell: ({ newest_seq: seq }) => html`<a href="/deliveries/${seq}">#${seq}</a>` },
        { name: 'Deliveries', cell: ({ count }) => number(count), isNumber: true },
      ],
    })}
    ${isPart ? html`<p class="soft">Of each outcome, the newest ${number(mostCounted)} are counted.</p>` : ''}
    <h2>The deliveries</h2>`;
}
