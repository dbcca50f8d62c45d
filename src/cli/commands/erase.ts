// `erase`: takes a person out of the mirror for good, and prints a receipt of what was removed where.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import type { Config } from '#src/config/load.ts';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { erase as erasePerson } from '#workers/privacy/erase.ts';
import { outOfReach, type Receipt } from '#workers/privacy/receipt.ts';
import { targetOf } from '#workers/privacy/target.ts';
import { renderTable, reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

export const erase = defineVerb({
  examples: ['slotstream erase name@example.com --dry-run', 'slotstream erase https://…/contacts/…'],
  arguments: {
    whom: { flags: '<uri-or-email>', help: 'the URI of a record, or an e-mail address', reads: z.string() },
  },
  options: {
    only: { flags: '--only', help: 'erase what is named, and follow no other address of the person', reads: flag },
    dryRun: { flags: '--dry-run', help: 'show what would be removed, remove nothing', reads: flag },
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
    const files = dryRun ? undefined : await scrubbed(store, context.now().getTime());
    const notes = [...outOfReach, ...(files ?? [])];
    const where = searched(config);
    context.out(
      json ? JSON.stringify({ ...receipt, store: where, out_of_reach: notes }) : told(receipt, { where, notes }),
    );
    return 0;
  },
});

/** A folder too far away finds nobody in an empty mirror. Of a server, its address may hold a password. */
function searched({ databaseUrl }: Pick<Config, 'databaseUrl'>): string {
  const [, path] = /^sqlite:(.*)$/s.exec(databaseUrl) ?? [];
  return path === undefined ? 'PostgreSQL' : `SQLite, ${path}`;
}

const attempts = 10;

/** Of what stands in files of the engine, the journal goes at once; the rest when a worker writes the file anew. */
async function scrubbed({ engine }: Store, nowMs: number): Promise<readonly string[]> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await engine.scrub(nowMs);
      return [engine.residue];
    } catch {
      // A reader of the running process holds the journal for a moment.
      await pause(200);
    }
  }
  return [engine.residue, 'The journal of the SQLite file, which somebody is reading: the running process empties it.'];
}

/** Which they are is not told: a receipt is kept. */
function followedOf({ dry_run, addresses: { followed, left } }: Receipt): string[] {
  const many = (count: number) => (count === 1 ? '1 other address' : `${count} other addresses`);
  const does = dry_run ? 'would be' : 'were';
  return [
    ...(followed > 0
      ? [
          `Followed: ${many(followed)} in the person's records. Everything under them ${does} erased too (not with --only).`,
        ]
      : []),
    ...(left > 0 ? [`Not followed: ${many(left)} in the person's records, of a user of your organization.`] : []),
  ];
}

function movedOf({ dry_run, removed: { moved } }: Receipt): string {
  const whose = moved === 1 ? '1 of the entries is about somebody else' : `${moved} of the entries are about others`;
  return `${whose}: without the mention ${dry_run ? 'they would come' : 'they came'} to the end of the log again, for readers of the feed.`;
}

/** Where there was nothing to take out. */
function nothingOf({ erased, dry_run, known, seqs }: Receipt): string {
  const found =
    'uri' in erased && !known ? 'Nothing here has this URI.' : 'Nothing was found here that is to be removed.';
  if (dry_run) return found;
  if (seqs.length === 0) return `${found} It was erased before.`;
  const later = 'uri' in erased ? 'should it come later, it' : 'what comes later, and is older than this,';
  return `${found} The erasure is in the log all the same: ${later} comes without the person.`;
}

interface Around {
  readonly where: string;
  readonly notes: readonly string[];
}

function told(receipt: Receipt, { where, notes }: Around): string {
  const { dry_run, at, subjects, removed, seqs, known } = receipt;
  const { rows, log_entries, quarantined, alerts, staged_pages } = removed;
  const counts = { ...rows, 'log entries': log_entries, quarantined, alerts, 'pages of a walk': staged_pages };
  // A tombstone for what nobody ever heard of is a row, but nothing was found.
  const found = Object.entries(counts).filter(([, count]) => known && count > 0);
  const table = renderTable(
    ['where', dry_run ? 'would change' : 'changed'],
    found.map(([name, count]) => [name, String(count)]),
  );
  const isListed = known && subjects.length > 0;
  return [
    dry_run ? `Nothing was erased: this is a dry run.` : `Erased at ${at}.`,
    `Searched: ${where}`,
    found.length === 0 ? nothingOf(receipt) : table,
    ...followedOf(receipt),
    ...(removed.moved > 0 ? [movedOf(receipt)] : []),
    ...(isListed ? ['Records of the person, and meetings they were invited to:'] : []),
    ...(isListed ? subjects.map(({ uri, table: of }) => `  ${of ?? 'unknown'} ${uri}`) : []),
    ...(dry_run ? [] : [`In the log: ${seqs.length === 0 ? 'as before' : seqs.join(', ')}.`]),
    'Not reached:',
    ...notes.map((note) => `- ${note}`),
  ].join('\n');
}
