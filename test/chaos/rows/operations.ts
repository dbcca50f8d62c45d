// Rows about commands of the operator during load: replay, rebuild and erase.
import { until } from '../../harness/ports.ts';
import { embedded, redisAndPostgres, type WithPostgres } from '../engines.ts';
import { requireFault, seconds } from '../faults/evidence.ts';
import { ask } from '../oracle/read.ts';
import { countLogged } from '../oracle/judge.ts';
import { scenario, type Run, type Scenario } from '../scenario.ts';
import type { Engines } from '../stack.ts';

/** A log that a command has to work on for a while. */
async function fillLog({ engines, load }: Run<Engines>, entries: number): Promise<void> {
  const wanted = (await countLogged(engines.store)) + entries;
  await load.burst(entries, 32);
  await until(async () => (await countLogged(engines.store)) >= wanted, 'the burst is in the log');
}

/** Runs a command to its end; answers its last line and what was acknowledged meanwhile. */
async function command(
  { stack, load }: Run<Engines>,
  args: readonly string[],
): Promise<{ output: string; during: string }> {
  const beginMs = Date.now();
  const acceptedBefore = load.accepted();
  const { code, output } = await stack.command(args);
  const accepted = load.accepted() - acceptedBefore;
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${output.slice(-500)}`);
  requireFault(accepted > 0, `nothing was acknowledged during ${args[0]}`);
  return { output, during: `${accepted} acknowledged in its ${seconds(Date.now() - beginMs)}` };
}

const lastLine = (output: string): string => output.trim().split('\n').at(-1) ?? '';

async function rebuildDuringLoad(run: Run<WithPostgres>): Promise<string> {
  await fillLog(run, 3_000);
  const { output, during } = await command(run, ['rebuild']);
  const [, entries = ''] = /([\d,]+) log entries processed; no row differed/.exec(output) ?? [];
  if (Number(entries.replaceAll(',', '')) < 3_000) throw new Error(`rebuild found differences: ${output.slice(-500)}`);
  return `${lastLine(output)} ${during}`;
}

/**
 * Moves what the log has about contacts and bookings into quarantine and removes their rows, as if an earlier version had not understood
 * these deliveries. A replay can apply them all.
 */
const plantQuarantine = `do $$
  declare subjects text[];
  begin
    lock table contacts, contact_emails, contact_phone_numbers, invitees, no_shows, scheduled_events, event_log in exclusive mode;
    select array_agg(uri) into subjects from contacts where deleted_at is null;
    update event_log set outcome = 'quarantined', reason = 'planted', changes = null
      where subject_uri = any(subjects) or event like 'invitee%';
    delete from contacts where uri = any(subjects);
    delete from contact_emails where contact_uri = any(subjects);
    delete from contact_phone_numbers where contact_uri = any(subjects);
    truncate invitees, no_shows, scheduled_events;
  end $$`;

/** Workers write to these tables in another order. */
const deadlock = '40P01';

async function replayDuringLoad(run: Run<WithPostgres>): Promise<string> {
  const { store } = run.engines;
  await fillLog(run, 2_000);
  const rows = async (): Promise<number> => {
    const living = '(select count(*) from contacts where deleted_at is null)';
    const [row] = await ask<{ count: number }>(
      store,
      `select (${living} + (select count(*) from invitees))::int as count`,
    );
    return row?.count ?? 0;
  };
  const before = await rows();
  const isPlanted = (): Promise<boolean> =>
    ask(store, plantQuarantine).then(
      () => true,
      (error: { code?: string }) => (error.code === deadlock ? false : Promise.reject(error)),
    );
  await until(isPlanted, 'the entries are in quarantine');
  const without = await rows();
  const { output, during } = await command(run, ['replay', '--quarantined']);
  const changed = Number(/, (\d+) changed,/.exec(lastLine(output))?.[1]);
  const after = await rows();
  requireFault(
    changed > 1_000 && without <= before / 2 && after >= before,
    `${before} rows, ${without}, ${after}; ${lastLine(output)}`,
  );
  return `${before} contacts and bookings, ${without} after their entries were put into quarantine, ${after} after the replay; ${lastLine(output)} ${during}`;
}

const people = 5;

/** Addresses of people who booked most, so that more deliveries about them are likely. */
function someAddresses({ load, random }: Run<Engines>): readonly string[] {
  const bookings = new Map<string, number>();
  for (const body of load.acceptedBodies()) {
    const { event, payload } = JSON.parse(body) as { event: string; payload: Record<string, unknown> };
    const email = event.startsWith('invitee.') ? payload['email'] : undefined;
    if (typeof email === 'string') bookings.set(email, (bookings.get(email) ?? 0) + 1);
  }
  const most = [...bookings].toSorted(([, a], [, b]) => b - a).map(([address]) => address);
  const left = most.slice(0, 4 * people);
  return Array.from({ length: people }, () => left.splice(random.below(left.length), 1)).flat();
}

async function eraseDuringLoad(run: Run<Engines>): Promise<string> {
  const mentions = (address: string): number => run.load.offered.filter(({ body }) => body.includes(address)).length;
  await run.wait(3_000);
  const addresses = someAddresses(run);
  requireFault(addresses.length === people, 'too few people have booked');
  const seen: string[] = [];
  const offeredAt: number[] = [];
  for (const address of addresses) {
    run.erased.push(address);
    const { output, during } = await command(run, ['erase', address]);
    if (!output.includes('Erased at')) throw new Error(`not erased: ${output.slice(-500)}`);
    offeredAt.push(mentions(address));
    seen.push(during);
    await run.wait(500);
  }
  run.ended();
  await run.wait(4_000);
  const later = addresses.reduce((sum, address, at) => sum + mentions(address) - (offeredAt[at] ?? 0), 0);
  requireFault(later > 0, 'no delivery about these people came afterwards');
  return `${people} people erased (${seen[0]} for the first), ${later} deliveries about them sent afterwards`;
}

export const operationsRows: readonly Scenario[] = [
  scenario('replay of contacts and bookings from quarantine during load', redisAndPostgres, replayDuringLoad),
  scenario('rebuild of 3,000 log entries and more during load', redisAndPostgres, rebuildDuringLoad),
  ...[redisAndPostgres, embedded].map((on) => scenario('five people erased during load', on, eraseDuringLoad)),
];
