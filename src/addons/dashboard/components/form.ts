// Forms: filters that are part of the address, and actions that are confirmed on a page of their own.
import { html } from 'hono/html';
import type { RawQuery } from '#src/http/request.ts';
import { localValue, type LocalQuery } from './local-times.ts';
import { address, nothing, type Markup } from './markup.ts';

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'search' | 'date' | 'datetime-local' | 'email' | 'number';
  readonly placeholder?: string;
  /** The choices of a menu, value and text; without a choice the filter is off. */
  readonly options?: Readonly<Record<string, string>>;
  /** The text of no choice; `any` when absent. */
  readonly none?: string;
  /** What the field shows while the filter is off. */
  readonly initial?: string;
  /** Suggestions, of which none has to be chosen. */
  readonly suggestions?: readonly string[];
}

/** So many fields are always shown; the others are folded while they are not used. */
const shownFields = 2;

/**
 * A form whose fields become the query of this page. It works without script and without a button on a phone keyboard. With `local`, its
 * days and times are those of a zone.
 */
export function filters(url: URL, query: RawQuery, fields: readonly Field[], local?: LocalQuery): Markup {
  const names = new Set(fields.map(({ name }) => name));
  const active = Object.keys(query).filter((name) => names.has(name));
  const view = (field: Field): Markup =>
    local && field.name in local.ends
      ? timeField(field, local)
      : fieldView(field, query[field.name] ?? field.initial ?? '');
  return html`<form class="row filters" method="get" action="${url.pathname}" role="search">
    ${fields.slice(0, shownFields).map(view)}
    ${query['order'] === undefined || names.has('order') ? '' : html`<input type="hidden" name="order" value="${query['order']}" />`}
    ${local ? html`<input type="hidden" name="timezone" value="${local.timezone}" ${local.isChosen ? '' : html`data-unset`} />` : nothing}
    <div class="row">
      <button>Filter</button>${active.length === 0 ? '' : html`<a href="${url.pathname}">Remove all filters</a>`}
    </div>
    ${moreFields(fields.slice(shownFields), { query, view })}
  </form>`;
}

function moreFields(
  fields: readonly Field[],
  { query, view }: { readonly query: RawQuery; view(field: Field): Markup },
): Markup {
  if (fields.length === 0) return nothing;
  const isUsed = fields.some(({ name }) => query[name] !== undefined);
  return html`<details ${isUsed ? 'open' : ''}>
    <summary>More filters</summary>
    <div class="row filters">${fields.map(view)}</div>
  </details>`;
}

function fieldView(
  { name, label, type = 'text', placeholder = '', options, none = 'any', suggestions }: Field,
  value: string,
): Markup {
  const isOther = value !== '' && options !== undefined && !(value in options);
  const control = options
    ? html`<select name="${name}">
        <option value="">${none}</option>
        ${Object.entries(options).map(([choice, text]) => html`<option value="${choice}" ${choice === value ? 'selected' : ''}>${text}</option>`)}
        ${isOther ? html`<option value="${value}" selected>${value}</option>` : ''}
      </select>`
    : html`<input
          name="${name}"
          type="${type}"
          value="${value}"
          placeholder="${placeholder}"
          autocomplete="off"
          ${suggestions ? html`list="${name}-suggestions"` : ''}
        />${suggestions ? html`<datalist id="${name}-suggestions">${suggestions.map((each) => html`<option value="${each}"></option>`)}</datalist>` : ''}`;
  return html`<label class="${value === '' ? '' : 'active'}"><span>${label}</span>${control}</label>`;
}

/** The script writes the time of an instant in the zone of the browser, and that zone, where the address names none. */
function timeField(field: Field, local: LocalQuery): Markup {
  const { instant, value } = localValue(field, local);
  return html`<label class="${value === '' ? '' : 'active'}"
    ><span>${field.label} <small data-zone>${local.timezone}</small></span
    ><input name="${field.name}" type="${field.type ?? 'date'}" value="${value}" autocomplete="off" data-instant="${instant}"
  /></label>`;
}

/** A button that sends a form to an address of the dashboard. Show none to a visitor who may only read. */
export const actionButton = (
  text: string,
  {
    to,
    fields = {},
    isDangerous = false,
  }: { readonly to: string; readonly fields?: RawQuery; readonly isDangerous?: boolean },
): Markup =>
  html`<form class="action" method="post" action="${to}">
    ${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <button class="${isDangerous ? 'danger' : 'primary'}">${text}</button>
  </form>`;

/** A row of links, of which one is the current: time ranges, parts of a page. */
export const choices = (
  label: string,
  links: readonly { readonly text: string; readonly href: string; readonly isCurrent: boolean }[],
): Markup =>
  html`<nav class="row spaced choices" aria-label="${label}">
    ${links.map(({ text, href, isCurrent }) => html`<a href="${href}" ${isCurrent ? html`aria-current="true"` : ''}>${text}</a>`)}
  </nav>`;

/** The address of this page with some parameters changed, from the first page of its list. */
export function withQuery(url: URL, changes: Readonly<Record<string, string | undefined>>): string {
  const { page_token: _token, ...query } = Object.fromEntries(url.searchParams);
  return address(url.pathname, { ...query, ...changes });
}
