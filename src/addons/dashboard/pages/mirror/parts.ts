// What the pages about the mirror have in common: the navigation between them, texts with code, lists, and refusals of the API.
import { html } from 'hono/html';
import { choices } from '#src/addons/dashboard/components/form.ts';
import { nothing, notice, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { ApiError } from '#src/api/ask.ts';

const parts = {
  '/mirror': 'Overview',
  '/mirror/subscriptions': 'Subscriptions',
  '/mirror/sync': 'Comparison',
  '/mirror/feed': 'Feed',
  '/mirror/alerts': 'Alerts',
  '/queues': 'Queue',
  '/mirror/settings': 'Settings',
} as const;

export type Part = keyof typeof parts;

export const partsOfMirror = (current: Part): Markup =>
  choices(
    'Parts of the mirror',
    Object.entries(parts).map(([href, text]) => ({ href, text, isCurrent: href === current })),
  );

/** Text of ours in which backticks mark code. */
export const withCode = (text: string): Markup =>
  html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;

/** What the API refused, as a notice within the page; any other error is thrown. */
export function refusalNotice(error: unknown): Markup {
  if (!(error instanceof ApiError)) throw error;
  return notice(error.message, 'problem');
}

export const list = (lines: readonly (Markup | string)[]): Markup =>
  lines.length === 0 ? nothing : html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`;
