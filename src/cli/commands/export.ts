// `export`: writes a table or a view to a file, whole, since a time, or what is new since the last run.
import { z } from 'zod';
import { normalizeTimestamp } from '#schemas/wire.ts';
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { planExport, runExport, type ExportReport, type ExportRequest, type Whole } from '#src/export/export.ts';
import { formatNames, loadFormat } from '#src/export/formats.ts';
import { openFile, openStream } from '#src/export/output.ts';
import { instantOf } from '#src/base/time.ts';
import { commaList, duration } from '#src/config/readers.ts';
import { reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

const toStdout = '-';
const runName = 'a name of letters, digits, dots, _ and -';

export const exportRows = defineVerb({
  examples: [
    'slotstream export contacts --format parquet --out contacts.parquet',
    'slotstream export invitees --format csv --columns uri,email,status --since 7d --out invitees.csv',
    'slotstream export event_log --format ndjson --incremental --out log-$(date +%s).ndjson',
    'slotstream export contacts --format ndjson --out - | head',
  ],
  arguments: { name: { flags: '<table-or-view>', help: 'what to export', reads: z.string() } },
  options: {
    format: {
      flags: '--format <format>',
      help: `one of ${formatNames.join(', ')}`,
      reads: z.enum(formatNames, `one of ${formatNames.join(', ')}`),
    },
    out: {
      flags: '--out <file>',
      help: 'the file, replaced when the export is complete; - is standard output',
      reads: z.string('the name of a file, or -').min(1, 'the name of a file, or -'),
    },
    since: {
      flags: '--since <time>',
      help: 'only rows changed since a day (2025-04-14), a moment (2025-04-14T12:00:00Z) or for some time (7d, 24h)',
      reads: z.string().optional(),
    },
    columns: { flags: '--columns <a,b,c>', help: 'only these columns, in this order', reads: commaList.optional() },
    incremental: {
      flags: '--incremental [name]',
      help: 'only what is new since the last run of this name with these columns (default: the name of the format)',
      reads: z.union([z.literal(true), z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, runName)], runName).optional(),
    },
    json: asJson,
  },

  async run(context, { name, format, out, since, columns, incremental, json }) {
    if (since !== undefined && incremental !== undefined)
      throw new SlotstreamError('usage', '--since and --incremental both say where to begin.', { hint: 'Use one.' });
    if (out === toStdout && !(await loadFormat(format)).isText)
      throw new SlotstreamError('usage', `${format} is not for standard output.`, { hint: 'Name a file with --out.' });
    const request: ExportRequest = {
      name,
      format,
      columns,
      since: since === undefined ? undefined : momentOf(since, context.now()),
      incremental: incremental === true ? format : incremental,
    };
    const signal = context.stopping();
    await using store = await openMirror(context.config(), context.log());
    const plan = await planExport(store, request);
    await using destination = out === toStdout ? openStream(process.stdout) : await openFile(out);
    const onProgress = reportProgress(context, 'rows');
    const report = await runExport({ store, now: context.now, signal, onProgress }, plan, destination);
    const told = { ...report, file: out, bytes: destination.bytes };
    const say = out === toStdout ? context.say : context.out;
    say(json ? JSON.stringify(asData(request, told)) : asText(request, told));
    return 0;
  },
});

interface Told extends ExportReport {
  readonly file: string;
  readonly bytes: number;
}

function momentOf(text: string, now: Date): string {
  const back = duration('1d').safeParse(text);
  if (back.success) return instantOf(new Date(now.getTime() - back.data));
  const moment = normalizeTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (moment !== undefined) return moment;
  throw new SlotstreamError('usage', `--since cannot be ${JSON.stringify(text)}.`, {
    hint: 'Give a day (2025-04-14), a moment with its zone (2025-04-14T12:00:00Z), or how long ago (7d, 24h).',
  });
}

function asData({ name, format }: ExportRequest, { file, rows, bytes, fromSeq, toSeq, whole }: Told): object {
  return {
    table: name,
    format,
    file,
    rows,
    bytes,
    ...(fromSeq !== undefined && { from_seq: fromSeq }),
    ...(toSeq !== undefined && { to_seq: toSeq }),
    ...(whole !== undefined && { whole }),
  };
}

const becauseOf: Readonly<Record<Whole, string>> = {
  first_run: 'everything: this is the first run of this name with these columns',
  log_restarted: 'everything: the log ends before the place where the last run stood',
  far_reaching: 'everything: something happened that may touch any row (a person was erased, or fields were redefined)',
};

function asText({ name, incremental }: ExportRequest, { file, rows, bytes, fromSeq, toSeq, whole }: Told): string {
  const where = file === toStdout ? 'standard output' : file;
  const stretch = fromSeq === undefined ? '' : ` touched by log entries ${fromSeq + 1} to ${toSeq}`;
  const what = fromSeq !== undefined && fromSeq === toSeq ? ` (nothing new since log entry ${toSeq})` : stretch;
  const lines = [`${rows} rows of ${name}${what}, ${bytes} bytes, to ${where}`];
  if (whole !== undefined && incremental !== undefined) lines.push(`(${becauseOf[whole]})`);
  return lines.join(' ');
}
