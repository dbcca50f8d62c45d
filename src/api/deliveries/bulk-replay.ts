// Folds every delivery that a filter matches again: first as a dry run, then for real, in batches and with progress.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { instantOf } from '#src/base/time.ts';
import { conflict, invalid, notFound } from '#src/http/http-error.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { countDeliveries } from '#src/store/log/log-search.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { replay, type ReplayedEntry } from '#workers/sync/replay.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import {
  deliveryFilterFields,
  filterOf,
  mostExamples,
  replayRecord,
  type DeliveryFilterFields,
  type ReplayRecord,
  type ReplayRun,
} from './delivery-records.ts';

/** How long the matching deliveries are counted, how long a dry run takes, and how long a request waits for a replay to end. */
const countMs = 1_500;
const dryRunMs = 2_500;
const answerMs = 2_000;
/** How many finished replays a process remembers. */
const remembered = 20;

type Needs = Pick<ApiContext, 'store' | 'screen' | 'tail' | 'clock' | 'report' | 'replays'>;

export const replayDeliveries = defineOperation({
  id: 'replayDeliveries',
  method: 'POST',
  path: '/api/deliveries/replay',
  tag: 'Deliveries',
  summary: 'Fold every delivery that matches a filter again',
  description:
    'Begin with `dry_run`: it counts the deliveries, folds them in transactions that are rolled back, and answers what would change. Each batch of it is folded by itself, so of two deliveries about one row both may count as applied. A replay covers everything that matches, in batches; one that takes longer than two seconds continues after the answer. If its outcome or a row changes, a delivery moves to the end of the log, where every consumer of the feed sees it.',
  errors: { 409: 'Another replay is running.' },
  audited: true,
  body: deliveryFilterFields.extend({
    dry_run: z.boolean().default(false).describe('Answer what would change, and change nothing.'),
  }),
  answers: 'object',
  schema: replayRecord,
  async run({ body: { dry_run: dryRun, ...given }, ...needs }) {
    if (Object.values(given).every((value) => value === undefined))
      throw invalid({
        message: 'Give at least one filter; `./bin/slotstream replay --all` folds the whole log again.',
      });
    // Read first: nothing may be awaited between the check for a running replay and the beginning of this one.
    const end = await lastSeq(needs.store);
    const running = [...needs.replays.values()].find((each) => each.current().state === 'running');
    if (running && !dryRun) throw conflict({ message: `Another replay is running: ${running.current().id}.` });
    const run = beginReplay(needs, { given, dryRun, end });
    await (dryRun ? run.done : Promise.race([run.done, sleep(answerMs, undefined, { ref: false })]));
    return run.current();
  },
});

export const getReplay = defineOperation({
  id: 'getReplay',
  method: 'GET',
  path: '/api/deliveries/replays/{id}',
  tag: 'Deliveries',
  summary: 'How far a replay is, and what it did',
  description: `A process remembers its ${remembered} latest replays until it ends.`,
  params: z.object({ id: z.string().describe('Its `id`.') }),
  errors: { 404: 'No such replay.' },
  answers: 'object',
  schema: replayRecord,
  run({ replays, params }) {
    const run = replays.get(params.id);
    if (run === undefined) throw notFound('No such replay: the process remembers only its latest.', 'id');
    return run.current();
  },
});

export const bulkReplayOperations = [replayDeliveries, getReplay] as const;

interface ReplayRequest {
  readonly given: DeliveryFilterFields;
  readonly dryRun: boolean;
  /** The end of the log. */
  readonly end: number;
}

function beginReplay(needs: Needs, { given, dryRun, end }: ReplayRequest): ReplayRun {
  const { clock, replays } = needs;
  const upTo = Math.min(given.max_seq ?? end, end);
  const id = dryRun ? null : randomUUID();
  const record: ReplayRecord = {
    id,
    dry_run: dryRun,
    state: 'running',
    filter: Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    up_to_seq: upTo,
    matched: 0,
    matched_complete: false,
    matched_by_outcome: [],
    read: 0,
    reached_seq: null,
    changed: 0,
    still_quarantined: 0,
    transitions: [],
    tables: [],
    examples: [],
    first_seq: null,
    last_seq: null,
    started_at: instantOf(clock()),
    finished_at: null,
  };
  const done = runReplay(needs, record, { ...filterOf(given), maxSeq: upTo, hasBody: true });
  const run: ReplayRun = { done, current: () => record };
  if (id !== null) {
    replays.set(id, run);
    for (const oldest of replays.keys()) if (replays.size > remembered) replays.delete(oldest);
  }
  return run;
}

/** Writes what it does into the record. Never fails. */
async function runReplay(needs: Needs, record: ReplayRecord, filter: DeliveryFilter): Promise<void> {
  const { store, screen, tail, clock, report } = needs;
  const isOpen = () => !tail.closing.aborted;
  const transitions = new Map<string, number>();
  const tables = new Map<string, number>();
  function onChange({ seq, event, subjectUri, before, after, changes }: ReplayedEntry): void {
    record.changed += 1;
    const outcomes = { before: before ?? '', after };
    increment(transitions, `${before ?? ''} ${after}`);
    for (const table of Object.keys(changes ?? {})) increment(tables, table);
    // A replay is remembered, and an erasure does not reach what is remembered here.
    if (record.dry_run && record.examples.length < mostExamples)
      record.examples.push({ seq, event, subject_uri: subjectUri, ...outcomes, changes });
  }
  try {
    const countEnd = clock() + countMs;
    const counted = await countDeliveries(store, filter, () => isOpen() && clock() < countEnd);
    record.matched = counted.count;
    record.matched_complete = counted.isComplete;
    record.matched_by_outcome = Object.entries(counted.byOutcome).map(([outcome, count]) => ({ outcome, count }));
    const dryRunEnd = record.dry_run ? clock() + dryRunMs : Number.POSITIVE_INFINITY;
    let isStopped = false;
    const mayContinue = () => {
      isStopped ||= !isOpen() || clock() >= dryRunEnd;
      return !isStopped;
    };
    await replay(
      {
        store,
        screen,
        onChange,
        onProgress(read, { entries, stillQuarantined, written }) {
          record.read = read;
          record.reached_seq = entries.at(-1)?.seq ?? record.reached_seq;
          record.still_quarantined += stillQuarantined;
          if (written) {
            record.first_seq ??= written.low;
            record.last_seq = written.high;
          }
          record.transitions = [...transitions].map(([outcomes, count]) => {
            const [before = '', after = ''] = outcomes.split(' ');
            return { before, after, count };
          });
          record.tables = [...tables].map(([table, count]) => ({ table, count }));
          tail.poke();
        },
      },
      filter,
      { dryRun: record.dry_run, mayContinue },
    );
    record.state = isStopped && !(counted.isComplete && record.read === counted.count) ? 'stopped' : 'complete';
  } catch (error) {
    if (isOpen()) report(error);
    record.state = isOpen() ? 'failed' : 'stopped';
  }
  record.finished_at = instantOf(clock());
}

function increment(counted: Map<string, number>, key: string): void {
  counted.set(key, (counted.get(key) ?? 0) + 1);
}
