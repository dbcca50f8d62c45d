// Rows about the load itself: few rows that all facts are about, many deliveries at once, deliveries that cannot be processed.
import { redisAndPostgres, type WithPostgres } from '../engines.ts';
import { failuresSince } from '../faults/answers.ts';
import { requireFault } from '../faults/evidence.ts';
import { countLogged } from '../oracle/judge.ts';
import { ask } from '../oracle/read.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

const hotContacts = 20;
const burstSize = 20_000;
const connections = 64;

const countOf = async (store: string, sql: string): Promise<number> => Number((await ask(store, sql))[0]?.['count']);

async function hotRows({ engines: { store }, stack, wait }: Run<WithPostgres>): Promise<string> {
  const waiting =
    "select count(*) as count from pg_stat_activity where datname = current_database() and wait_event in ('transactionid', 'tuple')";
  let samples = 0;
  let waits = 0;
  for (const untilMs = Date.now() + 12_000; Date.now() < untilMs; samples += 1) {
    if ((await countOf(store, waiting)) > 0) waits += 1;
    await wait(50);
  }
  const contacts = await countOf(store, 'select count(*) as count from contacts');
  requireFault(contacts <= hotContacts, `there are ${contacts} contacts`);
  requireFault(waits > 0, 'no worker waited for a row of another');
  return `${contacts} contacts, ${stack.workers.length} workers; a session waited for a locked row in ${waits} of ${samples} samples`;
}

async function burst({ engines: { store }, load, wait, ended }: Run<Engines>): Promise<string> {
  const failures = failuresSince(load);
  const fromMs = Date.now();
  let isSent = false;
  const sending = load.burst(burstSize, connections).finally(() => (isSent = true));
  let most = 0;
  while (!isSent) {
    most = Math.max(most, load.accepted() - (await countLogged(store)));
    await wait(250);
  }
  await sending;
  ended();
  requireFault(load.offered.length >= burstSize, `only ${load.offered.length} deliveries were sent`);
  requireFault(most > connections, `at most ${most} waited`);
  const seconds = (Date.now() - fromMs) / 1_000;
  return `sent in ${seconds.toFixed(1)} s (${Math.round(burstSize / seconds)}/s), at most ${most} waited; ${failures().text}`;
}

async function poison({ engines: { store }, load, wait }: Run<Engines>): Promise<string> {
  const failures = failuresSince(load);
  await wait(10_000);
  const outcomes = await ask(
    store,
    "select outcome, count(*) as count from event_log where outcome in ('quarantined', 'unhandled') group by outcome order by outcome",
  );
  requireFault(outcomes.length === 2, 'nothing is in quarantine, or nothing is unhandled');
  const bodies = [...load.acceptedBodies()];
  const large = bodies.filter((body) => body.length > 900_000).length;
  const nested = bodies.filter((body) => /\[{1000}|(\{"a":){100}/.test(body)).length;
  requireFault(large > 0 && nested > 0, `${large} large and ${nested} nested bodies were acknowledged`);
  return `${large} of 1 MB and ${nested} deeply nested acknowledged; ${outcomes.map((row) => `${String(row['count'])} ${String(row['outcome'])}`).join(', ')}; ${failures().text}`;
}

export const loadRows: readonly Scenario[] = [
  // Enough that workers meet in these rows, also now that transactions are short.
  scenario(`all facts about ${hotContacts} contacts`, redisAndPostgres, hotRows, {
    perSecond: 240,
    history: { hotContacts },
  }),
  scenario('burst of 20,000 deliveries from 64 connections', redisAndPostgres, burst, {
    perSecond: 20,
    deliveries: burstSize + 20 * 120,
  }),
  scenario('10 % poison: malformed, unknown, 1 MB, deeply nested', redisAndPostgres, poison, {
    history: { poison: 0.1 },
  }),
];
