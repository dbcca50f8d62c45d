import { describe, expect } from 'vitest';
import { overviewOf } from '#src/store/status-counts.ts';
import { ingestBodies, availableEngines, testWith } from '../../harness/stores.ts';

const delivery = (event: string, n: number): string =>
  JSON.stringify({ event, created_at: `2026-01-01T00:00:0${n}Z`, payload: { n } });

describe.each(availableEngines)('the counts of the mirror on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('name unknown kinds, the most frequent first, and none that could be a person', async ({ store }) => {
    const kinds = ['invitee.merged', 'contact.renamed', 'contact.renamed', 'ada@example.test', 'Ada Lovelace'];
    await ingestBodies(store, kinds.map(delivery));
    expect(await overviewOf(store)).toMatchObject({
      unhandled: 5,
      unknown_kinds: ['contact.renamed', 'invitee.merged'],
    });
  });
});
