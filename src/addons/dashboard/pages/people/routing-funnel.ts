// The funnel of routing forms as charts and as a table of the forms.
import { html } from 'hono/html';
import type { RoutingFunnel } from '#src/read/people/routing.ts';
import { counted, number } from '#src/base/number-text.ts';
import { horizontalBars, type BarRow } from '#src/addons/dashboard/charts/horizontal-bars.ts';
import { withQuery } from '#src/addons/dashboard/components/form.ts';
import { table, type Column } from '#src/addons/dashboard/components/list.ts';
import { idOf, nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';

type Form = RoutingFunnel['forms'][number];

export function funnelCharts({ total }: RoutingFunnel, url: URL): Markup {
  const whole = total.submissions;
  const list = (changes: Readonly<Record<string, string>>) => `${withQuery(url, changes)}#submissions`;
  const row = (label: string, value: number, more: Partial<BarRow> = {}): BarRow => ({
    label,
    value,
    note: `${number(value)} (${Math.round((100 * value) / whole)}%)`,
    ...more,
  });
  return html`<section class="cards funnel" aria-label="Funnel">
    <div class="card">
      <h2>From the form to the meeting</h2>
      ${horizontalBars({
        id: 'funnel',
        title: 'From the form to the meeting',
        summary: `Of ${counted(whole, 'submission')}, ${number(total.to_event_type)} led to a booking page, ${number(total.booked)} were booked and of ${number(total.ended)} a meeting ended.`,
        head: ['Step', 'Submissions'],
        funnel: true,
        rows: [
          { label: 'Submitted', value: whole },
          row('Led to a booking page', total.to_event_type, { href: list({ result_type: 'event_type' }) }),
          row('Booked', total.booked, { href: list({ booked: 'true' }) }),
          row('Ended', total.ended),
        ],
      })}
    </div>
    <div class="card">
      <h2>The others</h2>
      ${horizontalBars({
        id: 'others',
        title: 'What became of the others',
        summary: `${number(total.unbooked)} led to a booking page without a booking, ${number(total.upcoming)} have an upcoming meeting, ${number(total.no_shows)} ended as a no-show, ${number(total.canceled)} were canceled, ${number(total.to_external_url)} led to another site and ${number(total.to_custom_message)} to a message.`,
        head: ['Result', 'Submissions'],
        funnel: true,
        rows: [
          row('Booking page, no booking', total.unbooked, {
            tone: 'alert',
            href: list({ booked: 'false', result_type: 'event_type' }),
          }),
          row('Upcoming', total.upcoming, { tone: 'soft' }),
          row('No-show', total.no_shows, { tone: 'alert' }),
          row('Canceled', total.canceled, { tone: 'muted' }),
          row('Led to another site', total.to_external_url, {
            tone: 'faint',
            href: list({ result_type: 'external_url' }),
          }),
          row('Ended with a message', total.to_custom_message, {
            tone: 'faint',
            href: list({ result_type: 'custom_message' }),
          }),
        ],
      })}
    </div>
  </section>`;
}

export function formTable({ forms }: RoutingFunnel, url: URL): Markup {
  if (forms.length < 2) return nothing;
  const count = (name: string, of: (form: Form) => number, isMinor?: true): Column<Form> => ({
    name,
    cell: (form) => number(of(form)),
    isNumber: true,
    ...(isMinor && { isMinor }),
  });
  return html`<h2>By form</h2>
    ${table<Form>({
      caption: 'The funnel of each form',
      rows: forms,
      empty: '',
      columns: [
        { name: 'Form', cell: (form) => formLink(form, url) },
        count('Submitted', (form) => form.submissions),
        count('Booking page', (form) => form.to_event_type, true),
        count('Booked', (form) => form.booked),
        count('Ended', (form) => form.ended),
        count('Upcoming', (form) => form.upcoming, true),
        count('No-shows', (form) => form.no_shows),
        count('Canceled', (form) => form.canceled, true),
      ],
    })}`;
}

function formLink({ uri, name }: Form, url: URL): Markup {
  if (uri === null) return html`<i>without a form</i>`;
  return html`<a href="${withQuery(url, { routing_form: uri })}"><bdi>${name ?? idOf(uri)}</bdi></a>`;
}
