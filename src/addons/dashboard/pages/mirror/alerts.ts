// Alerts: what was sent to which channel, what waits and why, and sending a failed one again.
import { html } from 'hono/html';
import { listAlerts, readAlertCounts, resendAlert } from '#src/api/alerts.ts';
import { number } from '#src/base/number-text.ts';
import { actionButton, filters } from '#src/addons/dashboard/components/form.ts';
import { pager, table, type Column } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  badge,
  command,
  foreign,
  idOf,
  nothing,
  notice,
  time,
  type Markup,
  type State,
} from '#src/addons/dashboard/components/markup.ts';
import { definePage, type Page, type RecordOf } from '#src/addons/dashboard/page.ts';
import { partsOfMirror, refusalNotice } from './parts.ts';

type Alert = RecordOf<typeof listAlerts>;

const path = '/mirror/alerts';
const states: Readonly<Record<Alert['state'], State>> = {
  pending: 'quiet',
  sent: 'ok',
  retracting: 'quiet',
  retracted: 'quiet',
  failed: 'problem',
};

export const alertPages: readonly Page[] = [
  definePage({
    path,
    section: '/mirror',
    async show({ ask, read, url, query, isReadOnly }) {
      const { resent, ...filter } = query;
      const { collection, pagination, names } = await ask(listAlerts, { query: filter });
      const counts = await read(readAlertCounts);
      const channels = [...new Set(counts.map(({ channel }) => channel))].toSorted();
      return {
        title: 'Alerts',
        content: html`${partsOfMirror(path)}
          <h1>Alerts</h1>
          <p class="lead">${totalsText(counts)}</p>
          ${resent === 'true' ? notice('The alert is sent again within seconds.') : nothing}
          ${filters(url, filter, [
            { name: 'state', label: 'State', options: optionsOf(Object.keys(states)) },
            { name: 'channel', label: 'Channel', options: optionsOf(channels) },
            { name: 'rule', label: 'Rule', placeholder: 'no_show' },
            { name: 'subject', label: 'About', placeholder: 'a URI, or mirror' },
          ])}
          ${table({
            caption: 'Alerts, newest first',
            rows: collection,
            keyOf: ({ id }) => id,
            empty: html`No alert matches. Channels are set with <code>ALERT_…</code>; ${command('alerts test')} sends a message to each.`,
            columns: [
              { name: 'State', cell: stateView },
              { name: 'Rule', cell: ({ rule }) => foreign(rule) },
              { name: 'About', cell: (alert) => subjectView(alert, names) },
              { name: 'Channel', cell: ({ channel }) => channel },
              { name: 'When', cell: whenView },
              { name: 'Attempts', cell: ({ attempts }) => number(attempts), isNumber: true, isMinor: true },
              ...(isReadOnly || !collection.some(({ state }) => state === 'failed') ? [] : [resendColumn]),
            ],
          })}
          ${pager(pagination, url)}`,
      };
    },
  }),
  definePage({
    path: `${path}/:id/resend`,
    section: '/mirror',
    show: () => ({ title: 'Alerts', content: html`<p><a href="${path}">Alerts</a></p>` }),
    async submit({ ask, params }) {
      try {
        await ask(resendAlert, { params });
        return { to: address(path, { resent: 'true' }) };
      } catch (error) {
        const content = html`${partsOfMirror(path)}<h1>Alerts</h1>${refusalNotice(error)}<p><a href="${path}">All alerts</a></p>`;
        return { title: 'Alerts', status: 409, content };
      }
    },
  }),
];

const resendColumn: Column<Alert> = {
  name: 'Action',
  cell: ({ id, state }) =>
    state === 'failed' ? actionButton('Resend', { to: `${path}/${encodeURIComponent(id)}/resend` }) : '',
};

const optionsOf = (values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(values.map((value) => [value, value]));

function totalsText(counts: readonly { readonly state: Alert['state']; readonly count: number }[]): string {
  const totals = Object.keys(states).flatMap((state) => {
    const total = counts.filter((each) => each.state === state).reduce((sum, { count }) => sum + count, 0);
    return total === 0 ? [] : [`${number(total)} ${state}`];
  });
  return totals.length === 0 ? 'There are no alerts yet.' : `${totals.join(', ')}.`;
}

const stateView = ({ state, last_error: error }: Alert): Markup =>
  html`<div>${badge(state, states[state])}${error === null ? '' : html`<br /><small class="soft">${foreign(error)}</small>`}</div>`;

/** Operational alerts are about the mirror; the others about a booking, an event type or a host. */
function subjectView({ subject_uri: uri, detail }: Alert, names: Readonly<Record<string, string>>): Markup {
  const href = uri.includes('/invitees/') ? `/bookings/${idOf(uri)}` : address('/deliveries', { subject: uri });
  const text = names[uri] ?? uri.split('/').slice(-2).join('/');
  const subject = URL.canParse(uri) ? html`<a href="${href}">${foreign(text)}</a>` : foreign(uri);
  return html`<div>${subject}${detail === null ? '' : html`<br /><small class="soft">${foreign(detail)}</small>`}</div>`;
}

function whenView({ state, sent_at: sent, next_at: next, updated_at: updated }: Alert): Markup {
  if (state === 'pending' || state === 'retracting') return html`<div>due ${time(next)}</div>`;
  return sent === null ? time(updated) : html`<div>sent ${time(sent)}</div>`;
}
