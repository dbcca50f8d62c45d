// Comparison with the service: the backfill, what was compared and when, drift over time, and when the next comparison is due.
import { html } from 'hono/html';
import { readSync, type Sync } from '#src/api/mirror/sync.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { bars } from '#src/addons/dashboard/charts/column-chart.ts';
import { facts, table } from '#src/addons/dashboard/components/list.ts';
import {
  badge,
  command,
  nothing,
  notice,
  optionalTime,
  time,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { list, partsOfMirror } from './parts.ts';

type Run = Sync['drift']['runs'][number];
type Resource = Sync['backfill']['resources'][number];

export const syncPage = definePage({
  path: '/mirror/sync',
  section: '/mirror',
  async show({ read }) {
    const sync = await read(readSync);
    const { backfill, recent, full, gap, drift, followUp } = sync;
    return {
      title: 'Comparison',
      content: html`${partsOfMirror('/mirror/sync')}
        <h1>Comparison with the service</h1>
        <p class="lead">${syncSentence(sync)}</p>
        ${gap ? notice(html`Deliveries since ${time(gap.since)} may be missing, because a subscription was disabled. They are being read from the service.`, 'attention') : ''}
        <div class="cards">
          ${comparisonCard('Recent changes', recent)}
          ${comparisonCard('Everything', full, sweepProgress(full))}
          ${followUpCard(followUp)}
        </div>
        <h2>Drift over time</h2>
        <p>Repaired rows per day. None is normal.</p>
        ${driftChart(drift.days)}
        <h2>Backfill</h2>
        ${backfillView(backfill)}
        <h2>Last comparisons</h2>
        ${runsTable(drift.runs)}`,
    };
  },
});

function syncSentence({ waitsFor, backfill, recent, full }: Sync): Markup {
  if (waitsFor === 'settings')
    return html`The mirror is not compared with the service: set <code>API_TOKEN</code>, then restart.`;
  if (backfill.state === 'reading')
    return html`A backfill is running: ${counted(rowsIn(backfill.resources), 'row')} so far.`;
  if (backfill.state === 'stopped')
    return html`A backfill was stopped before its end. ${command('backfill')} continues it.`;
  if (waitsFor === 'backfill') return html`Nothing was copied from the service yet. Next: ${command('backfill')}`;
  const last = [recent.last, full.last]
    .filter((run) => run !== null)
    .toSorted((a, b) => (a.finished_at < b.finished_at ? 1 : -1))[0];
  if (last === undefined) return html`The mirror was filled; the first comparison is due.`;
  return last.drifted === 0
    ? html`The last comparison, ${time(last.finished_at)}, found no difference in ${counted(last.read, 'record')}.`
    : html`The last comparison, ${time(last.finished_at)}, repaired ${counted(last.drifted, 'row')} of ${counted(last.read, 'record')}.`;
}

const rowsIn = (resources: readonly Resource[]): number => resources.reduce((sum, { rows }) => sum + rows, 0);

function comparisonCard(title: string, compared: Sync['recent'], progress: Markup = nothing): Markup {
  const { everyMs, isRunning, failures, dueAt: due, last } = compared;
  const problems = [
    ...(failures > 0 ? [failedRuns(failures)] : []),
    ...Object.entries(last?.held_back ?? {}).map(
      ([kind, count]) =>
        html`${counted(count, 'delete')} of ${kindText(kind)} need your confirmation: ${command('reconcile --repair --allow-deletes')}`,
    ),
    ...(last?.unreadable ?? []).map((what) => html`The token may not read ${kindText(what)}.`),
    ...(last && last.not_compared > 0 ? [html`${counted(last.not_compared, 'row')} could not be compared.`] : []),
  ];
  return html`<section class="card">
    <h2>${title} ${isRunning ? badge('running', 'ok') : ''}</h2>
    <p>${lastText(last)}</p>
    ${progress}
    ${list(problems)}
    ${facts({ Every: duration(everyMs), 'Next due': due === null ? undefined : time(due) })}
  </section>`;
}

function followUpCard({ isRunning, failures, lastAt: last, linksPending: pending }: Sync['followUp']): Markup {
  return html`<section class="card">
    <h2>Changes without a webhook ${isRunning ? badge('running', 'ok') : ''}</h2>
    <p>Reads again what no webhook reports: links that were not ready, and transcripts.</p>
    ${list(failures > 0 ? [failedRuns(failures)] : [])}
    ${facts({ 'Links not ready': number(pending), 'Last run': last === null ? undefined : time(last) })}
  </section>`;
}

const failedRuns = (failures: number): Markup =>
  html`${counted(failures, 'run')} failed since the last success; the log has the cause.`;

function lastText(last: Sync['recent']['last']): Markup {
  if (last === null) return html`Not compared yet.`;
  const took = duration(Date.parse(last.finished_at) - Date.parse(last.started_at));
  const found = last.drifted === 0 ? 'no difference' : `${counted(last.drifted, 'difference')}, repaired`;
  return html`${time(last.finished_at)}: ${counted(last.read, 'record')} read in ${took}, ${found}.`;
}

function sweepProgress({ progress }: Sync['full']): Markup {
  if (progress === null) return nothing;
  const { pages, expectedPages: expected, endsAt: ends, done } = progress;
  const share = expected === null ? '' : html`<progress max="${expected}" value="${pages}"></progress>`;
  return html`<p>${share} ${counted(pages, 'page')}${expected === null ? '' : ` of about ${number(expected)}`} read since ${time(progress.startedAt)}${done.length > 0 ? `; done: ${done.map(kindText).join(', ')}` : ''}. It ends about ${time(ends)}.</p>`;
}

const kindText = (kind: string): string => kind.replaceAll('_', ' ');

function driftChart(days: Sync['drift']['days']): Markup {
  if (days.length === 0)
    return html`<p class="empty">No comparison has ended yet. The first one begins after the first backfill.</p>`;
  const total = days.reduce((sum, { missing, extra, different }) => sum + missing + extra + different, 0);
  if (total === 0)
    return html`<p class="empty">No row differed: ${counted(days.length, 'day')} with comparisons, nothing to repair.</p>`;
  return bars({
    id: 'drift',
    title: 'Repaired rows by day',
    summary: `${counted(total, 'row')} repaired on ${counted(days.length, 'day')} with comparisons.`,
    columnName: 'Day',
    series: [
      { label: 'Missing here', tone: 'alert' },
      { label: 'Different', tone: 'accent' },
      { label: 'Deleted there', tone: 'muted' },
    ],
    columns: days.map(({ day, missing, extra, different }) => ({
      label: day,
      day,
      values: [missing, different, extra],
    })),
  });
}

function backfillView({ state, resources, first_completed_at: first, last }: Sync['backfill']): Markup {
  if (state === 'never')
    return html`<p class="empty">Nothing was copied yet. ${command('backfill')} reads what the service already has; it can be interrupted and run again.</p>`;
  const since = first === null ? '' : html`<p>Everything was copied for the first time ${time(first)}.</p>`;
  if (resources.length > 0) return html`${since}${progressTable(resources)}`;
  return html`${since}${last ? html`<p>The last backfill ended ${time(last.finished_at)}.</p>${resultTable(last.resources)}` : ''}`;
}

const progressTable = (resources: readonly Resource[]): Markup =>
  table({
    caption: 'Progress of the backfill by resource',
    rows: resources,
    keyOf: ({ name }) => name,
    empty: '',
    columns: [
      { name: 'Resource', cell: ({ name }) => kindText(name) },
      {
        name: 'State',
        cell: ({ state }) => badge(state, state === 'stopped' ? 'attention' : state === 'reading' ? 'ok' : 'quiet'),
      },
      { name: 'Rows', cell: ({ rows }) => number(rows), isNumber: true },
      {
        name: 'Progress',
        cell: ({ records, total }) =>
          records === null || total === null
            ? ''
            : html`<div><progress max="${Math.max(1, total)}" value="${records}"></progress> ${number(records)} of ${number(total)}</div>`,
      },
      {
        name: 'Rows a minute',
        cell: ({ rows_per_minute: rate }) => (rate === null ? '' : number(rate)),
        isNumber: true,
      },
      { name: 'Left', cell: ({ seconds_left: left }) => (left === null ? '' : `about ${duration(left * 1000)}`) },
      { name: 'Last page', cell: ({ last_page_at: at }) => optionalTime(at) },
    ],
  });

const resultTable = (resources: NonNullable<Sync['backfill']['last']>['resources']): Markup =>
  table({
    caption: 'What the last backfill read',
    rows: resources,
    empty: '',
    columns: [
      { name: 'Resource', cell: ({ name, missing }) => html`<div>${kindText(name)}${list(missing)}</div>` },
      { name: 'State', cell: ({ state }) => badge(kindText(state), state === 'refused' ? 'problem' : 'quiet') },
      { name: 'Rows', cell: ({ rows }) => number(rows), isNumber: true },
      { name: 'Created', cell: ({ created }) => number(created), isNumber: true },
      { name: 'Updated', cell: ({ updated }) => number(updated), isNumber: true, isMinor: true },
      { name: 'Unchanged', cell: ({ unchanged }) => number(unchanged), isNumber: true, isMinor: true },
      { name: 'Quarantined', cell: ({ quarantined }) => number(quarantined), isNumber: true },
    ],
  });

const runsTable = (runs: readonly Run[]): Markup =>
  table({
    caption: 'The last comparisons, newest first',
    rows: runs,
    keyOf: ({ finished_at, scope }) => `${scope} ${finished_at}`,
    empty: html`No comparison has ended yet. ${command('reconcile')} compares now.`,
    columns: [
      { name: 'Ended', cell: ({ finished_at }) => time(finished_at) },
      { name: 'Compared', cell: ({ scope }) => (scope === 'recent' ? 'recent changes' : 'everything') },
      { name: 'Read', cell: ({ read }) => number(read), isNumber: true },
      { name: 'Repaired', cell: ({ drifted }) => number(drifted), isNumber: true },
      { name: 'What', cell: ({ drift }) => driftText(drift) },
    ],
  });

const driftText = (drift: Run['drift']): string =>
  Object.entries(drift)
    .map(
      ([kind, hows]) =>
        `${kindText(kind)}: ${Object.entries(hows)
          .map(([how, count]) => `${number(count)} ${how}`)
          .join(', ')}`,
    )
    .join('; ');
