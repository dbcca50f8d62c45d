// `why`: lists every log entry that touched a row, in order, with its outcome and changes, and the origin of each value.
import { z } from 'zod';
import { timeText } from '#src/base/time.ts';
import { openMirror } from '#src/app/mirror.ts';
import type { OptionLabels } from '#src/base/changed-items.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { readOptionLabels } from '#src/read/contacts/option-labels.ts';
import { isUri } from '#schemas/wire.ts';
import { isAddress } from '#workers/fold/privacy/addresses.ts';
import { recordsWith } from '#workers/fold/privacy/target.ts';
import { erasureEvent } from '#schemas/events.ts';
import { explain, type ColumnOrigin, type Explanation, type TouchingEntry } from '#src/read/explain-row.ts';
import { alignColumns, changeLines, renderTable, safeTerminalText, valueText } from '#src/cli/terminal.ts';
import { asJson, defineVerb, wholeNumberFrom } from '#src/cli/verb.ts';

export const why = defineVerb({
  examples: ['slotstream why name@example.com', 'slotstream why https://…/contacts/… --json'],
  arguments: {
    about: { flags: '<uri-or-email>', help: 'the URI of a row, or the e-mail address of a person', reads: z.string() },
  },
  options: {
    after: {
      flags: '--after <seq>',
      help: 'only log entries after this position (default: 0)',
      reads: wholeNumberFrom(0).default(0),
    },
    limit: {
      flags: '--limit <n>',
      help: 'at most this many log entries (default: 1000)',
      reads: wholeNumberFrom(1).default(1_000),
    },
    json: asJson,
  },
  async run(context, { about, after, limit, json }) {
    await using store = await openMirror(context.config(), context.log());
    const hasAddress = !isUri(about) && isAddress(about);
    const records = hasAddress ? await recordsWith(store, about) : [];
    if (records.length > 1) {
      const lines = records.map(({ table, uri }) => [table, safeTerminalText(uri)]);
      context.out(json ? JSON.stringify({ records }) : recordsText(lines));
      return 0;
    }
    const found = await explain(store, { uri: records[0]?.uri ?? about, after, limit });
    if (found === undefined) throw hasAddress ? unknownAddress() : unknownUri();
    context.out(json ? JSON.stringify(found) : explanationText(found, await readOptionLabels(store)));
    return 0;
  },
});

const recordsText = (lines: readonly (readonly string[])[]): string =>
  [`${lines.length} rows have this address. Ask about one of them by its URI:`, ...alignColumns(lines)].join('\n');

const unknownAddress = (): SlotstreamError =>
  new SlotstreamError('not_found', 'No contact, booking or user has this address.', {
    hint: 'A row of another kind is named by its URI: see the column uri of its table, or its page in the dashboard.',
  });

const unknownUri = (): SlotstreamError =>
  new SlotstreamError('not_found', 'The log has no entry about this URI.', {
    hint: 'Check the spelling; URIs are compared character by character. An e-mail address works too.',
  });

function explanationText(found: Explanation, options: OptionLabels): string {
  const { table, deleted, deliveries, next_after: next, fields } = found;
  const title =
    table === null
      ? 'No row: no log entry about it could be applied.'
      : `A row of ${table}${deleted ? ', deleted' : ''}.`;
  const more = next === null ? [] : [`… and more: --after ${next}`];
  const origins =
    fields.length === 0
      ? []
      : ['', renderTable(['column', 'value', 'since', 'last reported by'], fields.map(originCells))];
  return [title, '', ...deliveries.map((entry) => entryText(entry, options)), ...more, ...origins].join('\n');
}

function entryText(entry: TouchingEntry, options: OptionLabels): string {
  const { seq, event, occurred_at, received_at, outcome, reason, duplicates, changes } = entry;
  const copies = duplicates ? `, ${duplicates} more ${duplicates === 1 ? 'copy' : 'copies'}` : '';
  const headline = `#${seq} ${safeTerminalText(event ?? 'not understood')}  ${occurred_at ?? received_at}${delayOf(entry)}  ${outcome}${reason ? `: ${safeTerminalText(reason)}` : ''}${copies}`;
  return [headline, ...remarks(entry), ...changeLines(changes, options)].join('\n');
}

function remarks({ source, event, pruned, redacted, outcome, changes }: TouchingEntry): string[] {
  if (source === 'operator' && event === erasureEvent) return ['  (what it removed is not stored anywhere)'];
  if (pruned)
    return isUnprojected(outcome)
      ? ['  (its content was deleted: pruned by RETENTION_DAYS, or a person in it was erased)']
      : ['  (its content was pruned: it is older than RETENTION_DAYS, and no row depended on it)'];
  if (redacted) return ['  (its content was redacted)'];
  // An applied entry always changed something.
  return outcome === 'applied' && changes === null
    ? ['  (its changes are no longer stored: pruned by RETENTION_DAYS, or a person in it was erased)']
    : [];
}

// An erasure never removes the whole content of an entry that could be read.
const isUnprojected = (outcome: string | null): boolean => outcome === 'quarantined' || outcome === 'unhandled';

/** For a delivery, how late it arrived. A record read from the API shows when it was last seen unchanged. */
function delayOf({ source, delay_seconds: delay, received_at }: TouchingEntry): string {
  if (source === 'webhook') return delay === null ? '' : ` (+${delay.toFixed(1)} s)`;
  return source === 'operator' ? ' (by an operator)' : ` (read by ${source}, first at ${timeText(received_at)})`;
}

/** Keeps most lines of the table within the width of a terminal. */
const maxValueLength = 48;

function originCells({ column, value, since, ...last }: ColumnOrigin): string[] {
  const set = since === null ? 'unknown' : `${sourceText(since)}  ${since.occurred_at ?? ''}`.trimEnd();
  return [column, valueText(value, maxValueLength), set, sourceText(last)];
}

function sourceText({ seq, event, source }: Pick<ColumnOrigin, 'seq' | 'event' | 'source'>): string {
  return seq === null ? 'an entry that is no longer in the log' : `#${seq} ${safeTerminalText(event ?? source ?? '')}`;
}
