// `npm run bench [NAME…] [--json]`: runs the measurements one after another and holds each figure against its limit.
import { parseArgs } from 'node:util';
import { renderTable } from '#src/cli/terminal.ts';
import { ack } from './ack.ts';
import { alerts } from './alerts.ts';
import { backfill } from './backfill.ts';
import { contactsApi } from './contacts-api.ts';
import { embedded } from './embedded.ts';
import { exporting } from './export.ts';
import { feedStream } from './feed-stream.ts';
import { feed } from './feed.ts';
import { growth } from './growth.ts';
import { holds, type Figure, type Measurement } from './measure.ts';
import { memory } from './memory.ts';
import { project } from './project.ts';
import { sandboxContacts } from './sandbox-contacts.ts';
import { sandboxDeliveries } from './sandbox-deliveries.ts';
import { visible } from './visible.ts';

const measurements: readonly Measurement[] = [
  ack,
  project,
  visible,
  alerts,
  growth,
  memory,
  embedded,
  backfill,
  feed,
  feedStream,
  exporting,
  contactsApi,
  sandboxContacts,
  sandboxDeliveries,
];

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = measurements.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const figures: Figure[] = [];
for (const { name, about, run } of chosen) {
  process.stderr.write(`${name}: ${about} …\n`);
  figures.push(...(await run()));
}

if (values.json) {
  process.stdout.write(`${JSON.stringify(figures.map((figure) => ({ ...figure, holds: holds(figure) })))}\n`);
} else {
  const rows = figures.map((figure) => [
    figure.name,
    `${Number(figure.value.toPrecision(4))}${figure.unit ? ` ${figure.unit}` : ''}`,
    figure.limit ? figure.limit.join(' ') : '–',
    holds(figure) ? 'holds' : 'MISSED',
  ]);
  process.stdout.write(`${renderTable(['figure', 'value', 'limit', ''], rows)}\n`);
}
process.exitCode = figures.every(holds) ? 0 : 1;
