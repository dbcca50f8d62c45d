// Why a row is as it is: its values, each with the entry that set it, and everything that touched it.
import { html } from 'hono/html';
import { explainRow } from '#src/api/why.ts';
import { readOptionLabels } from '#src/read/contacts/option-labels.ts';
import { changeList, columnView } from '#src/addons/dashboard/components/changes.ts';
import { isCreated, type OptionLabels } from '#src/base/changed-items.ts';
import { table } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  externalLink,
  foreign,
  outcomeBadge,
  time,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { definePage, type RecordOf } from '#src/addons/dashboard/page.ts';

type Explanation = RecordOf<typeof explainRow>;
type ColumnValue = Explanation['fields'][number];

const perPage = '50';

export const whyPage = definePage({
  path: '/why',
  section: '/deliveries',
  async show({ ask, read, query }) {
    const { uri = '', after } = query;
    if (uri === '')
      return {
        title: 'Why',
        content: html`<h1>Where does a value come from?</h1>
          <p class="lead">Enter the URI of a contact, a booking or another record. You see each value and the delivery that set it.</p>
          ${uriForm}`,
      };
    const found = await ask(explainRow, { query: { uri, limit: perPage, ...(after !== undefined && { after }) } });
    const options = await read(({ store }) => readOptionLabels(store));
    const { fields, deliveries, next_after: next } = found;
    const name = fields.find(({ column }) => column === 'name')?.value;
    return {
      title: typeof name === 'string' ? name : 'Why',
      content: html`<h1>${typeof name === 'string' && name !== '' ? foreign(name) : 'Where these values come from'}</h1>
        <p class="lead">${stateOf(found)} <a href="${address('/deliveries', { subject: uri })}">All deliveries about it</a></p>
        ${after === undefined ? valuesView(fields, options) : ''}
        <h2>History</h2>
        ${table({
          caption: 'Everything that touched the row, oldest first',
          rows: deliveries,
          keyOf: ({ seq }) => String(seq),
          linkOf: ({ seq }) => `/deliveries/${seq}`,
          empty: 'Nothing more.',
          columns: [
            { name: 'Entry', cell: ({ seq }) => html`<a href="/deliveries/${seq}">#${seq}</a>` },
            { name: 'Happened', cell: ({ occurred_at, received_at }) => time(occurred_at ?? received_at) },
            {
              name: 'Event',
              cell: ({ event }) => (event === null ? html`<span class="none">not readable</span>` : foreign(event)),
            },
            { name: 'Outcome', cell: ({ outcome }) => outcomeBadge(outcome) },
            { name: 'Source', cell: ({ source }) => source, isMinor: true },
            { name: 'Changes', cell: (entry) => changedColumns(found.table, entry, options) },
          ],
        })}
        <nav class="row spaced" aria-label="Pages of the history">
          ${after === undefined ? '' : html`<a href="${address('/why', { uri })}">First</a>`}
          ${next === null ? '' : html`<a rel="next" href="${address('/why', { uri, after: next })}">Later →</a>`}
        </nav>`,
    };
  },
});

const uriForm = html`<form class="row filters" method="get" action="/why" role="search">
  <label><span>URI</span><input name="uri" type="search" placeholder="https://…/invitees/…" required /></label>
  <div class="row"><button>Explain</button></div>
</form>`;

function stateOf({ table: name, deleted }: Explanation): Markup {
  if (name === null) return html`There is no row: no delivery about it could be applied.`;
  return html`A row of <code>${name}</code>${deleted ? ', which is deleted' : ''}.`;
}

function valuesView(fields: readonly ColumnValue[], options: OptionLabels): Markup {
  const known = fields.filter(({ value }) => value !== null);
  const empty = fields.filter(({ value }) => value === null).map(({ column }) => column);
  return html`<h2>Values</h2>
    ${table({
      caption: 'Values with the entries that set them',
      rows: known,
      empty: 'It has no values.',
      columns: [
        { name: 'Column', cell: ({ column }) => html`<code>${column}</code>` },
        { name: 'Value', cell: (field) => valueOf(field, options) },
        {
          name: 'Since',
          cell: ({ since }) =>
            since === null ? html`<span class="none">no longer in the log</span>` : time(since.occurred_at),
        },
        {
          name: 'Set by',
          cell: ({ since }) =>
            since === null ? '' : html`<a href="/deliveries/${since.seq}">#${since.seq}</a> ${foreign(since.event)}`,
        },
      ],
    })}
    ${empty.length === 0 ? '' : html`<p class="soft">Without a value: ${empty.join(', ')}.</p>`}`;
}

/** Pages of the service are links to it. */
const valueOf = ({ column, value }: ColumnValue, options: OptionLabels): Markup =>
  typeof value === 'string' && /_(?:url|link)$/.test(column) ? externalLink(value) : columnView(column, value, options);

const mostShown = 8;

function changedColumns(
  tableName: string | null,
  { changes, pruned }: Explanation['deliveries'][number],
  options: OptionLabels,
): Markup {
  const columns = changes?.[tableName ?? ''];
  if (columns === undefined) return html`<span class="none">${pruned ? 'no longer in the log' : 'none'}</span>`;
  if (isCreated(columns)) return html`the row was created`;
  const names = Object.keys(columns);
  return names.length <= mostShown
    ? changeList(columns, options)
    : html`<details><summary>${names.join(', ')}</summary>${changeList(columns, options)}</details>`;
}
