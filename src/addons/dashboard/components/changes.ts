// What an entry of the log changed: by table, each column, item of a list or field of an object with its value before and after.
import { html } from 'hono/html';
import { changedItems, type OptionLabels } from '#src/base/changed-items.ts';
import { address, foreign, type Markup } from './markup.ts';

type Change = readonly [before?: unknown, after?: unknown, ...rest: unknown[]];
export type Changes = Readonly<Record<string, Readonly<Record<string, Change>>>>;

/** Longer values are folded away. */
const shortValue = 300;

export function changesView(changes: Changes | null, options?: OptionLabels): Markup {
  const tables = Object.entries(changes ?? {});
  if (tables.length === 0) return html`<p class="soft">It changed no row.</p>`;
  return html`${tables.map(([name, columns]) => tableView(name, Object.entries(columns), options))}`;
}

function tableView(
  name: string,
  columns: readonly (readonly [column: string, change: Change])[],
  options?: OptionLabels,
): Markup {
  // The body, which is on the same page, has its values.
  if (columns.length === 0) return html`<p>New in <code>${name}</code>.</p>`;
  const isNew = columns.every(([, [before]]) => before === null || before === undefined);
  const heads = isNew ? ['Column', 'Value'] : ['Column', 'Before', 'After'];
  const cell = (label: string, value: unknown): Markup =>
    html`<td class="${label.toLowerCase()}" data-label="${label}"><div>${valueView(value)}</div></td>`;
  const heading = html`${isNew ? 'New in ' : ''}<code>${name}</code>`;
  const rows = html`<div class="scroll" tabindex="0" role="region" aria-label="Changes of ${name}">
      <table class="changes">
        <caption class="hidden">Changes of ${name}</caption>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>
          ${columns.flatMap(([column, change]) =>
            changedItems(column, change, options).map(
              ({ item, before, after }) =>
                html`<tr><th scope="row"><code>${column}</code>${itemName(item)}</th>${isNew ? cell('Value', after) : html`${cell('Before', before)}${cell('After', after)}`}</tr>`,
            ),
          )}
        </tbody>
      </table>
    </div>`;
  // A new row repeats the body, which is on the same page.
  return isNew ? html`<details><summary>${heading}</summary>${rows}</details>` : html`<h3>${heading}</h3>${rows}`;
}

const itemName = (item: string): Markup => (item === '' ? html`` : html` <bdi>${item}</bdi>`);

export const changeList = (columns: Changes[string], options: OptionLabels): Markup =>
  html`${Object.entries(columns).flatMap(([column, change]) =>
    changedItems(column, change, options).map(
      ({ item, before, after }) =>
        html`<div><code>${column}</code>${itemName(item)}: ${valueView(before)} → ${valueView(after)}</div>`,
    ),
  )}`;

/** The value of a column; items and fields that have a name are listed by it. */
export function columnView(column: string, value: unknown, options: OptionLabels): Markup {
  const items = changedItems(column, [null, value], options);
  if (items.every(({ item }) => item === '')) return valueView(value);
  return html`${items.map(({ item, after }) => html`<div>${itemName(item)}: ${valueView(after)}</div>`)}`;
}

/** A value of a row. A URI of the service leads to what is known about it. */
export function valueView(value: unknown): Markup {
  if (value === null || value === undefined) return html`<span class="none">none</span>`;
  const isText = typeof value === 'string';
  const text = isText ? value : JSON.stringify(value, null, 2);
  if (text.length > shortValue)
    return html`<details><summary><bdi>${text.slice(0, 120)}…</bdi></summary><pre tabindex="0">${text}</pre></details>`;
  if (isText) return recordUri.test(value) ? uriLink(value) : foreign(value);
  return typeof value === 'object' ? html`<pre class="json-value">${text}</pre>` : html`<code>${text}</code>`;
}

/** Records of the service have an id at the end; its pages for people do not. */
const recordUri =
  /^https?:\/\/[\x21-\x7e]+\/(?:contacts|invitees|scheduled_events|event_types|users|organizations|routing_forms|routing_form_submissions|invitee_no_shows|meeting_recaps)\/[\x21-\x2e\x30-\x7e]+$/;

/** A link to what is known about a record, by the end of its URI. */
export const uriLink = (uri: string): Markup =>
  html`<a href="${address('/why', { uri })}" title="${uri}"><bdi>${shortUri(uri)}</bdi></a>`;

/** The kind of a record and the beginning of its id. */
export function shortUri(uri: string): string {
  const [kind = '', id = ''] = uri.split('/').slice(-2);
  return id === '' ? uri : `${kind}/${id.length > 13 ? `${id.slice(0, 12)}…` : id}`;
}
