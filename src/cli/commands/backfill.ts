// `backfill`: fills the tables with the records that the service already has.
import { slotstream } from '#src/base/command.ts';
import { z } from 'zod';
import { openCurrentMirror } from '#src/app/mirror.ts';
import { holdBackfillLock } from '#src/app/poll-job.ts';
import { requireSettings } from '#src/config/missing-settings.ts';
import { number } from '#src/base/number-text.ts';
import { instantOf } from '#src/base/time.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { backfill as fill, type BackfillReport } from '#workers/sync/backfill/backfill.ts';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import { allResources } from '#workers/sync/resources/registry.ts';
import { openSources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
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
    requireSettings(config, ['API_TOKEN']);
    const signal = context.stopping();
    const startedMs = context.now().getTime();
    using progress = printProgress(context);
    const { onPause, onRateLimit } = progress;
    const sources = await openSources(
      config,
      { onPause, onRateLimit },
      { retryBudget: retryBudgets.long, endsIfUnreachable: true, signal },
    ).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (sources === undefined) return 3;
    // Only now: a backfill that cannot begin leaves no folder and no database behind.
    using _lock = holdBackfillLock(config);
    await using store = await openCurrentMirror(config, context.log(), {
      create: true,
      uses: ['eraseOnDelete', 'events'],
    });
    const report = await fill(
      {
        store,
        sources,
        screen: privacyScreen(store.settings),
        now: () => instantOf(context.now()),
        ...progress,
      },
      { only: resources, restart, events: store.settings.events, signal },
    );
    const elapsedMs = context.now().getTime() - startedMs;
    if (json) context.out(JSON.stringify(asData(report, elapsedMs)));
    else context.out(asTable(report));
    if (!report.isComplete) context.notify(`Stopped. Run it again to resume: ${slotstream} backfill`);
    const isWhole = report.resources.every(({ counts }) => counts.left_out + counts.quarantined === 0);
    return report.isComplete && isWhole ? 0 : 3;
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

function asData({ isComplete, resources }: BackfillReport, elapsedMs: number): object {
  return {
    complete: isComplete,
    resources: resources.map(({ name, state, counts, missing }) => ({
      name,
      state,
      ...counts,
      missing,
    })),
    elapsed_ms: elapsedMs,
  };
}
