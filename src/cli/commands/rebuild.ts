// `rebuild`: makes every table again from the log and applies the difference.
import { openStoreLoudly } from '#src/app/app.ts';
import { rebuild as rebuildTables, type RebuildReport } from '#workers/sync/rebuild.ts';
import { progressOf } from '#src/cli/progress.ts';
import { renderTable } from '#src/cli/table.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

export const rebuild = defineVerb({
  name: 'rebuild',
  summary: 'make every table again from the log, beside the old ones, and apply the difference',
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const config = context.config();
    await using store = await openStoreLoudly(config, context.log());
    const progress = progressOf(context, 'log entries');
    const report = await rebuildTables({
      store,
      options: { eraseOnDelete: config.eraseOnDelete },
      onProgress: progress,
    });
    context.out(json ? JSON.stringify(report) : told(report));
    return 0;
  },
});

function told({ entries, rowsDiffered, tables }: RebuildReport): string {
  const summary = `${entries} log entries folded; ${rowsDiffered === 0 ? 'no row differed.' : `${rowsDiffered} rows differed and were mended:`}`;
  if (rowsDiffered === 0) return summary;
  const rows = Object.entries(tables)
    .filter(([, { missing, extra, different }]) => missing + extra + different > 0)
    .map(([table, { missing, extra, different }]) => [table, String(missing), String(extra), String(different)]);
  return `${summary}\n${renderTable(['table', 'missing', 'extra', 'different'], rows)}`;
}
