// Folds every delivery that a filter matches again, up to a limit and in batches: as a dry run, or for real.
import { z } from 'zod';
import { isObject } from '#schemas/wire.ts';
import { conflict, invalid } from '#src/http/http-error.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { countDeliveries } from '#src/store/log/log-search.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { replay, type ReplayedEntry } from '#workers/sync/replay.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import {
  deliveryFilterFields,
  filterOf,
  mostExamples,
  mostReplayed,
  replayRecord,
  type ReplayRecord,
} from './delivery-records.ts';

/** How long the matching deliveries are counted, and how long a dry run takes. */
const countMs = 1_500;
const dryRunMs = 2_500;
/** Between two batches, deliveries and other requests use the store and the event loop. */
const pauseMs = 20;

type Needs = Pick<ApiContext, 'store' | 'reading' | 'screen' | 'tail' | 'clock'>;

export const replayDeliveries = defineOperation({
  id: 'replayDeliveries',
  method: 'POST',
  path: '/api/deliveries/replay',
  tag: 'Deliveries',
  summary: 'Fold every delivery that matches a filter again',
  description: `Begin with \`dry_run\`: it counts the deliveries, folds them in transactions that are rolled back, and answers what would change. Each batch of it is folded by itself, so of two deliveries about one row both may count as applied. A replay covers the oldest ${mostReplayed.toLocaleString('en')} that match; the command \`./bin/slotstream replay\` has no limit. If its outcome or a row changes, a delivery moves to the end of the log, where every consumer of the feed sees it.`,
  errors: { 409: 'Another replay or dry run is running.' },
  audited: (body) => !(isObject(body) && body['dry_run'] === true),
  body: deliveryFilterFields.extend({
    dry_run: z.boolean().default(false).describe('Answer what would change, and change nothing.'),
  }),
  answers: 'object',
  schema: replayRecord,
  async run({ body: { dry_run: dryRun, ...given }, replaying, ...needs }) {
    if (Object.values(given).every((value) => value === undefined))
      throw invalid({
        message: 'Give at least one filter; `./bin/slotstream replay --all` folds the whole log again.',
      });
    if (replaying.isRunning)
      throw conflict({ message: 'Another replay or preview is running. Try again when it is done.' });
    replaying.isRunning = true;
    try {
      const end = await lastSeq(needs.store);
      const maxSeq = Math.min(given.max_seq ?? end, end);
      return await replayMany(needs, { ...filterOf(given), maxSeq, hasBody: true }, dryRun);
    } finally {
      replaying.isRunning = false;
    }
  },
});

type BoundedFilter = DeliveryFilter & { readonly maxSeq: number };

async function replayMany(needs: Needs, filter: BoundedFilter, dryRun: boolean): Promise<ReplayRecord> {
  const { store, reading, screen, tail, clock } = needs;
  // What is to be changed is not looked for in a standby, which may be behind.
  const searched = store.engine.manyWriters ? store : reading.searches;
  const transitions = new Map<string, number>();
  const tables = new Map<string, number>();
  const examples: ReplayRecord['examples'] = [];
  function onChange({ seq, event, subjectUri, before, after, changes }: ReplayedEntry): void {
    increment(transitions, `${before ?? ''} ${after}`);
    for (const table of Object.keys(changes ?? {})) increment(tables, table);
    if (dryRun && examples.length < mostExamples)
      examples.push({ seq, event, subject_uri: subjectUri, before: before ?? '', after, changes });
  }
  const isOpen = () => !tail.closing.aborted;
  const countEnd = clock() + countMs;
  const matched = await countDeliveries(searched, filter, {
    most: mostReplayed,
    mayContinue: () => isOpen() && clock() < countEnd,
  });
  const dryRunEnd = dryRun ? clock() + dryRunMs : Number.POSITIVE_INFINITY;
  let [soFar, isStopped] = [0, false];
  let written: { first: number; last: number } | undefined;
  const { read, changed, stillQuarantined } = await replay(
    {
      store,
      searched,
      screen,
      onChange,
      onProgress(done, { written: range }) {
        soFar = done;
        if (range) written = { first: written?.first ?? range.low, last: range.high };
        tail.poke();
      },
    },
    filter,
    {
      dryRun,
      pauseMs,
      mayContinue() {
        isStopped ||= !isOpen() || soFar >= mostReplayed || clock() >= dryRunEnd;
        return !isStopped;
      },
    },
  );
  return {
    dry_run: dryRun,
    complete: !isStopped || (matched.isComplete && read === matched.count),
    up_to_seq: filter.maxSeq,
    matched: matched.count,
    matched_complete: matched.isComplete,
    matched_by_outcome: Object.entries(matched.byOutcome).map(([outcome, count]) => ({ outcome, count })),
    read,
    changed,
    still_quarantined: stillQuarantined,
    transitions: [...transitions].map(([outcomes, count]) => {
      const [before = '', after = ''] = outcomes.split(' ');
      return { before, after, count };
    }),
    tables: [...tables].map(([table, count]) => ({ table, count })),
    examples,
    first_seq: written?.first ?? null,
    last_seq: written?.last ?? null,
  };
}

function increment(counted: Map<string, number>, key: string): void {
  counted.set(key, (counted.get(key) ?? 0) + 1);
}
