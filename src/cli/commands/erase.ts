// `erase`: permanently erases a person from the mirror, and prints a receipt of what was removed where.
import { duration } from '#src/base/number-text.ts';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import type { Config } from '#src/config/load.ts';
import { instantOf, timeText } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { erase as erasePerson } from '#workers/fold/privacy/erase.ts';
import type { Receipt } from '#workers/fold/privacy/receipt.ts';
import { targetOf } from '#workers/fold/privacy/target.ts';
import { renderTable, reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

export const erase = defineVerb({
  examples: ['slotstream erase name@example.com --dry-run', 'slotstream erase https://…/contacts/…'],
  arguments: {
    whom: { flags: '<uri-or-email>', help: 'the URI of a record, or an e-mail address', reads: z.string() },
  },
  options: {
    only: {
      flags: '--only',
      help: 'erase only this address or record, not the other addresses of the person',
      reads: flag,
    },
    dryRun: { flags: '--dry-run', help: 'show what would be removed without removing it', reads: flag },
    json: asJson,
  },
  async run(context, { whom, only, dryRun, json }) {
    const target = targetOf(whom);
    const config = context.config();
    await using store = await openMirror(config, context.log());
    const receipt = await erasePerson(
      {
        store,
        newKey: () => randomBytes(32).toString('hex'),
        onProgress: reportProgress(context, 'log entries'),
      },
      target,
      { now: instantOf(context.now()), dryRun, only },
    );
    const isScrubbed = dryRun || (await scrubFiles(store, context.now().getTime()));
    const notes = [outOfReach, ...retainedNotes(config), ...(isScrubbed ? [] : [journalIsRead])];
    const where = storeName(config);
    context.out(
      json ? JSON.stringify({ ...receipt, store: where, out_of_reach: notes }) : receiptText(receipt, { where, notes }),
    );
    return 0;
  },
});

/** Shown so that an erasure in the wrong folder is noticed. A server's URL is left out: it may contain a password. */
function storeName({ databaseUrl }: Pick<Config, 'databaseUrl'>): string {
  const [, path] = /^sqlite:(.*)$/s.exec(databaseUrl) ?? [];
  return path === undefined ? 'PostgreSQL' : `SQLite, ${path}`;
}

const outOfReach =
  'Not reached: the service itself, backups, exported files, readers of the feed, and files of the queue. What to do about each: docs/erasure.md#what-it-does-not-reach';
/** By the settings of this process; receivers have their own. */
const retainedNotes = ({ diskLog: { mode, keepMs } }: Pick<Config, 'diskLog'>): readonly string[] =>
  mode === 'every' && keepMs > 0
    ? [
        `Receivers keep deliveries that were processed, also about this person, for DISK_LOG_KEEP (${duration(keepMs)}) and then delete them.`,
      ]
    : [];
const journalIsRead = 'The journal of the SQLite file is being read: the running process empties it.';

const attempts = 10;

/** Empties the engine's journal at once; false when readers do not let go of it. */
async function scrubFiles({ engine }: Store, nowMs: number): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await engine.scrub(nowMs);
      return true;
    } catch {
      // A reader in the running process briefly holds the journal.
      await pause(200);
    }
  }
  return false;
}

/** Counts only: a receipt is stored, so it must not contain the addresses. */
function addressLines({ dry_run, addresses: { followed, left } }: Receipt): string[] {
  const many = (count: number) => (count === 1 ? '1 other address' : `${count} other addresses`);
  const does = dry_run ? 'would be' : 'were';
  return [
    ...(followed > 0
      ? [
          `Followed: ${many(followed)} in the person's records. Everything with them ${does} erased too (use --only to prevent this).`,
        ]
      : []),
    ...(left > 0
      ? [`Not followed: ${many(left)} in the person's records, because a user of your organization has them.`]
      : []),
  ];
}

function movedText({ dry_run, removed: { moved } }: Receipt): string {
  const which =
    moved === 1 ? '1 of the entries is about another record' : `${moved} of the entries are about other records`;
  return `${which}: without the mention of the person, they ${dry_run ? 'would move' : 'moved'} to the end of the log, so that readers of the feed see them again.`;
}

function nothingRemovedText({ erased, dry_run, known, seqs }: Receipt): string {
  const found = 'uri' in erased && !known ? 'No record here has this URI.' : 'There was nothing to remove.';
  if (dry_run) return found;
  if (seqs.length === 0) return `${found} It was already erased.`;
  const late = 'uri' in erased ? 'if the record arrives later,' : 'if an older record with the address arrives later,';
  return `${found} The erasure is recorded in the log: ${late} the person is removed from it. If you mistyped it, run this again with the right one.`;
}

interface ReceiptContext {
  readonly where: string;
  readonly notes: readonly string[];
}

function receiptText(receipt: Receipt, { where, notes }: ReceiptContext): string {
  const { dry_run, at, subjects, removed, seqs, known } = receipt;
  const { rows, log_entries, quarantined, alerts } = removed;
  const counts = { ...rows, 'log entries': log_entries, quarantined, alerts };
  // The tombstone of an unknown record is a row, but nothing was found.
  const found = Object.entries(counts).filter(([, count]) => known && count > 0);
  const table = renderTable(
    ['where', dry_run ? 'would change' : 'changed'],
    found.map(([name, count]) => [name, String(count)]),
  );
  const isListed = known && subjects.length > 0;
  const head = [
    dry_run ? 'Nothing was erased: this is a dry run.' : `Erased at ${timeText(at)}.`,
    `Searched: ${where}`,
  ];
  const [first = '', ...rest] = head;
  if (found.length === 0)
    return [dry_run ? first : 'Nothing was found, so nothing was erased.', ...rest, nothingRemovedText(receipt)].join(
      '\n',
    );
  return [
    ...head,
    table,
    ...addressLines(receipt),
    ...(removed.moved > 0 ? [movedText(receipt)] : []),
    ...(isListed ? ['Records of the person, and meetings they were invited to:'] : []),
    ...(isListed ? subjects.map(({ uri, table: of }) => `  ${of ?? 'unknown'} ${uri}`) : []),
    ...(dry_run
      ? []
      : [`Log entries of the erasure: ${seqs.length === 0 ? 'none, it was already recorded' : seqs.join(', ')}.`]),
    ...notes,
  ].join('\n');
}
