// `backfill`: fills the tables with what the service already has.
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { instantOf } from '#src/base/time.ts';
import { takeLock, type ProcessLock } from '#src/base/process-lock.ts';
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
    'slotstream backfill --restart              # from the beginning, wherever an earlier one stopped',
    '',
    `Resources: ${names.join(', ')}`,
    'scheduled_events brings the invitees, routing_forms the submissions, organization_memberships the users.',
  ],
  arguments: {
    resources: {
      flags: '[resource...]',
      help: 'what to walk (default: everything that EVENTS asks for)',
      reads: z.array(z.enum(names, `among ${names.join(', ')}`)).default([]),
    },
  },
  options: {
    restart: { flags: '--restart', help: 'start over instead of going on', reads: flag },
    json: asJson,
  },

  async run(context, { resources, restart, json }) {
    const config = context.config();
    const signal = context.stopping();
    using _lock = onlyOne(config);
    await using store = await openMirror(config, context.log(), { create: true });
    const startedMs = context.now().getTime();
    const sources = await openSources(config, {}, { retryBudget: retryBudgets.long, signal }).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
    if (sources === undefined) return 3;
    using saying = sayingTo(context);
    const report = await fill(
      {
        store,
        sources,
        screen: privacyScreen(config),
        now: () => instantOf(context.now()),
        ...saying,
      },
      { only: resources, restart, events: config.events, signal },
    );
    const elapsedMs = context.now().getTime() - startedMs;
    if (json) context.out(JSON.stringify(asData(report, { elapsedMs, waitedMs: waitedFor(sources) })));
    else context.out(asTable(report));
    if (!report.isComplete) context.say('Stopped. Run it again to go on from here: npx slotstream backfill');
    return report.isComplete && report.resources.every(({ missing }) => missing.length === 0) ? 0 : 3;
  },
});

function onlyOne({ dataDir }: Config): Disposable {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock: ProcessLock | undefined = takeLock(join(dataDir, 'backfill.lock'));
  if (lock === undefined)
    throw new SlotstreamError('refused', 'Another backfill is under way on this data folder.', {
      hint: 'Wait for it, or stop it and run this again: it goes on where that one stopped.',
    });
  return { [Symbol.dispose]: () => lock.release() };
}

const everyMs = 2_000;
/** When nothing came for so long, it is said that it is waited for: a rate budget alone can take a minute. */
const silenceMs = 10_000;

/** Rows, rate, time and where it would go on; never a per cent, since nobody knows how many there are. */
function sayingTo({ say, now }: VerbContext) {
  let begun = { name: '', atMs: 0, rows: 0, saidMs: 0 };
  let heardMs = now().getTime();
  const secondsSince = (ms: number): number => Math.max(0.001, (now().getTime() - ms) / 1000);
  const silence = setInterval(() => {
    if (now().getTime() - heardMs < silenceMs || begun.name === '') return;
    say(`${begun.name}: waiting for the service for ${Math.round(secondsSince(heardMs))} s (it, or the rate budget)`);
  }, silenceMs);
  silence.unref();
  return {
    [Symbol.dispose]: () => clearInterval(silence),
    onProgress({ name }: Resource, { rows, pages }: Counts): void {
      const nowMs = now().getTime();
      heardMs = nowMs;
      if (begun.name !== name) {
        begun = { name, atMs: nowMs, rows, saidMs: nowMs };
        say(pages === 0 ? `${name}: from the beginning` : `${name}: going on after page ${pages} (${rows} rows)`);
      } else if (nowMs - begun.saidMs >= everyMs) {
        begun = { ...begun, saidMs: nowMs };
        const seconds = secondsSince(begun.atMs);
        const rate = Math.round((rows - begun.rows) / seconds);
        say(`${name}: ${rows} rows, ${rate}/s, ${Math.round(seconds)} s; would go on after page ${pages}`);
      }
    },
    onNotice({ name }: Resource, notice: Notice): void {
      if (notice.kind === 'restarted') say(`${name}: the page token is too old, so ${notice.list} begin again`);
    },
    onOutcome({ name, state, counts, missing }: ResourceOutcome): void {
      const seconds = begun.name === name ? Math.round(secondsSince(begun.atMs)) : 0;
      say(`${name}: ${endings[state]}${state === 'walked' ? `, ${counts.rows} rows in ${seconds} s` : ''}`);
      for (const what of missing) say(`  ✗ ${what.replace(' → ', '\n  → ')}`);
      if (missing.length > 0) say(`  → Then: npx slotstream backfill ${name}`);
    },
  };
}

const endings: Readonly<Record<ResourceOutcome['state'], string>> = {
  walked: 'done',
  walked_before: 'done already in this backfill (--restart walks it again)',
  stopped: 'stopped',
  refused: 'cannot be read, so it will be missing in the mirror',
  unwanted: 'left out, since EVENTS names none of its kinds',
  waiting: 'not begun',
};

function asTable({ resources }: BackfillReport): string {
  const rows = resources.map(({ name, state, counts: { rows, created, updated, unchanged, kept } }) => [
    name,
    state.replace('_', ' '),
    ...[rows, created, updated, unchanged, kept].map(String),
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
    resources: resources.map(({ name, state, counts: { kept, ...counts }, missing }) => ({
      name,
      state,
      ...counts,
      quarantined: kept,
      missing,
    })),
    elapsed_ms: elapsedMs,
    /** In which at least one call waited for the service. */
    waited_ms: waitedMs,
  };
}

function waitedFor({ client, users }: Sources): number {
  const clients = new Set([client, ...users.map((user) => user.client)]);
  return [...clients].reduce((sum, { waitedMs }) => sum + waitedMs, 0);
}
