// Golden files: what the product says, in text that a person reads and reviews. `npx vitest run FILE -u` writes them; CI refuses that flag.
import { stringify } from 'yaml';
import { expect } from 'vitest';
import type { ReadAnswer } from './mirror/read-api.ts';

/** A path is relative to the test. */
export const expectGolden = (text: string, path: string): Promise<void> =>
  expect(`${text.trimEnd()}\n`).toMatchFileSnapshot(path);

/** With sorted names: PostgreSQL orders those of JSON values itself. */
export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0, sortMapEntries: true });

type Record = Readonly<{ [name: string]: string | number | null }>;

/** The name of a record in a list: its place in the log, or the end of its URI. */
export const nameOf = ({ id, seq, person, no_show_uri, uri }: Record): string =>
  String(id ?? seq ?? person ?? no_show_uri ?? uri).replace(/^\S*\//, '');

interface Reader {
  get(address: string): Promise<ReadAnswer>;
}

/** Answers whole, as YAML. Page tokens are replaced: they are signed. */
export async function wholeAnswers({ get }: Reader, addresses: readonly string[]): Promise<string> {
  const parts = [];
  for (const address of addresses) {
    const { status, body } = await get(address);
    const text = yamlOf(body).replaceAll(/(_page_token: |page_token=)(?!null)\S+/g, '$1…');
    parts.push(`GET ${address}\n${status}\n${text}`);
  }
  return parts.join('\n');
}

/** Of lists, the names of the records; of refusals, why. */
export async function briefAnswers({ get }: Reader, addresses: readonly string[]): Promise<string> {
  const lines = [];
  for (const address of addresses) {
    const { status, body } = await get(address);
    const { collection = [body.resource] } = body as { readonly collection?: readonly Record[] };
    const found = status === 200 ? collection.map(nameOf).join(' ') : `${status} ${body.message}`;
    lines.push(`GET ${address}\n    ${found || 'nothing'}`);
  }
  return lines.join('\n');
}

const entities = { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&#39;': "'", '&amp;': '&' } as const;

/**
 * The content of a page as text, a line for each block: links as [text](address) with a star at the current one, fields as {name: value},
 * buttons as ‹text›, and ▾ before what is unfolded.
 */
export const readableText = (html: string): string =>
  (/<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? html)
    .replaceAll(/<(style|script)>.*?<\/\1>/gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/<a [^>]*aria-current[^>]*>/g, '$&*')
    .replaceAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/g, '[$2]($1)')
    .replaceAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/g, (_all, name: string, options: string) => {
      const [, chosen = ''] = /<option[^>]* selected[^>]*>([^<]*)/.exec(options) ?? [];
      return `{${name}: ${chosen}}`;
    })
    .replaceAll(/<input [^>]*?name="([^"]*)"([^>]*)>/g, (_all, name: string, rest: string) => {
      const [, value = ''] = /value="([^"]*)"/.exec(rest) ?? [];
      return `{${name}: ${value}}`;
    })
    .replaceAll(/<button[^>]*>(.*?)<\/button>/g, '‹$1›')
    .replaceAll(/<details[^>]* open[^>]*>/g, '\n▾ ')
    .replaceAll(/<\/t[hd]>\s*/g, ' | ')
    .replaceAll(
      /<\/?(?:p|h\d|li|tr|dt|section|div|table|caption|summary|details|form|figure|title|pre|ol|ul|svg)\b[^>]*>/g,
      '\n',
    )
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/&(?:quot|lt|gt|#39|amp);/g, (name) => entities[name as keyof typeof entities])
    .replaceAll(/(page_token=)[\w.%-]+/g, '$1…')
    .replaceAll(/ *\n[\s|]*/g, '\n')
    .replaceAll(/ {2,}/g, ' ')
    .trim();

interface Visitor {
  readonly reported: readonly unknown[];
  page(address: string): Promise<{ readonly status: number; readonly html: string }>;
}

/** What a visitor reads at each address. No page has a fault of its own. */
export async function readPages(visitor: Visitor, addresses: readonly string[]): Promise<string> {
  const parts = [];
  for (const address of addresses) {
    const { status, html } = await visitor.page(address);
    parts.push(`GET ${address}\n${status}\n\n${readableText(html)}`);
  }
  expect(visitor.reported).toEqual([]);
  return `${parts.join('\n\n')}\n`;
}
