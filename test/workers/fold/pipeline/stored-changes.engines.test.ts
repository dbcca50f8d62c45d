// What the log stores about the changes of an entry, and readers get as it is: nothing of a created row, whole values otherwise.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, type JsonObject } from '#schemas/wire.ts';
import { readFeed } from '#src/feed/entry.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { entriesAt } from '#src/store/log/retention.ts';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import { longestValue } from '#workers/fold/pipeline/stored-changes.ts';
import type { Changes, Effect } from '#workers/fold/projections/merge.ts';
import { cut, history, reordered } from '../../../harness/data/delivery-histories.ts';
import { fold, readObservation } from '../../../harness/mirror/memory-fold.ts';
import { propertyTimeoutMs, runs } from '../../../harness/runs.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { emptyTables, freshMemory, ingestBodies } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const at = (second: number) => `2025-04-14T11:43:${String(second).padStart(2, '0')}.000000Z`;
const delivery = (event: string, second: number, payload: object) =>
  JSON.stringify({ event, created_at: at(second), payload });

const withoutCreated = ({ changes, created }: Pick<Effect, 'changes' | 'created'>) =>
  changes &&
  Object.fromEntries(
    Object.entries(changes).map(([table, columns]) => [table, created.includes(table) ? {} : columns]),
  );

describe('the changes of entries', () => {
  const opened = openedAnew(freshMemory);

  const entries = async () =>
    entriesAt(
      opened.store,
      Array.from({ length: await lastSeq(opened.store) }, (_, index) => index + 1),
    );
  const fed = async (): Promise<JsonObject[]> =>
    (await readFeed(opened.store, {}, { after: 0, limit: 1_000 })).entries.map(({ text }) => JSON.parse(text));

  it(
    'are those of the fold, for any order, duplication and batching of deliveries',
    async () => {
      await fc.assert(
        fc.asyncProperty(history(10).chain(reordered).chain(cut), async (batches) => {
          await emptyTables(opened.store);
          for (const batch of batches)
            await ingestBodies(
              opened.store,
              batch.map(({ body }) => body),
              false,
            );
          const { effects } = fold(
            batches.map((batch) => batch.map(readObservation)),
            { eraseOnDelete: false },
          );
          const merged = new Map<string, Changes | null>();
          for (const [index, { body }] of batches.flat().entries()) {
            const id = parseText(body, blankEntry).entry.delivery_id;
            const effect = effects[index];
            if (!merged.has(id)) merged.set(id, effect ? withoutCreated(effect) : null);
          }
          const log = await entries();
          const texts = new Map((await fed()).map(({ seq, changes }) => [seq, canonicalJson(changes)]));
          for (const entry of log) {
            const expected = canonicalJson(merged.get(entry.delivery_id) ?? null);
            expect(canonicalJson(entry.changes)).toBe(expected);
            expect(texts.get(entry.seq)).toBe(expected);
          }
        }),
        runs(20),
      );
    },
    propertyTimeoutMs,
  );

  it('have the length in place of a value that is longer than the limit', async () => {
    const contact = { uri: `${base}/contacts/1`, name: 'Ada', company: 'Old' };
    const [longest, longer] = ['x'.repeat(longestValue - 2), 'ada@example.test '.repeat(300)];
    await ingestBodies(opened.store, [
      delivery('contact.created', 1, contact),
      delivery('contact.updated', 2, { ...contact, company: longest }),
      delivery('contact.updated', 3, { ...contact, company: longer }),
    ]);
    expect((await fed()).slice(1).map(({ changes }) => changes)).toEqual([
      { contacts: { company: ['Old', longest] } },
      { contacts: { company: [longest, `… (${longer.length + 2} characters)`] } },
    ]);
  });
});
