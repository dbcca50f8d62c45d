// One delivery: what became of it, what it changed, its body, and how to send it again.
import { html } from 'hono/html';
import { getDelivery } from '#src/api/deliveries/deliveries.ts';
import { outcomes } from '#src/api/deliveries/delivery-records.ts';
import { counted, duration } from '#src/base/number-text.ts';
import { changesView, uriLink } from '#src/addons/dashboard/components/changes.ts';
import { readOptionLabels } from '#src/read/contacts/option-labels.ts';
import { actionButton } from '#src/addons/dashboard/components/form.ts';
import { facts } from '#src/addons/dashboard/components/list.ts';
import {
  address,
  breadcrumb,
  copyable,
  foreign,
  nothing,
  notice,
  outcomeBadge,
  optionalTime,
  time,
  type Markup,
} from '#src/addons/dashboard/components/markup.ts';
import { definePage, type RecordOf } from '#src/addons/dashboard/page.ts';
import { bodyView } from './body-view.ts';

type WholeDelivery = RecordOf<typeof getDelivery>;

const meanings: Readonly<Record<string, string>> = {
  applied: 'It changed the tables.',
  unchanged: 'The tables already had what it says.',
  superseded: 'A newer fact was already in the tables.',
  tombstoned: 'Its subject is deleted, and a delete is final.',
  quarantined: 'It could not be applied. It is stored, and can be replayed after a fix.',
  unhandled: 'This version does not know its kind. It is stored, and can be replayed after an upgrade.',
};

export const deliveryPage = definePage({
  path: '/deliveries/:id',
  section: '/deliveries',
  async show({ ask, read, params, url, query, isReadOnly }) {
    const { resource: delivery } = await ask(getDelivery, { params });
    const { seq, delivery_id: id, event, source, outcome, subject_uri: subject, changes, resend } = delivery;
    const isApplied = outcome !== 'quarantined' && outcome !== 'unhandled';
    const isReplayable = !isReadOnly && delivery.body !== null;
    const isWaiting = !isApplied && delivery.dismissed_at === null;
    return {
      title: `#${seq} ${delivery.sentence}`,
      content: html`${breadcrumb('/deliveries', 'Deliveries', `#${seq}`)}
        <h1>${foreign(delivery.sentence)}</h1>
        <p class="lead">${outcomeBadge(outcome)} ${meanings[outcome] ?? ''}</p>
        ${replayedView(query, outcome)}
        ${
          // The problems of the body name the reason and more.
          delivery.reason === null || delivery.problems.length > 0
            ? ''
            : html`<p class="notice ${outcome === 'quarantined' ? 'problem' : ''}"><bdi>${delivery.reason}</bdi></p>`
        }
        ${facts({
          Event: event === null ? null : foreign(event),
          About:
            subject === null
              ? null
              : html`${uriLink(subject)} <a class="soft" href="${address('/deliveries', { subject })}">all deliveries</a>`,
          Happened: optionalTime(delivery.occurred_at),
          Received: html`${time(delivery.received_at)}${delayView(delivery)}`,
          Source: source,
          Copies:
            delivery.duplicates === 0 ? null : `${counted(delivery.duplicates, 'more copy', 'more copies')} received`,
          Content: delivery.redacted ? 'Some or all of it was removed.' : null,
          Dismissed: optionalTime(delivery.dismissed_at),
          Identity: html`<code title="${id}">${id.slice(0, 16)}…</code>`,
        })}
        <div class="row spaced">
          ${isReplayable ? actionButton('Replay it', { to: `/deliveries/${seq}/replay` }) : ''}
          ${isReplayable && isWaiting ? actionButton('Dismiss it', { to: `/deliveries/${seq}/replay`, fields: { dismiss: 'yes' }, isDangerous: true }) : ''}
          ${subject === null ? '' : html`<a href="${address('/why', { uri: subject })}">Where these values come from</a>`}
        </div>
        ${isApplied ? html`<h2>Changes</h2>${changesView(changes, await read(({ store }) => readOptionLabels(store)))}` : ''}
        <h2 id="body">Body</h2>
        ${bodyView(delivery, url)}
        ${resend === null ? '' : resendView(seq, resend)}`,
    };
  },
});

function replayedView({ replayed, before = '' }: Readonly<Record<string, string>>, outcome: string): Markup {
  if (replayed === undefined) return nothing;
  const isKnown = outcomes.some((each) => each === before);
  if (replayed !== 'changed' || !isKnown) return notice('It was replayed. Nothing changed.');
  return notice(html`It was replayed: ${before === outcome ? 'it changed rows' : `${before} → ${outcome}`}. It is now at the end of the log, where
    readers of the feed see it.`);
}

function delayView({ source, occurred_at: from, received_at: to }: WholeDelivery): Markup {
  const ms = source === 'webhook' && from !== null ? Date.parse(to) - Date.parse(from) : -1;
  return ms < 0 ? nothing : html` <span class="soft">after ${duration(ms)}</span>`;
}

/** Quotes in a body grow in a shell, and again in a page. */
const longestScript = 100_000;

const resendView = (seq: number, script: string): Markup =>
  html`<h2>Replay as curl</h2>
    <p>
      These commands send it again with a new signature. Set <code>SIGNING_KEY</code> and <code>WEBHOOK_URL</code> first. A
      receiver that already has it counts one more copy.
    </p>
    ${
      script.length > longestScript
        ? html`<p>They are long: <code>resend</code> in <a href="/api/deliveries/${seq}">the answer of the API</a> has them.</p>`
        : html`<details><summary>Show the commands</summary>${copyable(script)}</details>`
    }`;
