// Shows the little Markdown that recaps use: headings, lists, paragraphs and bold text. Everything else stays as it was written; links
// are not followed, because others wrote them.
import { html } from 'hono/html';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';

const listItem = /^\s*(?:[-*+]|\d+[.)])\s+/;
const heading = /^#{1,6}\s+/;

/** A first heading that repeats the heading above the text is left out. */
export function markdown(text: string, above = ''): Markup {
  const blocks: { readonly kind: 'list' | 'heading' | 'text'; readonly lines: string[] }[] = [];
  let isContinued = false;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') {
      isContinued = false;
      continue;
    }
    const kind = listItem.test(line) ? 'list' : heading.test(line) ? 'heading' : 'text';
    const last = blocks.at(-1);
    if (last && kind !== 'heading' && last.kind === kind && (isContinued || kind === 'list')) last.lines.push(line);
    else blocks.push({ kind, lines: [line] });
    isContinued = true;
  }
  const [first] = blocks;
  if (first?.kind === 'heading' && first.lines[0]?.replace(heading, '').trim() === above) blocks.shift();
  return html`<div class="prose">
    ${blocks.map(({ kind, lines }) => {
      if (kind === 'heading') return html`<h3>${inline(lines.join(' ').replace(heading, ''))}</h3>`;
      if (kind === 'list')
        return html`<ul>${lines.map((line) => html`<li>${inline(line.replace(listItem, ''))}</li>`)}</ul>`;
      return html`<p>${inline(lines.join('\n'))}</p>`;
    })}
  </div>`;
}

/** Bold text is every second part between double asterisks. */
const inline = (text: string): Markup =>
  html`<bdi>${text.split('**').map((part, index) => (index % 2 === 1 ? html`<strong>${part}</strong>` : part))}</bdi>`;

/** Without headings and marks, for a line of a list. */
export const plainText = (text: string): string =>
  text
    .replaceAll(/^#{1,6}\s.*$/gm, '')
    .replaceAll('**', '')
    .replaceAll(/\s+/g, ' ')
    .trim();
