// The oracle finds nothing in a sound database, and every planted fault.
import { describe, expect, it } from 'vitest';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { ingest } from '../../harness/ingest.ts';
import { receivedAt, storeEngines, type TestStore } from '../../harness/stores.ts';
import { canaries, history } from '../load/history.ts';
import { judge, type Evidence } from './judge.ts';

const seed = 18;
const bodies = history({ seed, count: 1500, poison: 0.03, startMs: Date.UTC(2026, 0, 1) });

describe.for(storeEngines.filter(({ available }) => available))('the oracle on $name', ({ fresh }) => {
  it('finds nothing in a sound database', async () => {
    await using test = await fresh();
    await fill(test);
    const verdict = await judge(evidenceOf(test.url));
    expect(verdict).toEqual({
      deliveries: bodies.length,
      acknowledged: bodies.length,
      lost: 0,
      unsent: 0,
      duplicated: 0,
      wrong: 0,
      invented: 0,
      quarantinedWrongly: 0,
      leaked: [],
      findings: [],
    });
  });
});

/** As the receiver and the queue hand them over. */
async function fill({ store }: TestStore): Promise<void> {
  const needs = { store, screen: privacyScreen({ eraseOnDelete: true }) };
  const deliveries = bodies.map((body) => {
    const isText = !body.includes('\0');
    return isText
      ? { body, receivedAt }
      : { body: Buffer.from(body).toString('base64'), encoding: 'base64', receivedAt };
  });
  for (let from = 0; from < deliveries.length; from += 100)
    await ingest(needs, { v: 1, deliveries: deliveries.slice(from, from + 100) }, receivedAt);
}

function evidenceOf(store: string): Evidence {
  const answers = [{ status: 202, atMs: 0, tookMs: 1 }];
  return { store, offered: bodies.map((body) => ({ body, answers })), outputs: {}, canaries: canaries(seed) };
}
