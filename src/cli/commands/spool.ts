// `spool recover`: puts the readable deliveries of damaged spool and journal files back, and names what could not be read.
import { slotstream } from '#src/base/command.ts';
import { z } from 'zod';
import { recoverDamaged, type Recovery } from '#src/receiver/spool/recover.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

const actions = ['recover'] as const;

export const spool = defineVerb({
  examples: ['slotstream spool recover --dry-run', 'slotstream spool recover'],
  arguments: {
    action: {
      flags: '<action>',
      help: 'recover: read the damaged files in DATA_DIR/spool and DATA_DIR/journal, and put their deliveries back',
      reads: z.enum(actions, `one of ${actions.join(', ')}`),
    },
  },
  options: {
    dryRun: { flags: '--dry-run', help: 'show what would be recovered, change nothing', reads: flag },
    json: asJson,
  },
  async run(context, { dryRun, json }) {
    const { dataDir } = context.config();
    const recovery = await recoverDamaged({ dataDir, dryRun });
    context.out(json ? JSON.stringify(recovery) : recoveryText(recovery, dataDir));
    return 0;
  },
});

function recoveryText({ dry_run, files, earlier_rests }: Recovery, dataDir: string): string {
  const rests = [...(dry_run ? [] : files.flatMap(({ rest }) => rest ?? [])), ...earlier_rests];
  if (files.length === 0)
    return [`No damaged segment in ${dataDir}/spool or ${dataDir}/journal.`, ...restLines(rests)].join('\n');
  const sum = (of: 'records' | 'deliveries' | 'unreadable_bytes') => files.reduce((all, each) => all + each[of], 0);
  const table = renderTable(
    ['file', 'deliveries', 'unreadable bytes'],
    files.map(({ file, deliveries, unreadable_bytes }) => [file, String(deliveries), String(unreadable_bytes)]),
  );
  const counts = `${sum('deliveries')} deliveries in ${sum('records')} valid records`;
  const unreadable = `${sum('unreadable_bytes')} bytes cannot be read`;
  return [
    table,
    ...(dry_run
      ? [`Nothing was changed: this is a dry run. Would put back: ${counts}. ${unreadable}.`]
      : [
          `Put back into the spool: ${counts}. ${unreadable}.`,
          'A running receiver enqueues them within a minute, otherwise the next start does. Those that were processed before are dropped.',
        ]),
    ...restLines(rests),
  ].join('\n');
}

function restLines(rests: readonly string[]): string[] {
  if (rests.length === 0) return [];
  return [
    'The unreadable bytes are in:',
    ...rests.map((path) => `  ${path}`),
    `A delivery in them may be lost, and they may contain personal data. Next: ${slotstream} reconcile --repair, then delete these files.`,
  ];
}
