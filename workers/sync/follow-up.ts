// Reads again what the service changes without a webhook: links of conferences that were still being created, and the transcripts of
// recaps. Each part has a limit per run, so that neither delays the other.
//
// Most of the state is in the rows: `as_of` says when a meeting was last observed. Stored besides is what could not be read, so that it
// is asked for ever more rarely. Times that a clock which was ahead has stored do not count.
import { z } from 'zod';
import { speakersRecord } from '#schemas/meeting-recap.ts';
import { isTransient } from '#src/base/errors.ts';
import { backoffMs } from '#src/base/retry-policy.ts';
import { dayMs, instantOf, minuteMs } from '#src/base/time.ts';
import {
  meetingsWithPendingLink,
  unreadTranscripts,
  type MeetingTimes,
  type UnreadTranscript,
} from '#src/store/follow-up-rows.ts';
import { keyValue, readValue, writeValue } from '#src/store/key-value.ts';
import { isStatus } from '#src/upstream/api-error.ts';
import { getScheduledEvent, getTranscript } from '#src/upstream/endpoints.ts';
import type { FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { requireSameOrganization } from './mirror-identity.ts';
import { ingestRecords, type ServiceRecord } from './records.ts';
import { isReadFailure } from './resources/left-out.ts';
import { accountOf, isOfService, type Sources } from './sources.ts';

export interface FollowUpNeeds extends FoldNeeds {
  /** Called only when there is something to read. */
  readonly openSources: () => Promise<Sources>;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
}

const state = z.object({
  /** What could not be read, or was read and remained as it was: how often, and when it may be asked for again. */
  postponed: z.record(z.string(), z.object({ times: z.number(), until: z.string() })).default({}),
});
const stored = keyValue('follow_up', state);

/** Requests of one run, each for one record. */
const mostLinks = 30;
const mostTranscripts = 20;
const mostCandidates = 1_000;
const mostPostponed = 1_000;
const firstDelayMs = 2 * minuteMs;
const postponing = { firstMs: firstDelayMs, longestMs: 7 * dayMs };

/** Returns how many records each part read; undefined when there was nothing to read. */
export async function readFollowUps(needs: FollowUpNeeds): Promise<object | undefined> {
  const before = (await readValue(needs.store, stored)) ?? { postponed: {} };
  const run = openRun(needs, before);
  try {
    const links = await readPendingLinks(run);
    const transcripts = await readTranscripts(run);
    return links + transcripts > 0 ? { links, transcripts } : undefined;
  } finally {
    if (run.state !== before) await needs.store.transaction((unit) => writeValue(unit, stored, run.state));
  }
}

type Run = ReturnType<typeof openRun>;

function openRun(needs: FollowUpNeeds, before: z.output<typeof state>) {
  const nowMs = needs.now().getTime();
  let opened: Promise<Sources> | undefined;
  const run = {
    ...needs,
    nowMs,
    state: before,
    sources: () => (opened ??= openSameOrganization(needs)),
    isPostponed(key: string) {
      const { times = 0, until = '' } = run.state.postponed[key] ?? {};
      return until > instantOf(nowMs) && msOf(until) <= nowMs + backoffMs(postponing, times);
    },
    postpone(key: string) {
      const times = (run.state.postponed[key]?.times ?? 0) + 1;
      const until = instantOf(nowMs + backoffMs(postponing, times));
      const others = Object.entries(run.state.postponed).filter(([each]) => each !== key);
      run.state = {
        ...run.state,
        postponed: Object.fromEntries([...others, [key, { times, until }] as const].slice(-mostPostponed)),
      };
    },
    /** What is not there, or may not be read, does not stop the others. `owner`: whose other records are then not read either. */
    async read(uri: string, get: (sources: Sources) => Promise<ServiceRecord>, owner = uri) {
      const sources = await run.sources();
      // A rehearsal leaves rows of another service.
      if (!isOfService(sources, uri)) return run.postpone(uri);
      try {
        await ingestRecords(needs, [await get(sources)], { source: 'reconcile', now: instantOf(needs.now()) });
      } catch (error) {
        if (needs.signal?.aborted === true) throw error;
        run.postpone(isStatus(error, 403) ? owner : uri);
        if (!isReadFailure(error) || isTransient(error)) throw error;
      }
    },
  };
  return run;
}

async function openSameOrganization({ store, openSources }: FollowUpNeeds): Promise<Sources> {
  const sources = await openSources();
  await requireSameOrganization(store, accountOf(sources), { claims: true });
  return sources;
}

const msOf = (time: string | null): number => Date.parse(time ?? '') || 0;
/**
 * Two minutes after it was observed, then as long after as it had not changed, which doubles the delay; but at the latest half way to
 * the start. So a meeting is read a limited number of times, and often where it matters.
 */
function linkDueMs({ start_time, updated_at, as_of }: MeetingTimes): number {
  const seenMs = msOf(as_of);
  const untilStartMs = msOf(start_time) - seenMs;
  const delayMs = Math.min(seenMs - msOf(updated_at), untilStartMs > 0 ? untilStartMs / 2 : Infinity);
  return seenMs + Math.max(firstDelayMs, delayMs);
}

function readPendingLinks(run: Run): Promise<number> {
  return readDue(run, {
    rows: () => meetingsWithPendingLink(run.store, { now: instantOf(run.nowMs), limit: mostCandidates }),
    isDue: (row) => !run.isPostponed(row.uri) && linkDueMs(row) <= run.nowMs,
    read: ({ uri }) =>
      run.read(uri, async ({ client }) => {
        const { record, observed } = await getScheduledEvent(client, uri, { signal: run.signal });
        return { kind: 'scheduled_event', record, observed };
      }),
    most: mostLinks,
  });
}

interface Part<Row> {
  readonly rows: () => Promise<readonly Row[]>;
  readonly isDue: (row: Row) => boolean;
  readonly read: (row: Row) => Promise<void>;
  readonly most: number;
}

async function readDue<Row extends { readonly uri: string }>(run: Run, part: Part<Row>): Promise<number> {
  const read = new Set<string>();
  for (const row of await part.rows()) {
    if (read.size === part.most) break;
    if (!part.isDue(row)) continue;
    read.add(row.uri);
    await part.read(row);
  }
  if (read.size === 0) return 0;
  // What is still due would be read in every run: the clocks may differ, or the answer is older than the row.
  for (const row of await part.rows()) if (read.has(row.uri) && part.isDue(row)) run.postpone(row.uri);
  return read.size;
}

function readTranscripts(run: Run): Promise<number> {
  return readDue(run, {
    rows: () => unreadTranscripts(run.store, mostCandidates + Object.keys(run.state.postponed).length),
    isDue: ({ uri, user }) => !run.isPostponed(uri) && !run.isPostponed(user ?? uri),
    read: (recap) => readTranscript(run, recap),
    most: mostTranscripts,
  });
}

/** As the owner of the recap, or else as an administrator (A26). Only who spoke is stored, never their words. */
function readTranscript(run: Run, recap: UnreadTranscript): Promise<void> {
  const { uri, user } = recap;
  return run.read(
    uri,
    async ({ client, users }) => {
      const owner = users.find((each) => each.uri === user)?.client ?? client;
      const { value, observed } = await getTranscript(owner, uri, { signal: run.signal });
      return { kind: 'meeting_recap_transcript', record: speakersRecord(recap, value), observed };
    },
    user ?? uri,
  );
}
