// Golden files: what the product says, in text that a person reads and reviews. `npx vitest run FILE -u` writes them; CI refuses that flag.
import { stringify } from 'yaml';
import { expect } from 'vitest';
import type { ReadAnswer } from './mirror/read-api.ts';

/** A path is relative to the test. */
export const expectGolden = (text: string, path: string): Promise<void> =>
  expect(`${text.trimEnd()}\n`).toMatchFileSnapshot(path);

export const yamlOf = (value: unknown): string => stringify(value, { lineWidth: 0 });

type Record = Readonly<{ [name: string]: string | number | null }>;

/** The name of a record in a list: its place in the log, or the end of its URI. */
export const nameOf = ({ id, seq, journey_uri, person, no_show_uri, uri }: Record): string =>
  String(id ?? seq ?? journey_uri ?? person ?? no_show_uri ?? uri).replace(/^\S*\//, '');

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
