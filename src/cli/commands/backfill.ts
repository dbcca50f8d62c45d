// `backfill`: fills the tables with the records that the service already has.
import { z } from 'zod';
import { copyData, copyExisting, isWhole } from '#src/app/first-copy.ts';
import { slotstream } from '#src/base/command.ts';
import { number } from '#src/base/number-text.ts';
import type { BackfillReport } from '#workers/sync/backfill/backfill.ts';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';
import { kindsText, printProgress } from '#src/cli/backfill-progress.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

const names = allResources.map(({ name }) => name);

export const backfill = defineVerb({
  examples: [
    'slotstream backfill                        # everything',
    'slotstream backfill contacts event_types   # only these',
    'slotstream backfill --restart              # from the beginning, even if an earlier run was interrupted',
    '',
    `Resources: ${names.join(', ')}`,
    'scheduled_events includes the invitees, routing_forms the submissions, organization_memberships the users.',
  ],
  arguments: {
    resources: {
      flags: '[resource...]',
      help: 'what to read (default: everything that EVENTS requires)',
      reads: z.array(z.enum(names, 'known resources')).default([]),
      names,
    },
  },
  options: {
    restart: { flags: '--restart', help: 'start over instead of resuming', reads: flag },
    json: asJson,
  },

  async run(context, { resources, restart, json }) {
    const config = context.config();
    const startedMs = context.now().getTime();
    using progress = printProgress(context);
    const { log, now } = context;
    const report = await copyExisting(
      { config, log, now, signal: context.stopping(), progress },
      { only: resources, restart },
    );
    if (report === undefined) return 3;
    const elapsedMs = context.now().getTime() - startedMs;
    if (json) context.out(JSON.stringify(copyData(report, elapsedMs)));
    else context.out(asTable(report));
    if (!report.isComplete) context.notify(`Stopped. Run it again to resume: ${slotstream} backfill`);
    return isWhole(report) ? 0 : 3;
  },
});

function asTable({ resources }: BackfillReport): string {
  const rows = resources.map(({ name, state, counts }) => [
    name,
    state.replace('_', ' '),
    rowsText(counts),
    ...[counts.created, counts.updated, counts.unchanged, counts.quarantined, counts.left_out].map(number),
  ]);
  return renderTable(['resource', 'state', 'rows', 'created', 'updated', 'unchanged', 'quarantined', 'left out'], rows);
}

/** `70 (35 scheduled events, 35 invitees)`; the number alone where all are of one kind. */
function rowsText({ rows, by_kind }: Counts): string {
  return Object.keys(by_kind).length > 1 ? `${number(rows)} (${kindsText(by_kind)})` : number(rows);
}
