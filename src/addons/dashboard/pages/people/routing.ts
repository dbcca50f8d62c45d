// Routing: the funnel of the forms in a range of time, the submissions, and one submission with its answers.
import { html } from 'hono/html';
import { getRoutingFunnel, getSubmission, listSubmissions, type RoutingFunnel } from '#src/api/people/routing.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { localClock } from '#src/base/time-zone.ts';
import { dayMs, dayOf } from '#src/base/time.ts';
import { choices, filters, withQuery } from '#src/addons/dashboard/components/form.ts';
import { answerList, facts, pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import {
  badge,
  breadcrumb,
  command,
  externalLink,
  foreign,
  idOf,
  time,
  uriActions,
  type Markup,
  type State,
} from '#src/addons/dashboard/components/markup.ts';
import { localQuery, rangeEnds } from '#src/addons/dashboard/components/local-times.ts';
import { definePage, type Page, type PageCall, type RecordOf } from '#src/addons/dashboard/page.ts';
import { formTable, funnelCharts } from './routing-funnel.ts';

type Submission = RecordOf<typeof listSubmissions>;

/** The first of so many calendar days in the time zone of reports. */
const firstOf = (days: number, { nowMs, timezone }: PageCall): string =>
  dayOf((localClock(timezone)?.(nowMs) ?? new Date(nowMs)).getTime() - (days - 1) * dayMs);

/** Filters of the list alone. */
function funnelIn({ ask, query }: Pick<PageCall, 'ask' | 'query'>) {
  const { booked: _booked, result_type: _type, page_token: _token, count: _count, ...search } = query;
  return ask(getRoutingFunnel, { query: search });
}

/** A page token has the filters of its list, also those that are not in the address. */
const submissionsIn = ({ ask, query }: Pick<PageCall, 'ask' | 'query'>, { from }: RoutingFunnel) =>
  ask(listSubmissions, { query: 'page_token' in query ? query : { from, ...query } });

export const routingPages: readonly Page[] = [
  definePage({
    path: '/routing',
    section: '/routing',
    async show(call) {
      const { url, nowMs } = call;
      const local = localQuery(call, rangeEnds);
      const { query } = local;
      const asked = { ...call, query };
      const funnel = await funnelIn(asked);
      const { collection, pagination } = await submissionsIn(asked, funnel);
      return {
        title: 'Routing',
        content: html`<h1>Routing</h1>
          <p class="lead">${leadOf(funnel)}</p>
          ${choices(
            'Range of time',
            [7, 30, 90, 365].map((days) => {
              const from = firstOf(days, call);
              const text = days === 365 ? 'A year' : `${days} days`;
              const isCurrent = (call.query['from'] ?? firstOf(30, call)) === from && query['to'] === undefined;
              return { text, href: withQuery(url, { from, to: undefined }), isCurrent };
            }),
          )}
          ${filters(url, query, fieldsFor(funnel), local)}
          ${funnel.total.submissions === 0 ? '' : html`${funnelCharts(funnel, url)} ${formTable(funnel, url)}`}
          <h2 id="submissions">${isUnbookedList(query) ? 'People who did not book' : 'Submissions'}</h2>
          ${table({
            caption: 'Submissions of routing forms, newest first',
            rows: collection,
            keyOf: ({ uri }) => uri,
            linkOf: ({ uri }) => `/routing/${idOf(uri)}`,
            empty: emptyList(query, pagination.next_page_token !== null),
            columns: isUnbookedList(query) ? unbookedColumns(nowMs) : columns,
          })}
          ${pager(pagination, url)}`,
      };
    },
  }),
  definePage({ path: '/routing/:uuid', section: '/routing', show: showSubmission }),
];

/** The submissions that led to a booking page and have no booking. */
const isUnbookedList = ({ booked, result_type: type }: PageCall['query']): boolean =>
  booked === 'false' && type === 'event_type';

function leadOf({ total }: RoutingFunnel): string {
  if (total.submissions === 0) return 'No routing form was submitted in this range of time.';
  const booked = `${counted(total.submissions, 'submission')}, ${number(total.booked)} booked, ${counted(total.ended, 'meeting')} ended.`;
  return total.unbooked > 0 ? `${booked} ${number(total.unbooked)} led to a booking page and did not book.` : booked;
}

function emptyList(query: PageCall['query'], hasNext: boolean): Markup | string {
  if (hasNext) return 'None of the newest submissions matches. The search continues on the next page.';
  const isFiltered = Object.keys(query).some((name) => name !== 'from' && name !== 'to');
  if (isFiltered) return 'No submission matches these filters.';
  return html`No submission in this range of time. They arrive with <code>routing_form_submission.created</code>; ${command('backfill')} copies earlier ones.`;
}

const fieldsFor = ({ forms }: RoutingFunnel) => [
  {
    name: 'routing_form',
    label: 'Form',
    options: Object.fromEntries(
      forms.flatMap(({ routing_form: uri, routing_form_name: name }) =>
        uri === null ? [] : [[uri, name ?? idOf(uri)]],
      ),
    ),
  },
  { name: 'booked', label: 'Booking', options: { true: 'booked', false: 'not booked' } },
  { name: 'result_type', label: 'Led to', options: resultTexts },
  { name: 'from', label: 'From', type: 'date' as const },
  { name: 'to', label: 'To', type: 'date' as const },
  ...['source', 'medium', 'campaign', 'content', 'term'].map((tag) => ({ name: `utm_${tag}`, label: `UTM ${tag}` })),
];

const resultTexts: Readonly<Record<string, string>> = {
  event_type: 'a booking page',
  external_url: 'another site',
  custom_message: 'a message',
};

const outcomeTexts: Readonly<Record<string, readonly [text: string, state?: State]>> = {
  came: ['came', 'ok'],
  unknown: ['unknown'],
  no_show: ['no-show', 'problem'],
  upcoming: ['upcoming'],
  canceled: ['canceled'],
  booked: ['booked'],
};

/** A submission that led to a booking page and has no booking needs attention. */
function outcomeView({ outcome, result_type: type, unbooked }: Submission): Markup {
  if (unbooked?.booked_otherwise)
    return html`<a href="/bookings/${idOf(unbooked.booked_otherwise)}">booked in another way</a>`;
  if (outcome === null) return badge('no booking', type === 'event_type' ? 'attention' : 'quiet');
  const [text, state] = outcomeTexts[outcome] ?? [outcome];
  return badge(text, state);
}

/** Who submitted it, by the answers; without a name in them, who booked, or else the first answer. */
function personView({ booking, unbooked, questions_and_answers: answers }: Submission): Markup {
  const isName = (question: string | null): boolean => /^(?:your )?(?:full )?name$/i.test(question ?? '');
  const texts = answers.flatMap(({ answer }) => answer ?? []);
  const email = unbooked?.email ?? texts.find((text) => /^\S+@\S+$/.test(text));
  const name = answers.find(({ question }) => isName(question))?.answer ?? unbooked?.name ?? booking?.name;
  return html`<span class="who">${foreign(name ?? email ?? texts[0])}${name && email ? html`<small><bdi>${email}</bdi></small>` : ''}</span>`;
}

const resultView = ({ event_type_name: name, result_type: type }: Submission): Markup =>
  name === null ? html`${resultTexts[type ?? ''] ?? ''}` : html`<bdi>${name}</bdi>`;

const campaignOf = (tracking: Submission['tracking']): Markup | string => {
  const text = tracking['utm_campaign'] ?? tracking['utm_source'];
  return text ? foreign(text) : '';
};

const columns: readonly Column<Submission>[] = [
  { name: 'Submitted', cell: ({ uri, created_at: at }) => html`<a href="/routing/${idOf(uri)}">${time(at)}</a>` },
  { name: 'Who', cell: personView },
  { name: 'Form', cell: ({ routing_form_name: name }) => foreign(name), isMinor: true },
  { name: 'Led to', cell: resultView, isMinor: true },
  {
    name: 'Campaign',
    cell: ({ tracking }) => campaignOf(tracking),
    isMinor: true,
  },
  { name: 'Booking', cell: outcomeView },
];

/** What a person needs before they call: who, how long ago, and what was asked for. */
const unbookedColumns = (nowMs: number): readonly Column<Submission>[] => [
  {
    name: 'Submitted',
    cell: ({ uri, created_at: at }) =>
      html`<a href="/routing/${idOf(uri)}">${at === null ? 'at an unknown time' : `${duration(Math.max(0, nowMs - Date.parse(at)))} ago`}</a>`,
  },
  { name: 'Who', cell: personView },
  {
    name: 'Answers',
    cell: ({ unbooked, questions_and_answers: answers }) =>
      foreign(
        answers
          .flatMap(({ answer }) => (answer && answer !== unbooked?.name && answer !== unbooked?.email ? [answer] : []))
          .join(' · ')
          .slice(0, 200),
      ),
  },
  ...columns.slice(2),
];

async function showSubmission({ ask, params }: PageCall) {
  const { resource } = await ask(getSubmission, { params });
  const { booking, tracking, questions_and_answers: answers } = resource;
  const title = resource.routing_form_name ?? 'Submission of a routing form';
  return {
    title,
    content: html`${breadcrumb('/routing', 'Routing', title)}
      <h1><bdi>${title}</bdi></h1>
      <p class="lead">Submitted ${time(resource.created_at)} ${outcomeView(resource)}</p>
      ${
        resource.outcome === null && resource.result_type === 'event_type'
          ? html`<p class="notice attention">This submission led to a booking page, and no booking ${resource.unbooked?.booked_otherwise ? 'refers to it. The same address booked later, in another way.' : 'followed.'}</p>`
          : ''
      }
      ${facts({
        'Led to': resultDetail(resource),
        Booking:
          booking &&
          html`<a href="/bookings/${idOf(booking.invitee)}">${foreign(booking.event_name)}</a> ${booking.start_time ? time(booking.start_time) : ''}`,
        Invitee: booking?.name ? foreign(booking.name) : null,
        ...Object.fromEntries(
          Object.entries(tracking).map(([name, value]) => [
            name.replace('utm_', 'UTM '),
            value ? foreign(value) : null,
          ]),
        ),
      })}
      <h2>Answers</h2>
      ${
        answers.length === 0
          ? html`<p class="empty">The submission has no answers, or they were erased.</p>`
          : answerList(answers)
      }
      <p class="row spaced">${uriActions(resource.uri)}</p>`,
  };
}

function resultDetail({ result, result_type: type, event_type_name: name }: Submission): Markup | null {
  if (type === 'event_type')
    return html`a booking page: ${foreign(name ?? (typeof result === 'string' ? result : null))}`;
  if (type === 'external_url') return html`another site: ${externalLink(typeof result === 'string' ? result : null)}`;
  if (type !== 'custom_message') return null;
  const texts = typeof result === 'object' && result !== null ? Object.values(result) : [result];
  return html`a message: ${foreign(texts.filter((text) => typeof text === 'string').join(' – '))}`;
}
