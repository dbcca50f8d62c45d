// The overview of the mirror: what each part is for, and what the checks of the mirror found there.
import { html } from 'hono/html';
import { getMirrorHealth } from '#src/api/overview/overview.ts';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { fixText } from '#src/addons/dashboard/pages/now/health.ts';
import { partsOfMirror, type Part } from './parts.ts';

export const overviewPage = definePage({
  path: '/mirror',
  section: '/mirror',
  async show({ ask, isReadOnly }) {
    const { health } = await ask(getMirrorHealth);
    const checks = Map.groupBy(health, ({ page }) => page);
    return {
      title: 'Mirror',
      content: html`${partsOfMirror('/mirror')}
        <h1>Mirror</h1>
        <p class="lead">Where the data comes from, whether it is right, and who reads it.</p>
        <div class="cards">
          ${card('Processes', 'What receives deliveries and stores them.', checks.get('/mirror'))}
          ${parts.map(([title, href, about]) => card(html`<a href="${href}">${title}</a>`, about, checks.get(href)))}
          ${isReadOnly ? '' : actions}
        </div>`,
    };
  },
});

const parts: readonly (readonly [title: string, href: Part, about: string])[] = [
  ['Subscriptions', '/mirror/subscriptions', 'The webhooks that the service sends.'],
  ['Comparison', '/mirror/sync', 'Whether the mirror equals the service.'],
  ['Feed', '/mirror/feed', 'The programs that read what changed, and how far they are.'],
  ['Alerts', '/mirror/alerts', 'The messages about bookings and about the mirror.'],
  ['Queue', '/queues', 'How much waits, and since when.'],
  ['Settings', '/mirror/settings', 'What is set, and where.'],
];

/** The table is for those who may act. */
const actions = card(
  html`<a href="/tables/admin_actions">Actions</a>`,
  'What people and programs changed: when, from where, and with which result.',
);

function card(title: Markup | string, about: string, checks: readonly HealthCheck[] = []): Markup {
  return html`<section class="card ${checks.some(({ state }) => state !== 'ok') ? 'attention' : ''}">
    <h2>${title}</h2>
    <p class="soft">${about}</p>
    ${checks.map(({ sentence, fix }) => html`<p>${sentence} ${fix === undefined ? '' : fixText(fix)}</p>`)}
  </section>`;
}
