// `replay` processes log entries again, after a fix or an upgrade; `rebuild` recomputes every table from the log and applies the
// differences.
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { counted } from '#src/base/number-text.ts';
import type { Store } from '#src/store/contract.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { countReasons } from '#src/store/log/log-search.ts';
import { rebuild as rebuildTables, type RebuildReport } from '#workers/sync/rebuild.ts';
import { replay as replayEntries, type ReplayedEntry } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { changeLines, renderTable, reportProgress, safeTerminalText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

const maxReasons = 10;

export const replay = defineVerb({
  examples: ['slotstream replay --quarantined --dry-run', 'slotstream replay --uri https://…/contacts/…'],
  arguments: {},
  options: {
    quarantined: {
      flags: '--quarantined',
      help: 'entries that were quarantined or are of an unknown kind',
      reads: flag,
    },
    uri: { flags: '--uri <uri>', help: 'entries about this subject', reads: z.string().optional() },
    all: { flags: '--all', help: 'every entry', reads: flag },
    dryRun: { flags: '--dry-run', help: 'show what would change, change nothing', reads: flag },
    json: asJson,
  },
  async run(context, { quarantined, uri, all, dryRun, json }) {
    const filter = filterOf({ quarantined, uri, all });
    const config = context.config();
    await using store = await openMirror(config, context.log());
    const report = await replayEntries(
      {
        store,
        screen: privacyScreen(config),
        onChange: (change) => context.out(json ? JSON.stringify(change) : changeText(change)),
        onProgress: reportProgress(context, 'entries'),
      },
      filter,
      { dryRun },
    );
    const { read, changed, stillQuarantined } = report;
    const verb = dryRun ? 'would change' : 'changed';
    if (json) context.out(JSON.stringify({ read, changed, ['stillKept']: stillQuarantined, dryRun }));
    else {
      context.out(
        `${counted(read, 'entry', 'entries')} processed again, ${changed} ${verb}, ${stillQuarantined} still cannot be applied.`,
      );
      // A dry run that frees some leaves all of them in the log, so it cannot tell the reasons of the rest apart.
      const areRest = !dryRun || changed === 0;
      if (quarantined && stillQuarantined > 0 && areRest)
        for (const line of await reasonLines(store)) context.out(line);
    }
    return 0;
  },
});

/** Why deliveries are in quarantine, so that one knows what to fix before the next replay. */
async function reasonLines(store: Store): Promise<string[]> {
  const reasons = await countReasons(store, { limit: maxReasons });
  return reasons.map(
    ({ reason, count, newest_seq }) =>
      `  ${count} × ${safeTerminalText(reason ?? 'a kind that this version does not know')} (newest: #${newest_seq})`,
  );
}

function filterOf(given: { quarantined: boolean; uri?: string | undefined; all: boolean }): DeliveryFilter {
  const chosen = [given.quarantined, given.uri !== undefined, given.all].filter(Boolean).length;
  if (chosen !== 1) {
    throw new SlotstreamError('usage', 'Choose the entries with exactly one of --quarantined, --uri URI and --all.', {
      hint: 'Try it first with --dry-run.',
    });
  }
  if (given.quarantined) return { unprojected: true };
  return given.uri === undefined ? {} : { subjectUri: given.uri };
}

function changeText({ seq, event, subjectUri, before, after, changes }: ReplayedEntry): string {
  return [
    `${seq} ${safeTerminalText(event ?? '?')} ${safeTerminalText(subjectUri ?? '?')}: ${before} → ${after}`,
    ...changeLines(changes),
  ].join('\n');
}

export const rebuild = defineVerb({
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const config = context.config();
    await using store = await openMirror(config, context.log());
    const onProgress = reportProgress(context, 'log entries');
    const report = await rebuildTables({ store, screen: privacyScreen(config), onProgress });
    context.out(json ? JSON.stringify(report) : rebuildText(report));
    return 0;
  },
});

function rebuildText({ entries, rowsDiffered, tables }: RebuildReport): string {
  const differed =
    rowsDiffered === 0 ? 'no row differed.' : `${counted(rowsDiffered, 'row')} differed and were corrected:`;
  const summary = `${counted(entries, 'log entry', 'log entries')} processed; ${differed}`;
  if (rowsDiffered === 0) return summary;
  const rows = Object.entries(tables)
    .filter(([, { missing, extra, different }]) => missing + extra + different > 0)
    .map(([table, { missing, extra, different }]) => [table, String(missing), String(extra), String(different)]);
  return `${summary}\n${renderTable(['table', 'missing', 'extra', 'different'], rows)}`;
}
