// The replay of everything that a filter matches: what it would change, the confirmation, and what it did.
import { html } from 'hono/html';
import { getReplay, replayDeliveries } from '#src/api/deliveries/bulk-replay.ts';
import { counted, number } from '#src/base/number-text.ts';
import { changesView } from '#src/dashboard/components/changes.ts';
import { actionButton } from '#src/dashboard/components/form.ts';
import { facts, table } from '#src/dashboard/components/list.ts';
import {
  address,
  foreign,
  nothing,
  optionalTime,
  outcomeBadge,
  time,
  type Markup,
} from '#src/dashboard/components/markup.ts';
import { definePage, type RecordOf } from '#src/dashboard/page.ts';
import { bodyOf, filterFacts, filterIn } from './filter.ts';

type Replay = RecordOf<typeof getReplay>;

export const replayPage = definePage({
  path: '/deliveries/replay',
  section: '/deliveries',
  async show({ ask, query, isReadOnly }) {
    if (isReadOnly)
      return {
        title: 'Replay',
        content: html`<h1>Replay</h1>
          <p>You can look at everything and change nothing: log in with the admin token to replay deliveries.</p>`,
      };
    const preview = await ask(replayDeliveries, { body: { ...bodyOf(query), dry_run: true } });
    const { matched, matched_complete: isCounted, up_to_seq: end } = preview;
    const many = `${isCounted ? '' : 'more than '}${counted(matched, 'delivery', 'deliveries')}`;
    const fields = { ...filterIn(query), max_seq: String(end) };
    return {
      title: 'Replay: preview',
      content: html`<p class="soft"><a href="/deliveries">Deliveries</a> / <a href="${address('/deliveries', filterIn(query))}">this filter</a> / Replay</p>
        <h1>Replay ${many}?</h1>
        <p class="lead">A delivery that could not be applied is parsed again; one that was applied changes nothing. This is a preview: nothing has changed.</p>
        ${facts(filterFacts(preview.filter))}
        ${countsView(preview)}
        ${differenceView(preview)}
        ${
          matched === 0
            ? html`<p class="empty">No delivery with a body matches this filter.</p>`
            : html`<div class="actions">
                ${actionButton(`Replay ${many}`, { to: '/deliveries/replay', fields })}
                <a href="${address('/deliveries', filterIn(query))}">Cancel</a>
              </div>`
        }`,
    };
  },
  async submit({ ask, form }) {
    const { id } = await ask(replayDeliveries, { body: bodyOf(form) });
    return { to: `/deliveries/replays/${id}` };
  },
});

export const replayResultPage = definePage({
  path: '/deliveries/replays/:id',
  section: '/deliveries',
  async show({ ask, params, url }) {
    const run = await ask(getReplay, { params });
    const { state, read, matched, changed, still_quarantined: still, first_seq: first, last_seq: last } = run;
    const isRunning = state === 'running';
    // Outcome, reason and offset of what changed are no longer those of the filter.
    const { event, source, subject, address: person, q } = run.filter;
    const what = {
      event,
      source,
      subject,
      address: person,
      q,
      min_seq: first ?? undefined,
      max_seq: last ?? undefined,
    };
    const { max_seq: _end, ...filter } = run.filter;
    return {
      title: isRunning ? 'Replay: running' : 'Replay: result',
      ...(isRunning && { liveAfter: last ?? run.up_to_seq }),
      content: html`<p class="soft"><a href="/deliveries">Deliveries</a> / Replay</p>
        <h1>${titles[state]}</h1>
        <p class="lead" role="status">
          ${counted(read, 'delivery', 'deliveries')} replayed${isRunning ? html` of ${number(matched)}${run.matched_complete ? '' : ' or more'}` : ''}:
          ${number(changed)} changed, ${number(still)} still cannot be applied.
        </p>
        ${isRunning ? html`<p><progress aria-label="Deliveries replayed" max="${Math.max(matched, read, 1)}" value="${read}">${read}</progress> <a href="${url.pathname}">Show the progress</a></p>` : ''}
        ${state === 'failed' || state === 'stopped' ? html`<p class="notice problem">${failures[state]}</p>` : ''}
        ${first === null || last === null ? '' : html`<p><a href="${address('/deliveries', what)}">Show what it changed</a>: entries #${first} to #${last} of the log.</p>`}
        ${still === 0 || isRunning ? '' : html`<p><a href="/deliveries?outcome=unprojected">Show what is still not in the tables</a></p>`}
        ${facts({ ...filterFacts(filter), Started: time(run.started_at), Finished: optionalTime(run.finished_at) })}
        ${differenceView(run)}`,
    };
  },
});

const titles: Readonly<Record<Replay['state'], string>> = {
  running: 'Deliveries are being replayed',
  complete: 'The replay is done',
  stopped: 'The replay stopped before its end',
  failed: 'The replay failed',
};

const failures = {
  stopped: 'The process ended meanwhile. What was done stays; start the same replay again for the rest.',
  failed: 'The process wrote the cause to its log. What was done stays; start the same replay again for the rest.',
} as const;

const countsView = ({ matched, matched_by_outcome: counts }: Replay): Markup =>
  matched === 0
    ? nothing
    : html`<h2>What matches</h2>
        <ul class="counts">${counts.map(({ outcome, count }) => html`<li>${number(count)} ${outcomeBadge(outcome)}</li>`)}</ul>`;

/** What a preview found, or what a replay did. */
function differenceView(replay: Replay): Markup {
  const {
    dry_run: isPreview,
    read,
    matched,
    state,
    changed,
    still_quarantined: still,
    transitions,
    tables,
    examples,
  } = replay;
  if (read === 0 || (changed === 0 && !isPreview)) return nothing;
  const isPart = isPreview && state === 'stopped';
  return html`<h2>${isPreview ? 'What would change' : 'What changed'}</h2>
    ${isPart ? html`<p class="notice attention">The preview ended after ${counted(read, 'delivery', 'deliveries')} of ${number(matched)}${replay.matched_complete ? '' : ' or more'}, because it would have taken too long. The replay covers all of them.</p>` : ''}
    ${isPreview ? html`<p>Of ${counted(read, 'delivery', 'deliveries')}, ${number(changed)} would change and ${number(still)} still could not be applied.</p>` : ''}
    ${
      changed === 0
        ? ''
        : html`<div class="cards">
            <div class="card"><h3>Outcomes</h3>${table({
              caption: 'Outcomes before and after',
              rows: transitions,
              empty: '',
              columns: [
                { name: 'Before', cell: ({ before }) => outcomeBadge(before) },
                { name: 'After', cell: ({ after }) => outcomeBadge(after) },
                { name: 'Deliveries', cell: ({ count }) => number(count), isNumber: true },
              ],
            })}</div>
            ${
              tables.length === 0
                ? ''
                : html`<div class="card"><h3>Tables</h3>${table({
                    caption: 'Changes by table',
                    rows: tables,
                    empty: '',
                    columns: [
                      { name: 'Table', cell: (each) => html`<code>${each.table}</code>` },
                      { name: 'Deliveries that change a row', cell: ({ count }) => number(count), isNumber: true },
                    ],
                  })}</div>`
            }
          </div>
          ${examples.length === 0 ? '' : html`<h2>Examples</h2>`}
          ${examples.map(({ seq, event, before, after, changes }) => html`<details><summary>#${seq} ${foreign(event)}: ${before} → ${after}</summary>${changesView(changes)}</details>`)}`
    }`;
}
