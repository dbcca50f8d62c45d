// `rebuild`: recomputes every table from the log and applies the differences.
import { openMirror } from '#src/app/mirror.ts';
import { rebuild as rebuildTables, type RebuildReport } from '#workers/sync/rebuild.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { renderTable, reportProgress } from '#src/cli/terminal.ts';
import { asJson, defineVerb } from '#src/cli/verb.ts';

export const rebuild = defineVerb({
  arguments: {},
  options: { json: asJson },
  async run(context, { json }) {
    const config = context.config();
    await using store = await openMirror(config, context.log());
    const progress = reportProgress(context, 'log entries');
    const report = await rebuildTables({
      store,
      screen: privacyScreen(config),
      onProgress: progress,
    });
    context.out(json ? JSON.stringify(report) : reportText(report));
    return 0;
  },
});

function reportText({ entries, rowsDiffered, tables }: RebuildReport): string {
  const summary = `${entries} log entries processed; ${rowsDiffered === 0 ? 'no row differed.' : `${rowsDiffered} rows differed and were corrected:`}`;
  if (rowsDiffered === 0) return summary;
  const rows = Object.entries(tables)
    .filter(([, { missing, extra, different }]) => missing + extra + different > 0)
    .map(([table, { missing, extra, different }]) => [table, String(missing), String(extra), String(different)]);
  return `${summary}\n${renderTable(['table', 'missing', 'extra', 'different'], rows)}`;
}
