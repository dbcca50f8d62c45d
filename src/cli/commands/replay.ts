// `replay`: processes log entries again, after a fix or an upgrade. A dry run shows what would change.
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { EntryFilter } from '#src/store/log/read.ts';
import { replay as replayEntries, type ReplayedEntry } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { changeLines, reportProgress, safeTerminalText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

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
    else
      context.out(
        `${read} entries processed again, ${changed} ${verb}, ${stillQuarantined} still cannot be projected.`,
      );
    return 0;
  },
});

function filterOf(given: { quarantined: boolean; uri?: string | undefined; all: boolean }): EntryFilter {
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
