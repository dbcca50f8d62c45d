// Webhook subscriptions: as they were last seen, and what `bootstrap` would change at the service.
import { html } from 'hono/html';
import { readSubscriptionPlan, type SubscriptionPlan } from '#src/api/mirror/mirror-process.ts';
import { listSubscriptions } from '#src/api/subscriptions.ts';
import { facts, table, type Column } from '#src/addons/dashboard/components/list.ts';
import { badge, command, foreign, time, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage, type Page, type PageCall } from '#src/addons/dashboard/page.ts';
import { list, partsOfMirror, refusalNotice } from './parts.ts';

const path = '/mirror/subscriptions';

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
            The service sends these webhooks. A worker checks them every few minutes and creates a disabled one again.
          </p>
          ${isCompared ? await comparison(call) : html`${await lastSeen(call)}${compareForm()}`}`,
      };
    },
  }),
];

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
  html`<h2>Compare with the service</h2>
    <p>Shows what <code>bootstrap</code> would change. It changes nothing.</p>
    <form method="get" action="${path}"><input type="hidden" name="compare" value="true" /><button>Compare</button></form>`;

async function comparison({ read }: PageCall): Promise<Markup> {
  const plan = await read(readSubscriptionPlan).catch(refusalNotice);
  if (!('steps' in plan)) return html`${plan}${compareForm()}`;
  return html`<h2>Plan</h2>
    <p>${plan.conclusion}</p>
    ${stepsTable(plan.steps)}
    ${list(plan.notes)}
    ${plan.pending ? html`<p>To do it: ${command('bootstrap')}</p>` : ''}
    <h2>At the service now</h2>
    ${table({
      caption: 'Subscriptions of this callback at the service',
      rows: plan.subscriptions,
      empty: 'No subscription at the service calls this callback.',
      columns,
    })}
    ${facts({ Organization: foreign(plan.organization), Callback: foreign(plan.callback) })}`;
}

/** What follows `?s=` tells our deliveries from others. */
const masked = (url: string | null): string | null => url?.replace(/\?.*$/s, '?s=…') ?? null;

const columns: readonly Column<SubscriptionPlan['subscriptions'][number]>[] = [
  { name: 'State', cell: ({ state, retry_started_at: since }) => stateBadge(state ?? 'unknown', since) },
  { name: 'Events', cell: ({ events }) => eventsText(events) },
  { name: 'Of', cell: ({ scope }) => scope },
  { name: 'Callback', cell: ({ callback_url }) => foreign(masked(callback_url)), isMinor: true },
];

const markStates = { '+': 'attention', '-': 'problem', '!': 'attention', '=': 'quiet' } as const;

const stepsTable = (steps: SubscriptionPlan['steps']): Markup =>
  table({
    caption: 'The steps of the plan',
    rows: steps,
    empty: 'The plan has no steps.',
    columns: [
      { name: 'Step', cell: ({ mark, action }) => badge(action, markStates[mark]) },
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
