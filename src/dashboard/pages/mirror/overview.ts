// The overview of the mirror: one sentence per part, and the fix where a part is not well.
import { html } from 'hono/html';
import { readAlertCounts } from '#src/api/alerts.ts';
import { listFeedConsumers } from '#src/api/feed-consumers.ts';
import { readQueue, readSettings, readSinks } from '#src/api/mirror/mirror-process.ts';
import { readSync } from '#src/api/mirror/sync.ts';
import { listSubscriptions } from '#src/api/subscriptions.ts';
import { counted, number } from '#src/base/number-text.ts';
import { command, time, type Markup } from '#src/dashboard/components/markup.ts';
import { ApiError } from '#src/api/ask.ts';
import { definePage, type PageCall } from '#src/dashboard/page.ts';
import { partsOfMirror, type Part } from './parts.ts';
import { depthSentence } from './queue.ts';
import { syncSentence } from './sync.ts';

interface PartState {
  readonly text: Markup | string;
  readonly needsAttention?: boolean;
}

export const overviewPage = definePage({
  path: '/mirror',
  section: '/mirror',
  async show(call) {
    const cards = parts.map(async ([title, href, stateOf]) =>
      card(title, href, await stateOf(call).catch(unknownState)),
    );
    return {
      title: 'Mirror',
      content: html`${partsOfMirror('/mirror')}
        <h1>Mirror</h1>
        <p class="lead">Where the data comes from, whether it is right, and who reads it.</p>
        <div class="cards">
          ${await Promise.all(cards)}
          ${card('Actions', '/mirror/actions', { text: 'What people and programs changed: when, from where, and with which result.' })}
        </div>`,
    };
  },
});

const parts: readonly (readonly [title: string, href: Part, stateOf: (call: PageCall) => Promise<PartState>])[] = [
  ['Subscriptions', '/mirror/subscriptions', subscriptionState],
  ['Comparison', '/mirror/sync', syncState],
  ['Feed', '/mirror/feed', feedState],
  ['Alerts', '/mirror/alerts', alertState],
  ['Queue', '/queues', queueState],
  ['Settings', '/mirror/settings', settingsState],
];

const card = (title: string, href: Part, { text, needsAttention }: PartState): Markup =>
  html`<section class="card ${needsAttention ? 'attention' : ''}"><h2><a href="${href}">${title}</a></h2><p>${text}</p></section>`;

/** A part that cannot be read says why; the others are shown. */
function unknownState(error: unknown): PartState {
  if (!(error instanceof ApiError)) throw error;
  return { text: error.message, needsAttention: true };
}

async function subscriptionState({ ask }: PageCall): Promise<PartState> {
  const { collection } = await ask(listSubscriptions, { query: { count: '100' } });
  const disabled = collection.filter(({ state }) => state !== 'active').length;
  const failing = collection.find(({ state, retry_started_at: since }) => state === 'active' && since !== null);
  const checked = collection
    .map(({ checked_at: at }) => at)
    .toSorted()
    .at(-1);
  if (collection.length === 0)
    return { text: html`The service sends nothing yet. Next: ${command('bootstrap')}`, needsAttention: true };
  if (disabled > 0)
    return {
      text: html`${counted(disabled, 'subscription is', 'subscriptions are')} disabled. A running process creates it again; otherwise: ${command('bootstrap')}`,
      needsAttention: true,
    };
  if (failing)
    return {
      text: html`Deliveries have failed since ${time(failing.retry_started_at)}. ${command('doctor')} finds the cause.`,
      needsAttention: true,
    };
  return {
    text: html`${counted(collection.length, 'subscription is', 'subscriptions are')} active, checked ${time(checked)}.`,
  };
}

async function syncState({ read }: PageCall): Promise<PartState> {
  const sync = await read(readSync);
  const { recent, full, gap, waitsFor, backfill } = sync;
  const held = Object.values({ ...recent.last?.held_back, ...full.last?.held_back }).reduce(
    (sum, count) => sum + count,
    0,
  );
  const failures = recent.failures + full.failures;
  const problems = [
    gap === null ? '' : 'Deliveries that were missed are being read again.',
    failures === 0 ? '' : `${counted(failures, 'run')} failed since the last success.`,
    held === 0 ? '' : `${counted(held, 'delete needs', 'deletes need')} your confirmation.`,
  ].filter((problem) => problem !== '');
  const needsAttention = waitsFor !== null || problems.length > 0 || backfill.state === 'stopped';
  return { text: html`${syncSentence(sync)} ${problems.join(' ')}`, needsAttention };
}

async function feedState({ ask, read }: PageCall): Promise<PartState> {
  const { collection: consumers } = await ask(listFeedConsumers);
  const sinks = await read(readSinks);
  const refusing = sinks.filter(({ state }) => state === 'retrying').map(({ name }) => name);
  return {
    text: `${consumersText(consumers)} ${sinksText(sinks.length, refusing)}`,
    needsAttention: refusing.length > 0,
  };
}

function consumersText(consumers: readonly { readonly name: string; readonly behind: number }[]): string {
  const [last] = consumers.toSorted((one, other) => other.behind - one.behind);
  if (last === undefined) return 'No consumer reads the feed.';
  const all = counted(consumers.length, 'consumer');
  if (last.behind === 0) return `${all}; all are up to date.`;
  return `${all}; ${last.name} is behind by ${counted(last.behind, 'entry', 'entries')}.`;
}

function sinksText(count: number, refusing: readonly string[]): string {
  if (count === 0) return '';
  if (refusing.length === 0) return `${counted(count, 'sink')}.`;
  return `The sink ${refusing.join(', ')} refuses entries; they are retried.`;
}

async function alertState({ read }: PageCall): Promise<PartState> {
  const counts = await read(readAlertCounts);
  const sum = (state: string) =>
    counts.filter((each) => each.state === state).reduce((total, { count }) => total + count, 0);
  const failed = sum('failed');
  if (counts.length === 0) return { text: 'There are no alerts yet.' };
  const sent = `${number(sum('sent'))} sent, ${number(sum('pending') + sum('retracting'))} pending`;
  return failed === 0
    ? { text: `${sent}, none failed.` }
    : { text: `${sent}, ${number(failed)} failed and can be resent.`, needsAttention: true };
}

async function queueState({ read }: PageCall): Promise<PartState> {
  const { depth } = await read(readQueue);
  return { text: depthSentence(depth), needsAttention: depth.failed > 0 };
}

async function settingsState({ read }: PageCall): Promise<PartState> {
  const settings = await read(readSettings);
  const set = settings.filter(({ source }) => source !== 'default').length;
  return { text: `${number(set)} of ${number(settings.length)} settings are set; the others have their defaults.` };
}
