// The history of a person as a list: when, what, and the page and the log entry of each.
import { html } from 'hono/html';
import { badge, time, type Markup, type State } from '#src/dashboard/components/markup.ts';

interface Item {
  readonly time: string;
  readonly kind: string;
  readonly sentence: string;
  readonly meeting_start: string | null;
  readonly page: string | null;
  readonly seq: number | null;
}

/** What needs attention has a colour; the rest has none. */
const labels: Readonly<Record<string, readonly [text: string, state?: State]>> = {
  contact_created: ['contact'],
  contact_changed: ['contact'],
  contact_deleted: ['contact'],
  contact_reported: ['contact', 'attention'],
  booked: ['booked'],
  moved: ['moved'],
  canceled: ['canceled'],
  confirmed: ['confirmed'],
  held: ['ended'],
  no_show: ['no-show', 'problem'],
  no_show_removed: ['no-show removed'],
  recap: ['recap'],
  form_submitted: ['form'],
  alert: ['alert'],
};

export function timeline(items: readonly Item[]): Markup {
  if (items.length === 0) return html`<p class="empty">Nothing is known about this person yet.</p>`;
  return html`<ol class="history">
    ${items.map((item) => {
      const [text, state] = labels[item.kind] ?? [item.kind];
      const sentence = html`<bdi>${item.sentence}</bdi>`;
      return html`<li class="${state ?? 'quiet'}">
        <span class="history-time">${time(item.time)}</span>
        <span>${badge(text, state)}</span>
        <span class="history-text">
          ${item.page === null ? sentence : html`<a href="${item.page}">${sentence}</a>`}
          ${item.meeting_start === null || item.kind === 'held' ? '' : html`<span class="soft">meeting on ${time(item.meeting_start)}</span>`}
        </span>
        ${item.seq === null ? html`<span></span>` : html`<a class="soft" href="/deliveries/${item.seq}">entry ${item.seq}</a>`}
      </li>`;
    })}
  </ol>`;
}
