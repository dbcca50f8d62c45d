// `erase`: takes a person out of the mirror for good, and prints a receipt of what was removed where.
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openStoreLoudly } from '#src/app.ts';
import type { Store } from '#src/store/contract.ts';
import { erase as erasePerson } from '#workers/erasure/erase.ts';
import { outOfReach, type Receipt } from '#workers/erasure/receipt.ts';
import { targetOf } from '#workers/erasure/target.ts';
import { progressOf } from './progress.ts';
import { renderTable } from './table.ts';
import { asJson, defineVerb, flag } from './verb.ts';

export const erase = defineVerb({
  name: 'erase',
  summary: 'take a person out of tables, log and quarantine for good, and print a receipt',
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
    await using store = await openStoreLoudly(config, context.log());
    const receipt = await erasePerson(
      {
        store,
        options: { eraseOnDelete: config.eraseOnDelete },
        newKey: () => randomBytes(32).toString('hex'),
        onProgress: progressOf(context, 'log entries'),
      },
      target,
      { now: context.now().toISOString().replace('Z', '000Z'), dryRun, only },
    );
    const files = dryRun ? undefined : await scrubbed(store, context.now().getTime());
    const notes = [...outOfReach, ...(files ?? [])];
    context.out(json ? JSON.stringify({ ...receipt, out_of_reach: notes }) : told(receipt, notes));
    return 0;
  },
});

const attempts = 10;

/** Of what stands in files of the engine, the journal goes at once; the rest when a worker writes the file anew. */
async function scrubbed({ engine }: Store, nowMs: number): Promise<readonly string[]> {
  if (engine.name !== 'sqlite') return ['Pages of the database that wait for its next vacuum.'];
  const later =
    'Copies within the pages of the SQLite file: a running `start` or `work` writes it anew within about a day.';
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      await engine.scrub(nowMs);
      return [later];
    } catch {
      // A reader of the running process holds the journal for a moment.
      await pause(200);
    }
  }
  return [later, 'The journal of the SQLite file, which somebody is reading: the running process empties it.'];
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

function told(receipt: Receipt, notes: readonly string[]): string {
  const { dry_run, at, subjects, removed, seqs } = receipt;
  const { rows, log_entries, quarantined, alerts, staged_pages } = removed;
  const counts = { ...rows, 'log entries': log_entries, quarantined, alerts, 'pages of a walk': staged_pages };
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  const table = renderTable(
    ['where', dry_run ? 'would change' : 'changed'],
    found.map(([where, count]) => [where, String(count)]),
  );
  return [
    dry_run ? 'Nothing was erased: this is what would be.' : `Erased at ${at}.`,
    found.length === 0
      ? 'Nothing was found here. What comes later, and is older than this, comes without the person.'
      : table,
    ...followedOf(receipt),
    ...(removed.moved > 0 ? [movedOf(receipt)] : []),
    ...(subjects.length > 0 ? ['Records of the person, and meetings they were invited to:'] : []),
    ...subjects.map(({ uri, table: of }) => `  ${of ?? 'unknown'} ${uri}`),
    ...(dry_run ? [] : [`In the log: ${seqs.join(', ')}${seqs.length === 0 ? 'as before' : ''}.`]),
    'Not reached:',
    ...notes.map((note) => `- ${note}`),
  ].join('\n');
}
