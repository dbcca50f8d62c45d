// The replay of everything that a filter matches: what it would change, the confirmation, and what it did.
import { html } from 'hono/html';
import { replayDeliveries } from '#src/api/deliveries/bulk-replay.ts';
import { dismissDeliveries } from '#src/api/deliveries/dismiss.ts';
import { mostReplayed } from '#src/api/deliveries/delivery-records.ts';
import { counted, number } from '#src/base/number-text.ts';
import { changesView } from '#src/addons/dashboard/components/changes.ts';
import { actionButton } from '#src/addons/dashboard/components/form.ts';
import { facts, table } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  command,
  foreign,
  nothing,
  outcomeBadge,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import type { RawQuery } from '#src/http/request.ts';
import { definePage, type RecordOf } from '#src/addons/dashboard/page.ts';
import { bodyOf, filterFacts, filterIn, optionsOf } from './filter.ts';

type Replay = RecordOf<typeof replayDeliveries>;

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
    const isTooMany = isCounted ? matched > mostReplayed : matched >= mostReplayed;
    const known = isTooMany ? mostReplayed : matched;
    const many = `${isCounted ? '' : 'more than '}${counted(known, 'delivery', 'deliveries')}`;
    const fields = { ...filterIn(query), max_seq: String(end) };
    const waiting = preview.matched_by_outcome
      .filter(({ outcome }) => outcome === 'quarantined' || outcome === 'unhandled')
      .reduce((sum, { count }) => sum + count, 0);
    return {
      title: 'Replay: preview',
      content: html`${pathView(query)}
        <h1>Replay ${many}?</h1>
        <p class="lead">This is a preview: nothing has changed. A replay parses again what could not be applied; what was applied stays as it is.${waiting === 0 ? '' : ' Dismiss what no version will ever apply: it stays in the log, and no longer waits.'}</p>
        ${facts(filterFacts(filterIn(query)))}
        ${countsView(preview)}
        ${differenceView(preview)}
        ${
          matched === 0
            ? html`<p class="empty">No delivery with a body matches this filter.</p>`
            : html`<div class="row spaced">
                ${isTooMany ? manyView(query) : actionButton(`Replay ${many}`, { to: '/deliveries/replay', fields })}
                ${waiting === 0 ? '' : actionButton(`Dismiss ${isCounted ? counted(waiting, 'delivery', 'deliveries') : 'all that wait'}`, { to: '/deliveries/replay', fields: { ...fields, dismiss: 'yes' }, isDangerous: true })}
                <a href="${address('/deliveries', filterIn(query))}">Cancel</a>
              </div>`
        }`,
    };
  },
  async submit({ ask, form }) {
    if (form['dismiss'] !== undefined) {
      await ask(dismissDeliveries, { body: bodyOf(form) });
      return { to: address('/deliveries', { ...filterIn(form), outcome: 'dismissed' }) };
    }
    const done = await ask(replayDeliveries, { body: bodyOf(form) });
    const { complete, read, changed, still_quarantined: still, first_seq: first, last_seq: last } = done;
    const { max_seq: _end, ...filter } = filterIn(form);
    // Outcome, reason and offset of what changed are no longer those of the filter.
    const { outcome: _outcome, reason: _reason, min_seq: _begin, ...same } = filter;
    const what = { ...same, min_seq: first ?? undefined, max_seq: last ?? undefined };
    return {
      title: 'Replay: result',
      content: html`${pathView(filter)}
        <h1>${complete ? 'The replay is done' : 'The replay stopped before its end'}</h1>
        <p class="lead" role="status">
          ${counted(read, 'delivery', 'deliveries')} replayed: ${number(changed)} changed, ${number(still)} still cannot be applied.
        </p>
        ${complete ? '' : html`<p class="notice attention">What was done stays. ${manyView(filter)}</p>`}
        ${first === null || last === null ? '' : html`<p><a href="${address('/deliveries', what)}">Show what it changed</a>: entries #${first} to #${last} of the log.</p>`}
        ${still === 0 ? '' : html`<p><a href="/deliveries?outcome=unprojected">Show what is still not in the tables</a></p>`}
        ${facts(filterFacts(filter))}
        ${differenceView(done)}`,
    };
  },
});

const pathView = (query: RawQuery): Markup =>
  html`<p class="soft"><a href="/deliveries">Deliveries</a> / <a href="${address('/deliveries', filterIn(query))}">this filter</a> / Replay</p>`;

const manyView = (query: RawQuery): Markup =>
  html`<span>A page replays at most ${number(mostReplayed)}. This command replays all: ${command(`replay ${optionsOf(query)}`)}</span>`;

const countsView = ({ matched, matched_by_outcome: counts }: Replay): Markup =>
  matched === 0
    ? nothing
    : html`<h2>What matches</h2>
        <ul class="plain row">${counts.map(({ outcome, count }) => html`<li>${number(count)} ${outcomeBadge(outcome)}</li>`)}</ul>`;

function differenceView(replay: Replay): Markup {
  const {
    dry_run: isPreview,
    read,
    matched,
    complete,
    changed,
    still_quarantined: still,
    transitions,
    tables,
    examples,
  } = replay;
  if (read === 0 || (changed === 0 && !isPreview)) return nothing;
  const isPart = isPreview && !complete;
  return html`<h2>${isPreview ? 'What would change' : 'What changed'}</h2>
    ${isPart ? html`<p class="notice attention">This preview looked at the first ${number(read)} of ${number(matched)}${replay.matched_complete ? '' : ' or more'} deliveries.</p>` : ''}
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
