// Checks of the engines: the queue answers and loses nothing; the store answers, and its views are up to date.
import { slotstream } from '#src/base/command.ts';
import { counted } from '#src/base/number-text.ts';
import { compareQueue } from '#src/app/queue-claim.ts';
import { hasReason } from '#src/queue/bullmq/connection.ts';
import { isEmbedded, openQueue } from '#src/queue/registry.ts';
import type { Store } from '#src/store/contract.ts';
import { hasFractions } from '#src/read/contacts/custom-fields.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { unknownKinds } from '#src/store/status-counts.ts';
import { unredactedContacts } from '#src/store/unredacted-contacts.ts';
import type { Check, Report } from './check.ts';

export const checkQueue: Check = async ({ config, mirror }, report) => {
  if (isEmbedded(config.queueUrl))
    return report.ok('queue', 'embedded, in the data folder; only the process that owns it can read it.');
  const { queueUrl: url, dataDir } = config;
  let rejected: Error | undefined;
  // The client only says that it has no connection.
  const note = (error: Error) => hasReason(error) && (rejected = error);
  const queue = await openQueue({ url, dataDir, report: note });
  try {
    await queue.ping().catch((error: unknown) => Promise.reject(rejected ?? error));
    const problems = [...(await queue.check())];
    const other = await compareQueue(config, queue, await mirror().catch(() => undefined));
    if (other) problems.push(other);
    const { waiting, failed } = await queue.depth();
    for (const { fatal, message, hint } of problems) report[fatal ? 'problem' : 'warning']('queue', message, hint);
    if (failed > 0)
      report.warning('queue', `${failed} batches failed.`, `A running worker retries them: ${slotstream} work`);
    if (report.findings.length === 0) report.ok('queue', `${queue.engine} answers; ${waiting} batches are waiting.`);
  } finally {
    await queue.close();
  }
};

export const checkStore: Check = async ({ config, mirror }, report) => {
  const store = await mirror();
  await store.engine.ping();
  report.ok('store', `${store.engine.name} answers; the log ends at entry ${await lastSeq(store)}.`);
  // Others wrote these names, so the list that models read does not have them.
  const kinds = await unknownKinds(store);
  if (kinds.length > 0)
    report.warning(
      'quarantine',
      `deliveries of kinds that this version does not know: ${kinds.join(', ')}.`,
      `Upgrade, then: ${slotstream} replay --quarantined`,
    );
  const { reportTimezone, currencyFields } = store.settings;
  if (reportTimezone !== 'UTC')
    report.ok('views', `days and months are counted in ${reportTimezone} (REPORT_TIMEZONE).`);
  for (const { variable, here, mirror } of store.settings.conflictsWith(config.stated))
    report.warning(
      'settings',
      `${variable} is ${here} here and ${mirror} in the mirror, which all processes follow. A worker does not start with this.`,
      `Correct it in this environment; or, to change the mirror: ${slotstream} settings --apply`,
    );
  await checkUnredactedContacts(store, report);
  for (const { message, hint } of await store.refreshViews()) report.warning('views', message, hint ?? 'See the log.');
  for (const setting of await store.engine.unsafeSettings())
    report.warning(
      'store',
      `PostgreSQL runs with ${setting}: a crash of its machine can lose acknowledged deliveries.`,
      `In postgresql.conf: ${setting.replace(/ = .*/, ' = on')}; then restart PostgreSQL.`,
    );
  const { used, most } = (await store.engine.connections()) ?? { used: 0, most: 1 };
  if (used >= most * nearlyAll)
    report.warning(
      'store',
      `${used} of the ${most} connections of PostgreSQL are in use: without a free one, no process can start.`,
      'Run fewer processes, give each a smaller pool (?pool=4 in DATABASE_URL), put PgBouncer in between, or raise max_connections.',
    );
  const missing = await store.engine.contactSearch.missing(store.db);
  if (missing.length > 0)
    report.warning(
      'search',
      'PostgreSQL has no trigram index: searching many contacts by name is slow.',
      `In the database, as a user with the privilege: ${missing.join('; ')}; then restart a worker, which makes the index.`,
    );
  await checkCurrencyFields(store, { unit: currencyFields, report });
};

const nearlyAll = 0.8;
const mostCounted = 1_000;

async function checkUnredactedContacts(store: Store, report: Report): Promise<void> {
  if (!store.settings.eraseOnDelete) return;
  const { length } = await unredactedContacts(store, { limit: mostCounted });
  if (length === 0) return;
  report.problem(
    'privacy',
    `the log still has the values of ${length < mostCounted ? counted(length, 'deleted contact') : `${mostCounted} deleted contacts or more`}: deleted while ERASE_ON_DELETE was off.`,
    `Remove them: ${slotstream} reconcile --repair`,
  );
}

/** An amount in minor units has no fraction. */
async function checkCurrencyFields(
  store: Store,
  { unit, report }: { readonly unit: 'minor' | 'major'; readonly report: Report },
): Promise<void> {
  const isFractional = await hasFractions(store);
  if (isFractional === undefined) return;
  if (unit === 'major') report.ok('currency', 'amounts of custom fields are read in units of their currency.');
  else if (!isFractional) report.ok('currency', 'amounts of custom fields are read in minor units (cents).');
  else
    report.warning(
      'currency',
      'amounts of custom fields are read in minor units (cents), but some have a fraction: contacts_wide shows null there.',
      `If the service sends amounts in units of the currency: CURRENCY_FIELDS=major ${slotstream} settings --apply`,
    );
}
