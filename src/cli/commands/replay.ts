// `replay` processes log entries again, after a fix or an upgrade; `rebuild` recomputes every table from the log and applies the
// differences.
import { z } from 'zod';
import { deliveryFilters, filterOf, type DeliveryFilterFields } from '#src/api/deliveries/delivery-records.ts';
import { openMirror } from '#src/app/mirror.ts';
import type { OptionLabels } from '#src/base/changed-items.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { counted } from '#src/base/number-text.ts';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { countReasons, readDelivery } from '#src/store/log/log-search.ts';
import { readOptionLabels } from '#src/read/contacts/option-labels.ts';
import { dismissEntries, dismissMatching } from '#workers/sync/dismiss.ts';
import { rebuild as rebuildTables, type RebuildReport } from '#workers/sync/rebuild.ts';
import { replay as replayEntries, type ReplayedEntry } from '#workers/sync/replay.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { changeLines, renderTable, reportProgress, safeTerminalText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag } from '#src/cli/verb.ts';

const maxReasons = 10;
const fields = deliveryFilters;

export const replay = defineVerb({
  examples: [
    'slotstream replay --quarantined --dry-run',
    'slotstream replay --uri https://…/contacts/…',
    'slotstream replay --dismiss 42 43',
  ],
  arguments: {},
  options: {
    quarantined: {
      flags: '--quarantined',
      help: 'entries that were quarantined or are of an unknown kind',
      reads: flag,
    },
    uri: { flags: '--uri <uri>', help: 'entries about this subject', reads: z.string().optional() },
    event: { flags: '--event <kind>', help: 'of this kind, such as contact.updated or contact.*', reads: fields.event },
    outcome: { flags: '--outcome <outcome>', help: 'with this outcome', reads: fields.outcome },
    reason: { flags: '--reason <reason>', help: 'with exactly this reason', reads: fields.reason },
    source: { flags: '--source <source>', help: 'from this source', reads: fields.source },
    address: { flags: '--address <email>', help: 'about the person with this address', reads: fields.address },
    text: { flags: '--text <text>', help: 'with this text in the body or the reason', reads: fields.q },
    minReceivedAt: { flags: '--min-received-at <time>', help: 'received from then on', reads: fields.min_received_at },
    maxReceivedAt: { flags: '--max-received-at <time>', help: 'received before then', reads: fields.max_received_at },
    minSeq: { flags: '--min-seq <seq>', help: 'from this entry', reads: fields.min_seq },
    maxSeq: { flags: '--max-seq <seq>', help: 'up to this entry', reads: fields.max_seq },
    all: { flags: '--all', help: 'every entry', reads: flag },
    dismiss: {
      flags: '--dismiss [ids...]',
      help: 'dismiss these, or all that match: they no longer count as waiting',
      reads: z.union([z.literal(true), z.array(z.string())]).optional(),
    },
    dryRun: { flags: '--dry-run', help: 'show what would change, change nothing', reads: flag },
    json: asJson,
  },
  async run(context, { all, dryRun, json, dismiss, ...given }) {
    if (dismiss !== undefined && dryRun)
      throw new SlotstreamError('usage', '--dismiss has no dry run.', {
        hint: `Look first: ${slotstream} replay … --dry-run`,
      });
    const ids = Array.isArray(dismiss) ? dismiss : undefined;
    const filter = chosenEntries(given, { all, ids });
    const config = context.config();
    await using store = await openMirror(config, context.log(), { uses: ['eraseOnDelete'] });
    if (dismiss !== undefined) {
      const now = instantOf(context.now());
      const dismissed = ids
        ? await dismissEntries(store, await offsetsOf(store, ids), now)
        : await dismissMatching(store, filter, now);
      context.out(
        json
          ? JSON.stringify({ dismissed })
          : `${counted(dismissed, 'delivery', 'deliveries')} dismissed. The log still has them: /deliveries?outcome=dismissed`,
      );
      return 0;
    }
    const options = await readOptionLabels(store);
    const report = await replayEntries(
      {
        store,
        screen: privacyScreen(store.settings),
        onChange: (change) => context.out(json ? JSON.stringify(change) : changeText(change, options)),
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
      if (given.quarantined && stillQuarantined > 0 && areRest)
        for (const line of await reasonLines(store)) context.out(line);
    }
    return 0;
  },
});

/** By their numbers, or by `delivery_id`. */
async function offsetsOf(store: Store, ids: readonly string[]): Promise<number[]> {
  const seqs: number[] = [];
  for (const id of ids) {
    const entry = await readDelivery(store, /^\d{1,15}$/.test(id) ? { seq: Number(id) } : { deliveryId: id });
    if (entry === undefined)
      throw new SlotstreamError('usage', `There is no delivery ${safeTerminalText(id)}. Nothing was dismissed.`, {
        hint: 'Give the number of an entry, such as 42, or its delivery_id.',
      });
    seqs.push(entry.seq);
  }
  return seqs;
}

/** Why deliveries are in quarantine, so that one knows what to fix before the next replay. */
async function reasonLines(store: Store): Promise<string[]> {
  const reasons = await countReasons(store, { limit: maxReasons });
  return reasons.map(
    ({ reason, count, newest_seq }) =>
      `  ${count} × ${safeTerminalText(reason ?? 'a kind that this version does not know')} (newest: #${newest_seq})`,
  );
}

interface EntryOptions extends Pick<DeliveryFilterFields, 'event' | 'outcome' | 'reason' | 'source' | 'address'> {
  readonly quarantined: boolean;
  readonly uri?: string | undefined;
  readonly text?: string | undefined;
  readonly minReceivedAt?: string | undefined;
  readonly maxReceivedAt?: string | undefined;
  readonly minSeq?: number | undefined;
  readonly maxSeq?: number | undefined;
}

interface Choice {
  readonly all: boolean;
  readonly ids: readonly string[] | undefined;
}

function chosenEntries({ quarantined, uri, text, ...given }: EntryOptions, { all, ids }: Choice): DeliveryFilter {
  const {
    outcome = quarantined ? 'unprojected' : undefined,
    minReceivedAt,
    maxReceivedAt,
    minSeq,
    maxSeq,
    ...same
  } = given;
  const received = { min_received_at: minReceivedAt, max_received_at: maxReceivedAt };
  const filter = filterOf({ ...same, ...received, outcome, subject: uri, q: text, min_seq: minSeq, max_seq: maxSeq });
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  if (Number(isFiltered) + Number(all) + Number(ids !== undefined) !== 1)
    throw new SlotstreamError(
      'usage',
      'Choose the entries: either --all, or --quarantined, --uri URI and other filters, or --dismiss with ids.',
      {
        hint: 'Try it first with --dry-run.',
      },
    );
  return filter;
}

function changeText({ changes, ...entry }: ReplayedEntry, options: OptionLabels): string {
  const { seq, event, subjectUri, before, after } = entry;
  return [
    `${seq} ${safeTerminalText(event ?? '?')} ${safeTerminalText(subjectUri ?? '?')}: ${before} → ${after}`,
    ...changeLines(changes, options),
  ].join('\n');
}

export const rebuild = defineVerb({
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const config = context.config();
    await using store = await openMirror(config, context.log(), { uses: ['eraseOnDelete'] });
    const onProgress = reportProgress(context, 'log entries');
    const report = await rebuildTables({ store, screen: privacyScreen(store.settings), onProgress });
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
