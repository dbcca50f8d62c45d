// `backfill`: fills the tables with the records that the service already has.
import { slotstream } from '#src/base/command.ts';
import { join } from 'node:path';
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { instantOf } from '#src/base/time.ts';
import { holdLock } from '#src/base/process-lock.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { backfill as fill, type BackfillReport, type ResourceOutcome } from '#workers/sync/backfill/backfill.ts';
import type { Counts } from '#workers/sync/backfill/progress.ts';
import { allResources, type Notice, type Resource } from '#workers/sync/resources/registry.ts';
import { openSources, type Sources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, type VerbContext } from '#src/cli/verb.ts';

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
      reads: z.array(z.enum(names, `among ${names.join(', ')}`)).default([]),
    },
  },
  options: {
    restart: { flags: '--restart', help: 'start over instead of resuming', reads: flag },
    json: asJson,
  },

  async run(context, { resources, restart, json }) {
    const config = context.config();
    const signal = context.stopping();
    using _lock = holdLock(join(config.dataDir, 'backfill.lock'), alreadyRunning);
    await using store = await openMirror(config, context.log(), { create: true });
    const startedMs = context.now().getTime();
    const sources = await openSources(config, {}, { retryBudget: retryBudgets.long, signal }).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    if (sources === undefined) return 3;
    using progress = printProgress(context);
    const report = await fill(
      {
        store,
        sources,
        screen: privacyScreen(config),
        now: () => instantOf(context.now()),
        ...progress,
      },
      { only: resources, restart, events: config.events, signal },
    );
    const elapsedMs = context.now().getTime() - startedMs;
    if (json) context.out(JSON.stringify(asData(report, { elapsedMs, waitedMs: waitingMs(sources) })));
    else context.out(asTable(report));
    if (!report.isComplete) context.notify(`Stopped. Run it again to resume: ${slotstream} backfill`);
    return report.isComplete && report.resources.every(({ missing }) => missing.length === 0) ? 0 : 3;
  },
});

const alreadyRunning = new SlotstreamError('refused', 'Another backfill is running on this data folder.', {
  hint: 'Wait for it, or stop it and run this again: it resumes where that one stopped.',
});

const everyMs = 2_000;
/** After this time without a page, the wait is reported: the rate limit alone can take a minute. */
const silenceMs = 10_000;

/** Prints rows, rate, time and the page to resume after. There is no percentage: the total is not known. */
function printProgress({ notify, now }: VerbContext) {
  let current = { name: '', startedMs: 0, rows: 0, reportedMs: 0 };
  let lastPageMs = now().getTime();
  const secondsSince = (ms: number): number => Math.max(0.001, (now().getTime() - ms) / 1000);
  const silence = setInterval(() => {
    if (now().getTime() - lastPageMs < silenceMs || current.name === '') return;
    notify(`${current.name}: waiting ${Math.round(secondsSince(lastPageMs))} s for the service or its rate limit`);
  }, silenceMs);
  silence.unref();
  return {
    [Symbol.dispose]: () => clearInterval(silence),
    onProgress({ name }: Resource, { rows, pages }: Counts): void {
      const nowMs = now().getTime();
      lastPageMs = nowMs;
      if (current.name !== name) {
        current = { name, startedMs: nowMs, rows, reportedMs: nowMs };
        notify(pages === 0 ? `${name}: from the beginning` : `${name}: resuming after page ${pages} (${rows} rows)`);
      } else if (nowMs - current.reportedMs >= everyMs) {
        current = { ...current, reportedMs: nowMs };
        const seconds = secondsSince(current.startedMs);
        const rate = Math.round((rows - current.rows) / seconds);
        notify(`${name}: ${rows} rows, ${rate}/s, ${Math.round(seconds)} s; resumes after page ${pages}`);
      }
    },
    onNotice({ name }: Resource, notice: Notice): void {
      if (notice.kind === 'restarted') notify(`${name}: the page token has expired, so ${notice.list} starts over`);
    },
    onOutcome({ name, state, counts, missing }: ResourceOutcome): void {
      const seconds = current.name === name ? Math.round(secondsSince(current.startedMs)) : 0;
      notify(`${name}: ${endings[state]}${state === 'complete' ? `, ${counts.rows} rows in ${seconds} s` : ''}`);
      for (const what of missing) notify(`  ✗ ${what.replace(' → ', '\n  → ')}`);
      if (missing.length > 0) notify(`  → Then: ${slotstream} backfill ${name}`);
    },
  };
}

const endings: Readonly<Record<ResourceOutcome['state'], string>> = {
  complete: 'done',
  already_complete: 'already done in this backfill (--restart reads it again)',
  stopped: 'stopped',
  refused: 'not readable, so it will be missing in the mirror',
  skipped: 'skipped: EVENTS names none of its kinds',
  waiting: 'not started',
};

function asTable({ resources }: BackfillReport): string {
  const rows = resources.map(({ name, state, counts }) => [
    name,
    state.replace('_', ' '),
    ...[counts.rows, counts.created, counts.updated, counts.unchanged, counts.quarantined].map(String),
  ]);
  return renderTable(['resource', 'state', 'rows', 'created', 'updated', 'unchanged', 'quarantined'], rows);
}

interface Times {
  readonly elapsedMs: number;
  readonly waitedMs: number;
}

function asData({ isComplete, resources }: BackfillReport, { elapsedMs, waitedMs }: Times): object {
  return {
    complete: isComplete,
    resources: resources.map(({ name, state, counts, missing }) => ({
      name,
      state,
      ...counts,
      missing,
    })),
    elapsed_ms: elapsedMs,
    /** Time in which at least one call waited for the service. */
    waited_ms: waitedMs,
  };
}

function waitingMs({ client, users }: Sources): number {
  const clients = new Set([client, ...users.map((user) => user.client)]);
  return [...clients].reduce((sum, { waitedMs }) => sum + waitedMs, 0);
}
