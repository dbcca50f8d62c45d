// `why`: every delivery and every read that touched a row, in order, with what it did and what it changed; and where each of the
// row's values came from.
import { z } from 'zod';
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Changes } from '#workers/projections/merge.ts';
import { explain, type ColumnOrigin, type Explanation, type TouchingEntry } from '#workers/sync/explain-row.ts';
import { changeLines, renderTable, safeTerminalText, valueText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, wholeNumberFrom } from '#src/cli/verb.ts';

export const why = defineVerb({
  examples: ['slotstream why https://…/contacts/…', 'slotstream why https://…/contacts/… --json'],
  arguments: { uri: { flags: '<uri>', help: 'the row’s URI', reads: z.string() } },
  options: {
    after: {
      flags: '--after <seq>',
      help: 'only deliveries after this place in the log (default: 0)',
      reads: wholeNumberFrom(0).default(0),
    },
    limit: {
      flags: '--limit <n>',
      help: 'how many deliveries at most (default: 1000)',
      reads: wholeNumberFrom(1).default(1_000),
    },
    json: asJson,
  },
  async run(context, { uri, after, limit, json }) {
    await using store = await openMirror(context.config(), context.log());
    const found = await explain(store, { uri, after, limit });
    if (found === undefined) {
      throw new SlotstreamError('not_found', 'No delivery in the log is about this URI.', {
        hint: 'Check its spelling; a URI is compared letter by letter.',
      });
    }
    context.out(json ? JSON.stringify(found) : told(found));
    return 0;
  },
});

function told({ table, deleted, deliveries, next_after: next, fields }: Explanation): string {
  const standing = table === null ? 'No row: nothing about it could be projected.' : `A row of ${table}`;
  const title = table === null ? standing : `${standing}${deleted ? ', deleted' : ''}.`;
  const more = next === null ? [] : [`… and more: --after ${next}`];
  const origins =
    fields.length === 0 ? [] : ['', renderTable(['column', 'value', 'came from'], fields.map(originCells))];
  return [title, '', ...deliveries.map(toldDelivery), ...more, ...origins].join('\n');
}

function toldDelivery(entry: TouchingEntry): string {
  const { seq, event, occurred_at, received_at, outcome, reason, duplicates, changes } = entry;
  const copies = duplicates ? `, ${duplicates} more ${duplicates === 1 ? 'copy' : 'copies'}` : '';
  const headline = `#${seq} ${safeTerminalText(event ?? 'not understood')}  ${occurred_at ?? received_at}${delayOf(entry)}  ${outcome}${reason ? `: ${safeTerminalText(reason)}` : ''}${copies}`;
  return [headline, ...remarks(entry), ...changeLines(changes as Changes | null)].join('\n');
}

function remarks({ source, pruned, redacted, outcome, changes }: TouchingEntry): string[] {
  if (source === 'operator') return ['  (whatever it took out is kept nowhere)'];
  if (pruned)
    return isKept(outcome)
      ? ['  (its content is gone: it was pruned by RETENTION_DAYS, or somebody in it was erased)']
      : ['  (its content was pruned: it is older than RETENTION_DAYS, and no row drew from it)'];
  if (redacted) return ['  (its content was forgotten)'];
  // Whatever was applied changed something.
  return outcome === 'applied' && changes === null
    ? ['  (what it changed is not kept any more: it was pruned by RETENTION_DAYS, or somebody in it was erased)']
    : [];
}

// Nothing readable is ever left without any content by an erasure.
const isKept = (outcome: string | null): boolean => outcome === 'quarantined' || outcome === 'unhandled';

/** A delivery took its time to come; what was read shows when it was last seen so, which may be long after it was received. */
function delayOf({ source, delay_seconds: delay, received_at }: TouchingEntry): string {
  if (source === 'webhook') return delay === null ? '' : ` (+${delay.toFixed(1)} s)`;
  return source === 'operator' ? ' (by an operator)' : ` (read by ${source}, first at ${received_at})`;
}

/** So that a line of the table is seldom longer than a terminal. */
const longestValue = 48;

function originCells({ column, value, seq, event, source, occurred_at: at }: ColumnOrigin): string[] {
  const when = at === null ? '' : `  ${at}`;
  const from =
    seq === null ? 'an entry that is no longer in the log' : `#${seq} ${safeTerminalText(event ?? source ?? '')}`;
  return [column, valueText(value, longestValue), `${from}${when}`];
}
