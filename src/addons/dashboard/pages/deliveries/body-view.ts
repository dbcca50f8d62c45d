// The body of a delivery as it was sent: indented as text, with each problem at its field.
import { html } from 'hono/html';
import { readJson } from '#schemas/json-text.ts';
import { mistakeAt } from '#src/base/json-mistake.ts';
import { counted, number } from '#src/base/number-text.ts';
import { choices } from '#src/addons/dashboard/components/form.ts';
import { copyable, nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { jsonLines, lineAt, type JsonLine } from './json-text.ts';

export interface Problem {
  readonly path: NonNullable<JsonLine['path']>;
  readonly message: string;
}

export interface Body {
  readonly seq: number;
  readonly body: string | null;
  readonly encoding: string | null;
  readonly problems: readonly Problem[];
}

/** Longer bodies are not indented, and shown in part: a browser would take seconds. */
const mostIndented = 200_000;
const mostShown = 100_000;

export function bodyView(delivery: Body, url: URL): Markup {
  const { body, encoding, problems } = delivery;
  if (body === null)
    return html`<p>Its body was removed: it was older than <code>RETENTION_DAYS</code>, or it was erased.</p>`;
  if (encoding !== null)
    return html`<p>It is not text. This is its base64 encoding.</p>
      ${shortened(delivery)}`;
  const read = readJson(body);
  if (!read.ok && read.reason === 'not JSON') return html`${problemList(problems)}${brokenText(body, mistakeAt(body))}`;
  // Of a text that is too deep or too complex for a delivery, indentation alone would take the memory of the process.
  if (body.length > mostIndented || !read.ok) return html`${problemList(problems)}${shortened(delivery)}`;
  const isRaw = url.searchParams.get('body') === 'as-sent';
  const switched = choices('How the body is shown', [
    { text: 'Indented', href: url.pathname, isCurrent: !isRaw },
    { text: 'Exactly as sent', href: `${url.pathname}?body=as-sent`, isCurrent: isRaw },
  ]);
  return html`${problemList(problems)}${switched}${isRaw ? copyable(body) : indented(body, problems)}`;
}

function problemList(problems: readonly Problem[]): Markup {
  if (problems.length === 0) return nothing;
  return html`<div class="notice problem">
    <p>${counted(problems.length, 'problem')} keep${problems.length === 1 ? 's' : ''} it from being applied:</p>
    <ul>
      ${problems.map(({ path, message }) => html`<li><code>${path.join('.') || 'body'}</code>: ${message}</li>`)}
    </ul>
  </div>`;
}

function indented(body: string, problems: readonly Problem[]): Markup {
  const lines = jsonLines(body);
  const notes = new Map<number, string[]>();
  for (const { path, message } of problems) {
    const index = lineAt(lines, path);
    // A field that is missing is named where it should be.
    const missing = path.slice(lines[index]?.path?.length ?? 0).join('.');
    notes.set(index, [...(notes.get(index) ?? []), missing === '' ? message : `${missing}: ${message}`]);
  }
  return html`<pre class="json" tabindex="0"><code>${lines.map(({ indent, name, text }, index) => {
    const note = notes.get(index)?.join('; ');
    const named = name === '' ? '' : html`<span class="name">${name}</span>: `;
    const line = html`${'  '.repeat(indent)}${named}${text}`;
    return note === undefined ? html`${line}\n` : html`<mark data-problem="${note}">${line}</mark>\n`;
  })}</code></pre>`;
}

/** How much of a broken text is shown on either side of the mistake. */
const around = 2_000;

function brokenText(body: string, at: number): Markup {
  const from = Math.max(0, at - around);
  const rest = body.slice(at, at + around);
  const [first = ''] = rest;
  return html`<p>The text stops being JSON at character ${number(at + 1)}.</p>
    <pre class="json" tabindex="0"><code>${from > 0 ? '… ' : ''}${body.slice(from, at)}<mark class="spot" data-problem="here">${first}</mark>${rest.slice(first.length)}${body.length > at + around ? ' …' : ''}</code></pre>`;
}

function shortened({ seq, body }: Body): Markup {
  const text = body ?? '';
  const rest = text.length - mostShown;
  return html`${copyable(text.slice(0, mostShown))}
  ${rest > 0 ? html`<p>${counted(rest, 'more character')} in <a href="/api/deliveries/${seq}">the answer of the API</a>.</p>` : ''}`;
}
