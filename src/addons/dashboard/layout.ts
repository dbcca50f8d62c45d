// The frame of every page: head, navigation, footer, and the one style and the one script, both inline and allowed by their hash.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { html, raw } from 'hono/html';
import { installationFolder } from '#src/base/command.ts';
import { contentPolicy } from '#src/http/content-policy.ts';
import type { Markup } from './components/markup.ts';
import { sections, type Section, type View } from './page.ts';

const folder = join(installationFolder, 'src/addons/dashboard/assets');
const asset = (name: string): string => readFileSync(join(folder, name), 'utf8');
const style = readdirSync(folder)
  .filter((name) => name.endsWith('.css'))
  .toSorted((one, other) => order(one) - order(other) || one.localeCompare(other))
  .map(asset)
  .join('');
/** Without comments and indentation: they are not for browsers. */
const script = asset('script.js').replaceAll(/^\s*(?:(?:\/\/|\/\*\*).*\n)?/gm, '');

/** What others build on goes first. */
function order(name: string): number {
  const first = ['base.css', 'components.css'].indexOf(name);
  return first === -1 ? 2 : first;
}

export const contentSecurityPolicy = contentPolicy({ style, script, images: true, requests: true, forms: true });

export interface Frame {
  readonly section?: Section | undefined;
  /** The text that was searched for, on the page of the results. */
  readonly search?: string | undefined;
  readonly isReadOnly: boolean;
  /** Without tables there is one page. */
  readonly hasTables: boolean;
  readonly version: string;
}

export function documentOf(view: View, frame: Frame): Markup {
  const { title, liveAfter } = view;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:image/svg+xml,${icon}" />
        <title>${title} · Slotstream</title>
        <style>${raw(style)}</style>
        <script>${raw(script)}</script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/">Slotstream</a>
          ${frame.hasTables ? html`${navigation(frame.section)} ${searchForm(frame.search)}` : ''}
          ${liveAfter === undefined ? '' : liveButton}
        </header>
        ${mainOf(view)}
        ${footer(frame)}
      </body>
    </html> `;
}

export const mainOf = ({ content, liveAfter }: View): Markup =>
  html`<main id="main" tabindex="-1" ${liveAfter === undefined ? '' : html`data-live data-seq="${liveAfter}"`}>${content}</main>`;

const searchForm = (text = ''): Markup =>
  html`<form class="search" method="get" action="/search" role="search">
    <input type="search" name="q" value="${text}" maxlength="200" placeholder="Search" aria-label="Search people, bookings and deliveries" />
  </form>`;

const liveButton = html`<button type="button" class="live needs-script" data-action="live" aria-pressed="true">Live</button>`;

const navigation = (current: Section | undefined): Markup =>
  html`<nav aria-label="Pages">
    <ul class="plain">
      ${Object.entries(sections).map(([path, name]) => navigationEntry({ path, name }, current))}
    </ul>
  </nav>`;

const navigationEntry = ({ path, name }: { path: string; name: string }, current: Section | undefined): Markup =>
  html`<li><a href="${path}" ${path === current ? html`aria-current="page"` : ''}>${name}</a></li>`;

const footer = ({ isReadOnly, version }: Frame): Markup =>
  html`<footer class="row">
    <span>Slotstream ${version}</span>
    ${isReadOnly ? html`<span>You can look at everything and change nothing.</span>` : ''}
    <a href="/tables#http">API</a>
    <button type="button" class="plain needs-script" data-action="theme">Theme</button>
    <button type="button" class="plain needs-script" data-action="help">Keys <kbd>?</kbd></button>
    <form class="action" method="POST" action="/logout"><button class="plain">Log out</button></form>
  </footer>`;

const icon = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0a6d7a"/><path d="M4 5h8M4 8h5M4 11h8" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
);
