// docs/dashboard.md, docs/feed.md and docs/tables.md: every address that they show is answered.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDashboard } from '../harness/mirror/dashboard.ts';
import { bearer } from '../harness/mirror/api-app.ts';
import { ingestBodies, storeEngines } from '../harness/stores.ts';
import { openedOnce } from '../harness/opened.ts';

const [sqlite] = storeEngines;
const dashboard = openedOnce(() => openDashboard(sqlite.fresh));

/** In blocks of code, at the beginning of a line; those with `…` are abbreviated. */
const addressesOf = (name: string): readonly string[] => {
  const page = readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
  const blocks = [...page.matchAll(/^```[^\n]*\n([^]*?)^```$/gm)].map(([, text = '']) => text);
  const lines = blocks.flatMap((text) => [...text.matchAll(/^(?:GET +)?(\/\S*)/gm)].map(([, address = '']) => address));
  return lines.filter((address) => !address.includes('…'));
};

/** Without positions, and without waiting for the next entry. */
const onAnEmptyLog = (address: string): string =>
  address
    .replaceAll(/after=\d+/g, 'after=0')
    .replaceAll(/(wait|timeout)=\d+/g, '$1=1')
    .replace(/lastEventId=[^&]+/, 'lastEventId=null');

it.each(['dashboard.md', 'feed.md'])('the addresses in docs/%s are answered', async (name) => {
  const addresses = addressesOf(name);
  expect(addresses.length).toBeGreaterThan(0);
  const refused = [];
  for (const address of addresses) {
    const { status } = await dashboard.page(onAnEmptyLog(address));
    if (status !== 200) refused.push(`${address}: ${status}`);
  }
  expect(refused).toEqual([]);
});

it('each question of docs/tables.md is answered, in the form that it accepts', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/tables.md'), 'utf8');
  const calls = [...page.matchAll(/^curl .*?(?:-H 'Accept: ([^']+)' )?'http:\/\/127\.0\.0\.1:8081([^']+)'$/gm)];
  expect(calls.filter(([, , address = '']) => address.startsWith('/api/tables/')).length).toBeGreaterThan(3);
  await ingestBodies(dashboard.store, ['{"event": "contact.merged", "payload": {}}']);
  for (const [, accept = 'application/json', address = ''] of calls) {
    const answer = await dashboard.admin.ask(address, { headers: { ...bearer, accept } });
    expect([address, answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([address, 200, accept]);
  }
});
