// `export`: writes a table or view to a file: all rows, those changed since a time, or those new since the last run.
import { z } from 'zod';
import { normalizeTimestamp } from '#schemas/wire.ts';
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { counted, number } from '#src/base/number-text.ts';
import {
  planExport,
  reportData,
  runExport,
  type ExportReport,
  type ExportRequest,
  type FullExportReason,
} from '#src/addons/export/export.ts';
import { formatNames, formatOf, loadFormat, type FormatName } from '#src/addons/export/formats.ts';
import { openFileOutput, openTextOutput, type Destination } from '#src/addons/export/output.ts';
import { sqliteFile } from '#src/store/open-store.ts';
import { sourceNames } from '#src/addons/export/source.ts';
import { instantOf } from '#src/base/time.ts';
import { commaList, duration } from '#src/config/readers.ts';
import { nameLines, reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

const toStdout = '-';
const runName = 'a name of letters, digits, dots, _ and -';

export const exportRows = defineVerb({
  examples: [
    'slotstream export contacts --out contacts.parquet',
    'slotstream export invitees --columns uri,email,status --since 7d --out invitees.csv',
    'slotstream export event_log --incremental --out log-$(date +%s).ndjson',
    'slotstream export contacts --format ndjson --out - | head',
    'slotstream export bookings --out s3://my-bucket/slotstream',
  ],
  notes: nameLines('Tables and views', sourceNames),
  arguments: {
    name: {
      flags: '<table-or-view>',
      help: 'what to export',
      reads: z.enum(sourceNames, 'the name of a table or view'),
      names: sourceNames,
    },
  },
  options: {
    format: {
      flags: '--format <format>',
      help: `one of ${formatNames.join(', ')} (default: by the name of the file; csv for standard output)`,
      reads: z.enum(formatNames, `one of ${formatNames.join(', ')}`).optional(),
    },
    out: {
      flags: '--out <file>',
      help: 'the file, replaced when the export is complete; s3://bucket/prefix or s3://bucket/name.csv; - for standard output',
      reads: z.string('the name of a file, or -').min(1, 'the name of a file, or -'),
    },
    since: {
      flags: '--since <time>',
      help: 'only rows changed since a day (2025-04-14), a time (2025-04-14T12:00:00Z) or a duration ago (7d, 24h)',
      reads: z.string().optional(),
    },
    columns: { flags: '--columns <a,b,c>', help: 'only these columns, in this order', reads: commaList.optional() },
    incremental: {
      flags: '--incremental [name]',
      help: 'only rows that changed since the last run with this name and these columns (default name: the format)',
      reads: z.union([z.literal(true), z.string().regex(/^[A-Za-z0-9._-]{1,64}$/, runName)], runName).optional(),
    },
    partition: {
      flags: '--partition <by>',
      help: 'below s3://bucket/prefix, one Parquet file per day or month of the time that --since compares (default: one file)',
      reads: z.enum(['day', 'month'], 'day or month').optional(),
    },
    csv: {
      flags: '--csv <how>',
      help: 'raw: change nothing. For programs only: a spreadsheet could run a name as a formula',
      reads: z.enum(['raw'], 'raw').optional(),
    },
    json: asJson,
  },

  async run(context, { name, out, since, columns, incremental, json, csv, partition, ...given }) {
    const target = /^s3:/i.test(out)
      ? (await import('#src/addons/object-storage/s3-target.ts')).readS3Target(out)
      : undefined;
    const isPrefix = target?.isObject === false;
    const format = given.format ?? (isPrefix ? 'parquet' : inferFormat(out));
    if (since !== undefined && incremental !== undefined)
      throw new SlotstreamError('usage', '--since and --incremental cannot be combined.', { hint: 'Use one of them.' });
    if (out === toStdout && !(await loadFormat(format)).isText)
      throw new SlotstreamError('usage', `${format} cannot be written to standard output.`, {
        hint: 'Name a file with --out.',
      });
    if (csv !== undefined && format !== 'csv')
      throw new SlotstreamError('usage', `--csv ${csv} has no meaning for ${format}.`, { hint: 'Leave it out.' });
    if (partition !== undefined && !(isPrefix && format === 'parquet' && incremental === undefined))
      throw new SlotstreamError(
        'usage',
        '--partition needs Parquet, a prefix of object storage, and no --incremental.',
        {
          hint: 'For example: --out s3://BUCKET/PREFIX --partition month',
        },
      );
    const request: ExportRequest = {
      name,
      format,
      columns,
      since: since === undefined ? undefined : momentOf(since, context.now()),
      incremental: incremental === true ? format : incremental,
      isRaw: csv === 'raw',
      partition,
    };
    const signal = context.stopping();
    const openOutput = async (): Promise<Destination> => {
      if (out === toStdout) return openTextOutput(context.outAll);
      const { dataDir, databaseUrl } = context.config();
      if (target === undefined) return openFileOutput(out, { dataDir, database: sqliteFile(databaseUrl) });
      const { openS3Output } = await import('#src/addons/object-storage/s3-output.ts');
      const { storage: account } = context.config();
      return openS3Output({ ...request, account, target, table: name, now: context.now(), signal });
    };
    await using store = await openMirror(context.config(), context.log());
    const plan = await planExport(store, request);
    await using destination = await openOutput();
    const onProgress = reportProgress(context, () => `rows, ${number(Math.round(destination.bytes / 1e6))} MB`);
    const report = await runExport({ store, now: context.now, signal, onProgress }, plan, destination);
    const result = { ...report, file: out, bytes: destination.bytes, ...destination.published };
    const print = out === toStdout ? context.notify : context.out;
    if (report.guarded > 0)
      context.notify(
        `${counted(report.guarded, 'cell')} got an apostrophe, so that a spreadsheet runs no formula. --csv raw writes them unchanged.`,
      );
    print(json ? JSON.stringify(asData(request, result)) : asText(request, result));
    return 0;
  },
});

interface ExportResult extends ExportReport {
  readonly file: string;
  readonly bytes: number;
  readonly run?: string;
  readonly objects?: number;
}

function inferFormat(out: string): FormatName {
  const format = out === toStdout ? 'csv' : formatOf(out);
  if (format !== undefined) return format;
  throw new SlotstreamError('usage', `The name ${JSON.stringify(out)} does not say in which format to write.`, {
    hint: `Give --format (one of ${formatNames.join(', ')}), or end the name with .csv, .ndjson or .parquet.`,
  });
}

function momentOf(text: string, now: Date): string {
  const back = duration('1d').safeParse(text);
  if (back.success) return instantOf(new Date(now.getTime() - back.data));
  const moment = normalizeTimestamp(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (moment !== undefined) return moment;
  throw new SlotstreamError('usage', `--since does not accept ${JSON.stringify(text)}.`, {
    hint: 'Give a day (2025-04-14), a time with its zone (2025-04-14T12:00:00Z), or a duration (7d, 24h).',
  });
}

function asData({ name, format }: ExportRequest, { file, bytes, run, objects, ...report }: ExportResult): object {
  return { table: name, format, file, ...reportData(report), bytes, ...(run !== undefined && { run, objects }) };
}

const reasons: Readonly<Record<FullExportReason, string>> = {
  first_run: 'all rows: this is the first run with this name and these columns',
  log_restarted: 'all rows: the log ends before the position of the last run',
  far_reaching: 'all rows: any row may have changed (a person was erased, or custom fields were redefined)',
};

function asText(
  { name, incremental }: ExportRequest,
  { file, rows, bytes, fromSeq, toSeq, whole, run = file, objects }: ExportResult,
): string {
  const where = file === toStdout ? 'standard output' : run;
  const range = fromSeq === undefined ? '' : ` touched by log entries ${fromSeq + 1} to ${toSeq}`;
  const what = fromSeq !== undefined && fromSeq === toSeq ? ` (nothing new since log entry ${toSeq})` : range;
  const lines = [`${counted(rows, 'row')} of ${name}${what}, ${bytes} bytes, to ${where}`];
  if (objects !== undefined) lines.push(`(${counted(objects, 'object')})`);
  if (whole !== undefined && incremental !== undefined) lines.push(`(${reasons[whole]})`);
  return lines.join(' ');
}
