// Answers whether an invitee came: first at the service, then in the log, so that a process which ends in between leaves what the service has.
//
//   no_show  POST the mark    ─▶ fold it ─▶ take an answer that they came back
//   came     DELETE the mark  ─▶ fold it ─▶ log: attendance.confirmed
//   none     DELETE the mark  ─▶ fold it ─▶ log: attendance.withdrawn
//
// Webhooks about the mark may come before, after or never. A step that has nothing to do changes nothing, so the same answer can be given
// any number of times.
import { instantOf } from '#src/base/time.ts';
import { appendEntries } from '#src/store/log/append.ts';
import { readRows } from '#src/store/rows.ts';
import { ApiError, isStatus } from '#src/upstream/api-error.ts';
import type { Client } from '#src/upstream/client.ts';
import { createInviteeNoShow, deleteInviteeNoShow, getInvitee } from '#src/upstream/endpoints.ts';
import { fold, type FoldNeeds } from '#workers/fold/pipeline/fold.ts';
import { blankEntry, parseText } from '#workers/fold/pipeline/parse.ts';
import { attendanceEntry, type Answerer } from '#workers/fold/projections/attendance.ts';
import { merge } from '#workers/fold/projections/merge.ts';
import { factsOf } from '#workers/fold/projections/no-show.ts';
import { requireSameOrganization } from './mirror-identity.ts';
import { ingestRecords, type ServiceRecord } from './records.ts';
import { accountOf, type Sources } from './sources.ts';

export const answers = ['no_show', 'came', 'none'] as const;

export interface Answer {
  /** The URI of an invitee that is mirrored. */
  readonly invitee: string;
  readonly answer: (typeof answers)[number];
  readonly by: Answerer;
}

/** Answers at the service and in the log. */
export type AnswerRecorder = (answer: Answer) => Promise<void>;

export interface AnswerNeeds extends FoldNeeds {
  readonly openSources: () => Promise<Sources>;
  readonly now: () => Date;
}

export async function recordAnswer(needs: AnswerNeeds, { invitee, answer, by }: Answer): Promise<void> {
  const sources = await needs.openSources();
  await requireSameOrganization(needs.store, accountOf(sources), { claims: false });
  if (answer === 'no_show') await mark(needs, sources, invitee);
  else await unmark(needs, sources, invitee);
  await logAnswer(needs, { invitee, came: answer === 'came', by });
}

/** With which status the service refused an answer; undefined for any other error. */
export const statusOf = (error: unknown): number | undefined => (error instanceof ApiError ? error.status : undefined);

type CallNeeds = Pick<Sources, 'client'>;

async function mark(needs: AnswerNeeds, { client }: CallNeeds, invitee: string): Promise<void> {
  try {
    const { record, observed } = await createInviteeNoShow(client, invitee);
    await ingest(needs, [markRecord(invitee, record, observed)]);
  } catch (error) {
    // It is marked already, or cannot be marked: then the error of the service says why.
    if (!isStatus(error, 400) && !isStatus(error, 409)) throw error;
    if ((await readMark(needs, client, invitee)) === undefined) throw error;
  }
}

const markRecord = (invitee: string, { uri = '', created_at = null }: Mark, observed: string): ServiceRecord => ({
  kind: 'invitee_no_show',
  record: { uri: invitee, no_show: { uri, created_at } },
  observed,
});

type Mark = { readonly uri?: unknown; readonly created_at?: unknown };

/** Reads the invitee, folds what the service has, and returns its mark. */
async function readMark(needs: AnswerNeeds, client: Client, invitee: string): Promise<string | undefined> {
  const { record, value, observed } = await getInvitee(client, invitee);
  const read: ServiceRecord = { kind: 'invitee', record, observed };
  const found = value.no_show;
  // The mark by itself too: the time of observation is rounded down, and an unmark of the same second would follow the record.
  await ingest(needs, found?.uri ? [read, markRecord(invitee, found, observed)] : [read]);
  return found?.uri ?? undefined;
}

async function unmark(needs: AnswerNeeds, { client }: CallNeeds, invitee: string): Promise<void> {
  const stored = await openMark(needs, invitee);
  const current = await readMark(needs, client, invitee);
  let at = instantOf(needs.now());
  if (current !== undefined)
    try {
      at = await deleteInviteeNoShow(client, current);
    } catch (error) {
      // Another one has removed it.
      if (!isStatus(error, 404)) throw error;
    }
  // A mark that was stored before the service was asked, and that it does not have, is removed as well.
  const removed = new Set([stored, current].filter((uri) => uri !== undefined));
  await ingest(
    needs,
    [...removed].map((uri) => ({
      kind: 'invitee_no_show',
      record: { uri: invitee, no_show: { uri }, deleted_at: at },
      observed: at,
    })),
  );
}

async function openMark({ store }: AnswerNeeds, invitee: string): Promise<string | undefined> {
  const row = await store.transaction(async (unit) => (await readRows(unit, 'invitees', [invitee])).get(invitee));
  const uri = row?.['no_show_uri'];
  return typeof uri === 'string' ? uri : undefined;
}

async function ingest(needs: AnswerNeeds, records: readonly ServiceRecord[]): Promise<void> {
  await ingestRecords(needs, records, { source: 'reconcile', now: instantOf(needs.now()) });
}

/** Nothing where the log says so already. */
function logAnswer(
  { store, screen, now }: AnswerNeeds,
  { invitee, came, by }: Pick<Answer, 'invitee' | 'by'> & { readonly came: boolean },
): Promise<void> {
  return store.transaction(async (unit) => {
    const row = (await readRows(unit, 'invitees', [invitee])).get(invitee);
    const { answer } = factsOf(row?.['no_show_facts'] ?? null);
    if ((answer?.came ?? false) === came) return;
    const at = instantOf(Math.max(now().getTime(), Date.parse(answer?.at ?? '') + 1 || 0));
    const entry = attendanceEntry({ invitee, came, by, at }, blankEntry);
    const item = parseText(entry.body ?? '', entry);
    await fold(unit, await screen.screen(unit, [item]), {
      apply: (rows, fact) => merge(rows, fact, screen),
      locksLog: true,
      record: (_unit, folded) =>
        appendEntries(
          unit,
          folded.map((each) => each.entry),
        ),
    });
  });
}
