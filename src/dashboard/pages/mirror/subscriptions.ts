// Webhook subscriptions: as they were last seen, the plan of what would change at the service, and its confirmation.
import { html } from 'hono/html';
import { applySubscriptionPlan, planSubscriptions } from '#src/api/mirror/subscription-plan.ts';
import { listSubscriptions } from '#src/api/subscriptions.ts';
import { counted } from '#src/base/number-text.ts';
import { actionButton } from '#src/dashboard/components/form.ts';
import { facts, table, type Column } from '#src/dashboard/components/list.ts';
import {
  address,
  badge,
  command,
  foreign,
  notice,
  time,
  type Markup,
  type State,
} from '#src/dashboard/components/markup.ts';
import type { Ask } from '#src/api/ask.ts';
import { definePage, type Page, type PageCall, type View, type RecordOf } from '#src/dashboard/page.ts';
import { list, partsOfMirror, refusalNotice } from './parts.ts';

type Plan = RecordOf<typeof planSubscriptions>;
type Step = Plan['steps'][number];

const path = '/mirror/subscriptions';
const confirmPath = `${path}/apply`;

export const subscriptionPages: readonly Page[] = [
  definePage({
    path,
    section: '/mirror',
    async show(call) {
      const isCompared = call.query['compare'] === 'true';
      return {
        title: 'Subscriptions',
        content: html`${partsOfMirror(path)}
          <h1>Webhook subscriptions</h1>
          <p class="lead">
            The service sends webhooks for each of these. A running process checks them and creates a disabled one again.
          </p>
          ${doneNotice(call)}
          ${isCompared ? await comparison(call) : html`${await lastSeen(call)}${compareForm()}`}`,
      };
    },
  }),
  definePage({
    path: confirmPath,
    section: '/mirror',
    async show({ ask, query, isReadOnly }) {
      const options = { prune: query['prune'] ?? 'false' };
      const plan = await planOf(ask, options);
      if ('refusal' in plan) return confirmation(plan.refusal, 409);
      if (plan.id !== query['plan']) return confirmation(changedNotice(), 409);
      if (isReadOnly) return confirmation(notice('You can look at everything and change nothing.'));
      return confirmation(html`<p>${changesText(plan)} New subscriptions are created first, so no delivery is missed.</p>
        ${stepsTable(plan.steps.filter(isChange))}
        <div class="actions">
          ${actionButton('Apply this plan', { to: confirmPath, fields: { plan: plan.id, ...options }, isDangerous: plan.steps.some(({ action }) => action === 'delete') })}
          <a href="${path}?compare=true">Cancel</a>
        </div>`);
    },
    async submit({ ask, form }) {
      try {
        const body = { plan: form['plan'] ?? '', prune: form['prune'] === 'true' };
        const { complete, summary } = await ask(applySubscriptionPlan, { body });
        const { created = 0, deleted = 0 } = summary;
        return { to: address(path, { compare: 'true', created, deleted, complete: String(complete) }) };
      } catch (error) {
        return confirmation(refusalNotice(error), 409);
      }
    },
  }),
];

const confirmation = (content: Markup, status?: 409): View => ({
  title: 'Apply the plan',
  ...(status && { status }),
  content: html`${partsOfMirror(path)}<h1>Apply the plan of the subscriptions</h1>${content}
    <p><a href="${path}?compare=true">Look at the present plan</a></p>`,
});

const changedNotice = (): Markup =>
  notice('The plan has changed since it was shown. Nothing was done: look at the present plan.', 'attention');

/** After an action: only numbers are taken from the address, so that no link can show another text here. */
function doneNotice({ query }: PageCall): Markup | '' {
  const [created, deleted] = [Number(query['created']), Number(query['deleted'])];
  if (!Number.isSafeInteger(created) || !Number.isSafeInteger(deleted)) return '';
  const done = `Done: ${counted(created, 'subscription')} created, ${counted(deleted, 'subscription')} deleted.`;
  return query['complete'] === 'false'
    ? notice(`${done} Something is still missing: see the plan below.`, 'attention')
    : notice(done);
}

async function lastSeen({ ask }: PageCall): Promise<Markup> {
  const { collection } = await ask(listSubscriptions, { query: { count: '100' } });
  return table<(typeof collection)[number]>({
    caption: 'Subscriptions as they were last seen',
    rows: collection,
    keyOf: ({ uri }) => uri,
    empty: html`No subscription is known. ${command('bootstrap')} creates them, or compare with the service below.`,
    columns: [...columns, { name: 'Last checked', cell: ({ checked_at }) => time(checked_at) }],
  });
}

const compareForm = (): Markup =>
  html`<h2>Planned and real</h2>
    <p>This asks the service for the present subscriptions and shows what <code>bootstrap</code> would change. It changes nothing.</p>
    <form method="get" action="${path}"><input type="hidden" name="compare" value="true" /><button>Compare with the service</button></form>`;

async function comparison({ ask, query, isReadOnly }: PageCall): Promise<Markup> {
  const prune = query['prune'] ?? 'false';
  const plan = await planOf(ask, { prune });
  if ('refusal' in plan) return html`${plan.refusal}${compareForm()}`;
  const leftovers = plan.steps.filter(({ action }) => action === 'leftover').length;
  return html`<h2>Plan</h2>
    <p>${changesText(plan)}</p>
    ${stepsTable(plan.steps)}
    ${list(plan.notes)}
    ${leftovers > 0 ? html`<p>${counted(leftovers, 'subscription')} of this callback ${leftovers === 1 ? 'is' : 'are'} no longer needed: <a href="${path}?compare=true&prune=true">plan to delete ${leftovers === 1 ? 'it' : 'them'}</a>.</p>` : ''}
    ${plan.pending && !isReadOnly ? html`<p class="actions"><a class="button primary" href="${address(confirmPath, { plan: plan.id, prune })}">Apply this plan…</a></p>` : ''}
    <h2>At the service now</h2>
    ${table({
      caption: 'Subscriptions of this callback at the service',
      rows: plan.subscriptions,
      empty: 'No subscription at the service calls this callback.',
      columns,
    })}
    ${facts({ Organization: foreign(plan.organization), Callback: foreign(plan.callback) })}`;
}

interface Shown {
  readonly state: string | null;
  readonly retry_started_at: string | null;
  readonly events: readonly string[];
  readonly scope: string;
  readonly callback_url: string | null;
}

const columns: readonly Column<Shown>[] = [
  { name: 'State', cell: ({ state, retry_started_at: since }) => stateBadge(state ?? 'unknown', since) },
  { name: 'Events', cell: ({ events }) => eventsText(events) },
  { name: 'Of', cell: ({ scope }) => scope },
  { name: 'Callback', cell: ({ callback_url }) => foreign(callback_url), isMinor: true },
];

async function planOf(ask: Ask, query: { readonly prune: string }): Promise<Plan | { readonly refusal: Markup }> {
  try {
    return await ask(planSubscriptions, { query });
  } catch (error) {
    return { refusal: refusalNotice(error) };
  }
}

const isChange = ({ action }: Step): boolean => ['create', 'delete'].includes(action);

function changesText({ summary, pending }: Plan): string {
  if (!pending) return `Nothing to do: ${counted(summary['keep'] ?? 0, 'subscription')} as desired.`;
  const parts = (['create', 'delete'] as const).flatMap((action) =>
    summary[action] ? [`${action} ${counted(summary[action], 'subscription')}`] : [],
  );
  return `The plan would ${parts.join(', ')}.`;
}

const actionStates: Readonly<Record<string, State>> = {
  create: 'attention',
  delete: 'problem',
  refused: 'attention',
  leftover: 'attention',
};

const stepsTable = (steps: readonly Step[]): Markup =>
  table({
    caption: 'The steps of the plan',
    rows: steps,
    empty: 'The plan has no steps.',
    columns: [
      { name: 'Step', cell: ({ action }) => badge(action, actionStates[action] ?? 'quiet') },
      { name: 'Events', cell: ({ events }) => eventsText(events) },
      { name: 'Of', cell: ({ scope }) => scope },
      { name: 'Why', cell: ({ why }) => why ?? '' },
    ],
  });

function stateBadge(state: string, retryingSince: string | null): Markup {
  if (state !== 'active') return badge(state, 'problem');
  return retryingSince === null
    ? badge('active', 'ok')
    : html`<div>${badge('failing', 'attention')} since ${time(retryingSince)}</div>`;
}

/** One line per family: `contact: created, updated`. */
function eventsText(events: readonly string[]): Markup {
  const families = Map.groupBy(events, (event) => event.split('.', 1)[0] ?? '');
  return html`<ul class="plain">${[...families].map(
    ([family, kinds]) =>
      html`<li><bdi>${family}</bdi>: ${kinds.map((kind) => kind.slice(family.length + 1)).join(', ')}</li>`,
  )}</ul>`;
}
