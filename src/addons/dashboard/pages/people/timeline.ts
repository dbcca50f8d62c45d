// The history of a person as a list: when, what, and the page and the log entry of each; and how each kind is called and coloured.
import { html } from 'hono/html';
import type { getContactTimeline } from '#src/api/people/timeline.ts';
import { badge, time, type Markup, type State } from '#src/addons/dashboard/components/markup.ts';
import type { RecordOf } from '#src/addons/dashboard/page.ts';
import type { Moment } from '#src/read/timeline/moment.ts';

type Item = RecordOf<typeof getContactTimeline>;

/** What needs attention has a colour; the rest has none. */
export const kindLabels: Readonly<Record<Item['kind'] | Moment['kind'], readonly [text: string, state?: State]>> = {
  contact_created: ['contact'],
  contact_changed: ['contact'],
  contact_deleted: ['contact'],
  contact_reported: ['contact', 'attention'],
  form_submitted: ['form'],
  booked: ['booked'],
  moved: ['moved'],
  canceled: ['canceled', 'attention'],
  meeting: ['meeting', 'quiet'],
  ended: ['ended', 'ok'],
  no_show: ['no-show', 'problem'],
  no_show_removed: ['no-show undone'],
  came: ['came', 'ok'],
  recap: ['recap'],
  recap_deleted: ['recap deleted', 'quiet'],
  confirmation_requested: ['confirmation requested', 'quiet'],
  reconfirmed: ['confirmed', 'ok'],
  alert: ['alert', 'quiet'],
  alert_pending: ['alert', 'quiet'],
  alert_sent: ['alert', 'quiet'],
  alert_failed: ['alert failed', 'problem'],
};

export function timeline(items: readonly Item[]): Markup {
  if (items.length === 0) return html`<p class="empty">Nothing is known about this person yet.</p>`;
  return html`<ol class="plain history">
    ${items.map((item) => {
      const [text, state] = kindLabels[item.kind];
      const sentence = html`<bdi>${item.sentence}</bdi>`;
      return html`<li class="${state ?? 'quiet'}">
        <span class="soft">${time(item.time)}</span>
        <span>${badge(text, state)}</span>
        <span class="history-text">
          ${item.page === null ? sentence : html`<a href="${item.page}">${sentence}</a>`}
          ${item.meeting_start === null || item.kind === 'ended' || item.kind === 'meeting' ? '' : html`<span class="soft">meeting on ${time(item.meeting_start)}</span>`}
        </span>
        ${item.seq === null ? html`<span></span>` : html`<a class="soft" href="/deliveries/${item.seq}">entry ${item.seq}</a>`}
      </li>`;
    })}
  </ol>`;
}
