// Now: whether all is well, the way of a delivery, what needs a person, today, and the newest deliveries.
import { html } from 'hono/html';
import { readOverview, type Overview } from '#src/api/overview/overview.ts';
import { counted, number } from '#src/base/number-text.ts';
import { bars } from '#src/addons/dashboard/charts/column-chart.ts';
import { table } from '#src/addons/dashboard/components/list.ts';
import { command, foreign, nothing, outcomeBadge, time, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { ApiError } from '#src/api/ask.ts';
import { definePage, type Page, type View } from '#src/addons/dashboard/page.ts';
import { firstRunView, stepsLeft } from './first-run.ts';
import { flowView } from './flow.ts';
import { healthView } from './health.ts';
import { processView } from './process.ts';

export const nowPages: readonly Page[] = [
  definePage({
    path: '/',
    section: '/',
    async show(call) {
      const overview = await call
        .read((mirror) => readOverview(mirror, call.query['timezone']))
        .catch((error: unknown) => {
          // A process that only receives has no overview, and none has one while its database does not answer.
          if (error instanceof ApiError && (error.status === 404 || error.status >= 500)) return undefined;
          throw error;
        });
      if (overview === undefined) return processView(call);
      return overview.firstRun.empty ? firstRunView(overview) : nowView(overview, call.nowMs);
    },
  }),
];

const nowView = (overview: Overview, nowMs: number): View => ({
  title: 'Now',
  liveAfter: overview.flow.lastSeq,
  content: html`${healthView(overview)} ${stepsLeft(overview.firstRun)} ${isPolled(overview) ? '' : flowView(overview, nowMs)}
    ${needsView(overview)} ${isPolled(overview) ? '' : html`${todayView(overview)} ${latestView(overview.latest)}`}`,
});

/** Without webhooks, everything about deliveries would be empty. */
const isPolled = ({ health, latest }: Overview): boolean =>
  latest.length === 0 && health.some(({ id }) => id === 'polling');

function needsView({ needs }: Pick<Overview, 'needs'>): Markup {
  if (needs.length === 0) return nothing;
  return html`<section id="needs">
    <h2>Needs you</h2>
    <ul class="plain needs">
      ${needs.map(({ id, sentence, page }) => html`<li id="need-${id}"><a href="${page}">${sentence}</a></li>`)}
    </ul>
  </section>`;
}

const countNames = [
  ['deliveries', 'Deliveries'],
  ['bookings', 'Bookings made'],
  ['cancellations', 'Cancellations'],
  ['no_shows', 'No-shows'],
] as const;

function todayView({ today, hours }: Pick<Overview, 'today' | 'hours'>): Markup {
  const { timezone } = today;
  const weekday = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: timezone }).format(new Date(today.since));
  const clock = new Intl.DateTimeFormat('en', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: timezone,
  });
  const { lastWeek } = today;
  const total = hours.reduce((sum, { deliveries }) => sum + deliveries, 0);
  return html`<section id="today">
    <h2>Deliveries today</h2>
    <div class="today">
      <dl class="figures">
        ${countNames.map(
          ([name, label]) =>
            html`<div>
              <dt>${label}</dt>
              <dd>
                <strong>${number(today.counts[name])}</strong>
                ${lastWeek === null ? '' : html`<span class="soft">${number(lastWeek[name])} last ${weekday}</span>`}
              </dd>
            </div>`,
        )}
      </dl>
      ${bars({
        id: 'hours',
        title: `Deliveries per hour, last 24 hours (${timezone})`,
        summary: `${counted(total, 'delivery', 'deliveries')} in the last 24 hours.`,
        columnName: 'Hour',
        series: [{ label: 'Deliveries', tone: 'accent' }],
        columns: hours.map(({ hour, deliveries }) => ({ label: clock.format(new Date(hour)), values: [deliveries] })),
      })}
    </div>
    <p class="soft">
      ${
        lastWeek === null
          ? `The comparison with last ${weekday} follows when the log is a week old.`
          : `Compared with last ${weekday} until the same time of day.`
      }
      Days begin in <bdi>${timezone}</bdi>.
    </p>
  </section>`;
}

const latestView = (latest: Overview['latest']): Markup =>
  html`<section id="latest">
    <h2>Latest deliveries</h2>
    ${table({
      caption: 'The newest deliveries, newest first',
      rows: latest,
      keyOf: ({ seq }) => String(seq),
      linkOf: ({ seq }) => `/deliveries/${seq}`,
      empty: html`No webhook has arrived yet. ${command('trigger invitee.created')} sends a sample.`,
      columns: [
        { name: 'What happened', cell: whatHappened },
        { name: 'Event', cell: ({ event }) => foreign(event), isMinor: true },
        { name: 'Received', cell: ({ received_at }) => time(received_at) },
      ],
    })}
    <p><a href="/deliveries">All deliveries</a></p>
  </section>`;

/** No ink for a delivery that was applied. */
const whatHappened = ({ seq, sentence, outcome }: Overview['latest'][number]): Markup =>
  html`<a href="/deliveries/${seq}"><bdi>${sentence}</bdi></a>${outcome === 'applied' ? '' : html` ${outcomeBadge(outcome)}`}`;
