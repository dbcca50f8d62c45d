// The smallest parts of a page: markup, times, links, states, notices, commands, and text to copy. Text of the mirror is written by strangers:
// `html` escapes it, `bdi` isolates its direction, and only http and https become links.
import { memoize } from '#src/base/memoize.ts';
import { html } from 'hono/html';
import { idOf as lastPart } from '#schemas/wire.ts';
import { slotstream } from '#src/base/command.ts';
import { timeText } from '#src/base/time.ts';

export type Markup = ReturnType<typeof html>;

export const nothing: Markup = html``;

export const joined = (parts: readonly Markup[], between: string): Markup =>
  html`${parts.map((part, index) => html`${index === 0 ? '' : between}${part}`)}`;

/** Text that others wrote. */
export const foreign = (text: string | null | undefined): Markup =>
  text === null || text === undefined || text === '' ? html`<span class="none">none</span>` : html`<bdi>${text}</bdi>`;

interface Someone {
  readonly name: string | null | undefined;
  readonly email: string | null | undefined;
  /** Where more about them is. */
  readonly href?: string;
}

/** A person in a cell of a list: the name, and below it the address. */
export function who({ name, email, href }: Someone): Markup {
  const first = name || email ? html`<bdi>${name || email}</bdi>` : html`<i>without a name</i>`;
  const second = name && email && name !== email ? html`<small><bdi>${email}</bdi></small>` : nothing;
  return html`<span class="who">${href === undefined ? first : html`<a href="${href}">${first}</a>`}${second}</span>`;
}

/** An instant in UTC. The script shows it in the zone of the browser. */
export const time = (instant: string | null | undefined): Markup =>
  instant === null || instant === undefined
    ? html`<span class="none">never</span>`
    : html`<time datetime="${instant}" title="${timeText(instant)}">${timeText(instant)}</time>`;

export const optionalTime = (instant: string | null): Markup | string => (instant === null ? '' : time(instant));

const dayFormat = memoize(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }));

/** The day of an instant, where its time of day says nothing. */
export const day = (instant: string): Markup =>
  html`<time datetime="${instant}" title="${timeText(instant)}">${dayFormat().format(new Date(instant))}</time>`;

/** A link to another site; as text where it is not one. */
export const externalLink = (address: string | null | undefined, text = address): Markup =>
  address && /^https?:\/\//i.test(address) && URL.canParse(address)
    ? html`<a href="${address}" rel="noopener noreferrer" target="_blank"><bdi>${text}</bdi></a>`
    : foreign(address);

/** The last part of a URI: `/bookings/${idOf(uri)}`. */
export const idOf = (uri: string): string => encodeURIComponent(lastPart(uri));

/** An address of the dashboard with a query; absent values are left out. */
export function address(path: string, query: Readonly<Record<string, string | number | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  return search.size === 0 ? path : `${path}?${search}`;
}

/** How well something is. Colour never stands alone: the word is beside it. */
export type State = 'ok' | 'attention' | 'problem' | 'quiet';
export const badge = (text: string, state: State = 'quiet'): Markup =>
  html`<span class="badge ${state}">${text}</span>`;

const outcomeStates: Readonly<Record<string, State>> = {
  quarantined: 'problem',
  unhandled: 'attention',
  failed: 'problem',
};
export const outcomeBadge = (outcome: string): Markup => badge(outcome, outcomeStates[outcome]);

export const command = (words: string): Markup => html`<code>${slotstream} ${words}</code>`;

export const breadcrumb = (href: string, list: string, record: string): Markup =>
  html`<p class="soft"><a href="${href}">${list}</a> / <bdi>${record}</bdi></p>`;

/** Where the values of a record come from, and its URI for other programs. */
export const uriActions = (uri: string): Markup =>
  html`<a href="${address('/why', { uri })}">Where these values come from</a>
    <button type="button" class="plain needs-script" data-copy="${uri}" title="${uri}">Copy the URI</button>`;

/** What was done, or what needs attention. */
export const notice = (content: Markup | string, state: 'attention' | 'problem' | '' = ''): Markup =>
  html`<p class="notice ${state}" role="status">${content}</p>`;

export const copyable = (text: string, label = 'Copy'): Markup =>
  html`<div class="copyable">
    <pre tabindex="0"><code>${text}</code></pre>
    <button type="button" class="needs-script" data-copy>${label}</button>
  </div>`;
