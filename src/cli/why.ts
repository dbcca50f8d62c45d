// `why`: every delivery and every read that touched a row, in order, with what it did and what it changed.
import { z } from 'zod';
import { openStoreLoudly } from '#src/app.ts';
import { SlotstreamError } from '#src/errors.ts';
import type { LogEntry } from '#src/store/log.ts';
import { historyOf } from '#src/store/history.ts';
import type { Changes } from '#workers/projections/join.ts';
import { changeLines } from './replay.ts';
import { asJson, defineVerb } from './verb.ts';

export const why = defineVerb({
  name: 'why',
  summary: 'show every delivery that touched a row, and what each did',
  examples: ['slotstream why https://…/contacts/…'],
  arguments: { uri: { flags: '<uri>', help: 'the row’s URI', reads: z.string() } },
  options: { json: asJson },
  async run(context, { uri, json }) {
    await using store = await openStoreLoudly(context.config(), context.log());
    const entries = await historyOf(store, uri);
    if (entries.length === 0) {
      throw new SlotstreamError('not_found', 'No delivery in the log is about this URI.', {
        hint: 'Check its spelling; a URI is compared letter by letter.',
      });
    }
    for (const entry of entries) context.out(json ? JSON.stringify(entry) : told(entry));
    return 0;
  },
});

function told({
  seq,
  source,
  event,
  occurred_at,
  received_at,
  outcome,
  reason,
  duplicates,
  changes,
  redacted,
}: LogEntry): string {
  const delay = occurred_at && received_at ? ` (${delayOf({ source, occurred_at, received_at })})` : '';
  const copies = duplicates ? `, ${duplicates} more ${duplicates === 1 ? 'copy' : 'copies'}` : '';
  const headline = `#${seq} ${event ?? 'not understood'}  ${occurred_at ?? received_at}${delay}  ${outcome}${reason ? `: ${reason}` : ''}${copies}`;
  return [headline, ...(redacted ? ['  (its content was forgotten)'] : changeLines(changes as Changes | null))].join(
    '\n',
  );
}

/** A delivery took its time to come; what was read shows when it was last seen so, which may be long after it was received. */
function delayOf({
  source,
  occurred_at,
  received_at,
}: Pick<LogEntry, 'source' | 'occurred_at' | 'received_at'>): string {
  if (source !== 'webhook') return `read by ${source}, first at ${received_at}`;
  return `+${((Date.parse(received_at ?? '') - Date.parse(occurred_at ?? '')) / 1000).toFixed(1)} s`;
}
