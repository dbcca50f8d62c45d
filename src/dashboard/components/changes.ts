// What an entry of the log changed: by table, each column with its value before and after.
import { html } from 'hono/html';
import { address, foreign, type Markup } from './markup.ts';

type Change = readonly [before?: unknown, after?: unknown, ...rest: unknown[]];
export type Changes = Readonly<Record<string, Readonly<Record<string, Change>>>>;

/** Longer values are folded away. */
const shortValue = 300;

export function changesView(changes: Changes | null): Markup {
  const tables = Object.entries(changes ?? {});
  if (tables.length === 0) return html`<p class="soft">It changed no row.</p>`;
  return html`${tables.map(([name, columns]) => tableView(name, Object.entries(columns)))}`;
}

function tableView(name: string, columns: readonly (readonly [column: string, change: Change])[]): Markup {
  const isNew = columns.every(([, [before]]) => before === null || before === undefined);
  const heads = isNew ? ['Column', 'Value'] : ['Column', 'Before', 'After'];
  const cell = (label: string, value: unknown): Markup =>
    html`<td class="${label.toLowerCase()}" data-label="${label}"><div>${valueView(value)}</div></td>`;
  return html`<h3><code>${name}</code>${isNew ? ': a new row, or values it did not have' : ''}</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Changes of ${name}">
      <table class="changes">
        <caption class="hidden">Changes of ${name}</caption>
        <thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
        <tbody>
          ${columns.map(
            ([column, [before, after]]) =>
              html`<tr><th scope="row"><code>${column}</code></th>${isNew ? cell('Value', after) : html`${cell('Before', before)}${cell('After', after)}`}</tr>`,
          )}
        </tbody>
      </table>
    </div>`;
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
