// Routing: the funnel of the forms in a range of time, and the submissions. One submission is a row of its table.
import { html } from 'hono/html';
import { z } from 'zod';
import { isObject, textOf } from '#schemas/wire.ts';
import { rowNamed } from '#src/api/row-record.ts';
import type { Parameters } from '#src/api/tables/grammar.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { localClock } from '#src/base/time-zone.ts';
import { dayMs, dayOf } from '#src/base/time.ts';
import { parseInput, plainText, timeRange } from '#src/http/request.ts';
import { readRoutingFunnel, type RoutingFunnel } from '#src/read/people/routing.ts';
import { submissionDetails, type SubmissionDetails } from '#src/read/people/submissions.ts';
import { choices, filters, withQuery } from '#src/addons/dashboard/components/form.ts';
import {
  findListed,
  listedView,
  rowsOf,
  statusOf,
  type FixedColumn,
  type FixedList,
} from '#src/addons/dashboard/components/listed.ts';
import {
  badge,
  command,
  foreign,
  idOf,
  time,
  who,
  type Markup,
  type State,
} from '#src/addons/dashboard/components/markup.ts';
import { localQuery, rangeEnds } from '#src/addons/dashboard/components/local-times.ts';
import { pathOf } from '#src/addons/dashboard/components/question.ts';
import type { Row } from '#src/addons/dashboard/components/rows.ts';
import { definePage, type Page, type PageCall, type Redirect, type View } from '#src/addons/dashboard/page.ts';
import { formTable, funnelCharts } from './routing-funnel.ts';

export const routingPages: readonly Page[] = [
  definePage({ path: '/routing', section: '/routing', show: showRouting }),
  definePage({
    path: '/routing/:uuid',
    section: '/routing',
    async show({ read, params }): Promise<Redirect> {
      const { uri } = await read(({ reading }) =>
        rowNamed(reading, 'routing_form_submissions', params['uuid'] ?? '', 'submission'),
      );
      return { to: pathOf('routing_form_submissions', uri) };
    },
  }),
];

const utmColumns = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_content', 'utm_term'] as const;
const text = plainText.optional();

/** What is counted; the others are filters of the list alone. */
const search = z.object({
  routing_form: text,
  ...timeRange('submissions'),
  utm_source: text,
  utm_medium: text,
  utm_campaign: text,
  utm_content: text,
  utm_term: text,
});

/** The first of so many calendar days in the time zone of reports. */
const firstOf = (days: number, { nowMs, timezone }: PageCall): string =>
  dayOf((localClock(timezone)?.(nowMs) ?? new Date(nowMs)).getTime() - (days - 1) * dayMs);

async function showRouting(call: PageCall): Promise<View | Redirect> {
  const { read, url, nowMs } = call;
  const local = localQuery(call, rangeEnds);
  const { query } = local;
  const isUnbooked = isUnbookedList(query);
  const order = query['order']?.replace(/\.(?:asc|desc)$/, '');
  // The two lists have different columns.
  if (order !== undefined && !(isUnbooked ? unbookedColumnNames : submissionColumnNames).includes(order))
    return { to: withQuery(url, { order: undefined }) };
  const funnel = await read(({ reading }) => readRoutingFunnel(reading, parseInput(search, query), nowMs));
  const conditions = conditionsOf(query, funnel);
  const listed = await findListed(call, isUnbooked ? unbookedList(conditions) : submissionList(conditions));
  const uris = isUnbooked ? [] : rowsOf(listed).map(uriOf);
  const details = await read(({ reading }) => submissionDetails(reading, uris));
  return {
    title: 'Routing',
    ...statusOf(listed),
    content: html`<h1>Routing</h1>
      <p class="lead">${leadOf(funnel)}</p>
      ${choices(
        'Range of time',
        [7, 30, 90, 365].map((days) => {
          const from = firstOf(days, call);
          const label = days === 365 ? 'A year' : `${days} days`;
          const isCurrent = (call.query['from'] ?? firstOf(30, call)) === from && query['to'] === undefined;
          return { text: label, href: withQuery(url, { from, to: undefined }), isCurrent };
        }),
      )}
      ${filters(url, query, fieldsFor(funnel), local)}
      ${funnel.total.submissions === 0 ? '' : html`${funnelCharts(funnel, url)} ${formTable(funnel, url)}`}
      <h2 id="submissions">${isUnbooked ? 'People who did not book' : 'Submissions'}</h2>
      ${listedView(listed, {
        url,
        caption: 'Submissions of routing forms',
        empty: emptyList(query),
        columns: isUnbooked ? unbookedColumns(nowMs) : submissionColumns(details),
        linkOf: (row) => pathOf('routing_form_submissions', uriOf(row)),
      })}`,
  };
}

const uriOf = ({ submission_uri: uri }: Row): string => String(uri);

/** In the grammar of the door. */
function conditionsOf(query: PageCall['query'], { from }: RoutingFunnel): Parameters {
  const { to, booked, ...rest } = query;
  const texts = ['routing_form', 'result_type', ...utmColumns].flatMap((name): Parameters => {
    const value = rest[name];
    return value === undefined ? [] : [[name, `eq.${value}`]];
  });
  return [
    ['created_at', `gte.${from}`],
    ...(to === undefined ? [] : [['created_at', `lt.${to}`] as const]),
    ...(booked === undefined ? [] : [['is_booked', `eq.${booked}`] as const]),
    ...texts,
  ];
}

const submissionColumnNames = ['submission_uri', 'created_at', 'result_type', 'utm_source', 'utm_campaign', 'outcome'];

const submissionList = (conditions: Parameters): FixedList => ({
  name: 'routing_form_results',
  select: submissionColumnNames,
  conditions,
  order: 'created_at.desc',
});

const unbookedColumnNames = [
  'submission_uri',
  'created_at',
  'name',
  'email',
  'answers',
  'routing_form_name',
  'event_type_name',
  'utm_source',
  'utm_campaign',
  'booked_otherwise',
];

/** That it led to a booking page and has no booking is what the view is about. */
const unbookedList = (conditions: Parameters): FixedList => ({
  name: 'unbooked_submissions',
  select: unbookedColumnNames,
  conditions: conditions.filter(([name]) => name !== 'is_booked' && name !== 'result_type'),
  order: 'created_at.desc',
});

/** The submissions that led to a booking page and have no booking. */
const isUnbookedList = ({ booked, result_type: type }: PageCall['query']): boolean =>
  booked === 'false' && type === 'event_type';

function leadOf({ total }: RoutingFunnel): string {
  if (total.submissions === 0) return 'No routing form was submitted in this range of time.';
  const booked = `${counted(total.submissions, 'submission')}, ${number(total.booked)} booked, ${counted(total.ended, 'meeting')} ended.`;
  return total.unbooked > 0 ? `${booked} ${number(total.unbooked)} led to a booking page and did not book.` : booked;
}

function emptyList({ order: _order, ...query }: PageCall['query']): Markup | string {
  const isFiltered = Object.keys(query).some((name) => name !== 'from' && name !== 'to');
  if (isFiltered) return 'No submission matches these filters.';
  return html`No submission in this range of time. They arrive with <code>routing_form_submission.created</code>; ${command('backfill')} copies earlier ones.`;
}

const fieldsFor = ({ forms }: RoutingFunnel) => [
  {
    name: 'routing_form',
    label: 'Form',
    options: Object.fromEntries(forms.flatMap(({ uri, name }) => (uri === null ? [] : [[uri, name ?? idOf(uri)]]))),
  },
  { name: 'booked', label: 'Booking', options: { true: 'booked', false: 'not booked' } },
  { name: 'result_type', label: 'Led to', options: resultTexts },
  { name: 'from', label: 'From', type: 'date' as const },
  { name: 'to', label: 'To', type: 'date' as const },
  ...utmColumns.map((name) => ({ name, label: `UTM ${name.slice('utm_'.length)}` })),
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
function outcomeView({ outcome, result_type: type }: Row, { unbooked }: SubmissionDetails): Markup {
  if (unbooked?.booked_otherwise) return otherwise(unbooked.booked_otherwise);
  if (outcome === null) return badge('no booking', type === 'event_type' ? 'attention' : 'quiet');
  const [label, state] = outcomeTexts[String(outcome)] ?? [String(outcome)];
  return badge(label, state);
}

const otherwise = (invitee: string): Markup => html`<a href="/bookings/${idOf(invitee)}">booked in another way</a>`;

const personView = (name: string | null | undefined, email: string | null | undefined): Markup =>
  name || email ? who({ name, email }) : foreign(null);

/** Who submitted it, by the answers; without a name in them, who booked, or else the first answer. */
function submitterView({ unbooked, invitee, answers }: SubmissionDetails): Markup {
  const isName = (question: string | null): boolean => /^(?:your )?(?:full )?name$/i.test(question ?? '');
  const texts = answers.flatMap(({ answer }) => answer ?? []);
  const email = unbooked?.email ?? texts.find((each) => /^\S+@\S+$/.test(each));
  const name = answers.find(({ question }) => isName(question))?.answer ?? unbooked?.name ?? invitee;
  return personView(name ?? (email === undefined ? texts[0] : null), email);
}

const campaignColumn: FixedColumn = {
  name: 'utm_campaign',
  label: 'Campaign',
  isMinor: true,
  cell: ({ utm_campaign: campaign, utm_source: source }) =>
    campaign || source ? foreign(String(campaign || source)) : '',
};

const textOr = (value: unknown, other = ''): string => (typeof value === 'string' ? value : other);

const noDetails: SubmissionDetails = { answers: [], form: null, eventType: null, invitee: null, unbooked: null };

function submissionColumns(details: ReadonlyMap<string, SubmissionDetails>): readonly FixedColumn[] {
  const of = (row: Row) => details.get(uriOf(row)) ?? noDetails;
  return [
    {
      name: 'created_at',
      label: 'Submitted',
      cell: (row) =>
        html`<a href="${pathOf('routing_form_submissions', uriOf(row))}">${time(row['created_at'] === null ? null : String(row['created_at']))}</a>`,
    },
    { name: 'submission_uri', label: 'Who', isUnsorted: true, cell: (row) => submitterView(of(row)) },
    { name: 'submission_uri', label: 'Form', isUnsorted: true, isMinor: true, cell: (row) => foreign(of(row).form) },
    {
      name: 'result_type',
      label: 'Led to',
      isMinor: true,
      cell(row) {
        const { eventType } = of(row);
        return eventType === null ? (resultTexts[textOr(row['result_type'])] ?? '') : foreign(eventType);
      },
    },
    campaignColumn,
    { name: 'outcome', label: 'Booking', cell: (row) => outcomeView(row, of(row)) },
  ];
}

/** What a person needs before they call: who, how long ago, and what was asked for. */
const unbookedColumns = (nowMs: number): readonly FixedColumn[] => [
  {
    name: 'created_at',
    label: 'Submitted',
    cell: (row) =>
      html`<a href="${pathOf('routing_form_submissions', uriOf(row))}">${row['created_at'] === null ? 'at an unknown time' : `${duration(Math.max(0, nowMs - Date.parse(String(row['created_at']))))} ago`}</a>`,
  },
  { name: 'name', label: 'Who', cell: ({ name, email }) => personView(textOr(name), textOr(email)) },
  {
    name: 'answers',
    label: 'Answers',
    cell: ({ answers, name, email }) =>
      foreign(
        answerTexts(answers)
          .filter((answer) => answer !== name && answer !== email)
          .join(' · ')
          .slice(0, 200),
      ),
  },
  {
    name: 'routing_form_name',
    label: 'Form',
    isMinor: true,
    cell: ({ routing_form_name: name }) => foreign(textOr(name)),
  },
  {
    name: 'event_type_name',
    label: 'Led to',
    isMinor: true,
    cell: ({ event_type_name: name }) => textOr(name, resultTexts['event_type']),
  },
  campaignColumn,
  {
    name: 'booked_otherwise',
    label: 'Booking',
    cell: ({ booked_otherwise: invitee }) =>
      typeof invitee === 'string' ? otherwise(invitee) : badge('no booking', 'attention'),
  },
];

const answerTexts = (answers: unknown): readonly string[] =>
  (Array.isArray(answers) ? answers : []).flatMap((each) => (isObject(each) ? (textOf(each['answer']) ?? []) : []));
