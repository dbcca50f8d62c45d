// The judge of fault runs, independent of the code under test: it opens the database by itself and compares.
// (A) every delivery answered with 2xx is in the log exactly once, (B) nothing is lost when the sender retries, (C) the rows
// are what the newest fact says, (D) nothing private in anything that was written for people to read.
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { expect } from 'vitest';
import { until } from '../harness/ports.ts';
import { isAccepted, type Sent } from '../harness/mirror/sender.ts';

type Row = Record<string, unknown>;

/** Asks a store directly. */
export async function ask(storeUrl: string, sql: string): Promise<Row[]> {
  if (storeUrl.startsWith('sqlite:')) {
    const db = new Sqlite(storeUrl.slice('sqlite:'.length), { timeout: 5000 });
    try {
      const statement = db.prepare(sql);
      if (statement.reader) return statement.all() as Row[];
      statement.run();
      return [];
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: storeUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Lets the leases of a killed process end at once. That they end by themselves is tested where two processes compete. */
export const endLeases = async (storeUrl: string): Promise<void> =>
  void (await ask(storeUrl, "delete from key_values where key like 'lease %'"));

/** Waits until the log holds every delivery answered with 2xx, then judges A to C. */
export async function judge(storeUrl: string, sent: readonly Sent[], timeoutMs = 120_000): Promise<void> {
  const accepted = new Set(sent.filter(({ answers }) => isAccepted(answers.at(-1))).map(({ body }) => body));
  const offered = new Set(sent.map(({ body }) => body));
  const { log, missing } = await untilLogged(storeUrl, accepted, timeoutMs);
  expect(accepted.size, 'something was accepted').toBeGreaterThan(0);
  expect(missing, 'what was accepted is in the log').toBe(0);
  expect(log.length, 'no delivery is in the log twice').toBe(new Set(log.map(({ body }) => body)).size);
  expect(
    log.filter(({ body }) => !offered.has(String(body))),
    'nothing was invented',
  ).toEqual([]);
  expect(log.filter(isMisjudged), 'only unreadable deliveries are quarantined, with a reason').toEqual([]);
  expect(await contactsIn(storeUrl)).toEqual(newestContacts(log.map(({ body }) => String(body))));
}

/** What the log holds once nothing is missing from it, or the time is up. */
async function untilLogged(
  storeUrl: string,
  bodies: ReadonlySet<string>,
  timeoutMs: number,
): Promise<{ log: Row[]; missing: number }> {
  let log: Row[] = [];
  const missing = (): number => {
    const logged = new Set(log.map(({ body }) => body));
    return [...bodies].filter((body) => !logged.has(body)).length;
  };
  const isWhole = async (): Promise<boolean> => {
    const [{ entries } = { entries: 0 }] = await ask(storeUrl, 'select count(*) as entries from event_log');
    if (Number(entries) < bodies.size) return false;
    log = await ask(storeUrl, 'select body, outcome, reason from event_log');
    return missing() === 0;
  };
  await until(isWhole, 'every accepted delivery is in the log', timeoutMs).catch(async () => {
    log = await ask(storeUrl, 'select body, outcome, reason from event_log');
  });
  return { log, missing: missing() };
}

function isMisjudged({ body, outcome, reason }: Row): boolean {
  const expected =
    readable(String(body)) === undefined ? ['quarantined', 'unhandled'] : ['applied', 'unchanged', 'superseded'];
  return !expected.includes(String(outcome)) || (reason === null) !== (readable(String(body)) !== undefined);
}

async function contactsIn(storeUrl: string): Promise<Map<string, Row>> {
  const rows = await ask(storeUrl, 'select uri, name, company, primary_email, updated_at from contacts');
  const shape = ({ uri, updated_at, ...row }: Row): [string, Row] => [
    String(uri),
    { ...row, updated_at: new Date(String(updated_at)).getTime() },
  ];
  return new Map(rows.map((row) => shape(row)));
}

/** The fold, as simply as it can be said: of each contact, what the delivery with the newest `updated_at` says. */
function newestContacts(bodies: readonly string[]): Map<string, Row> {
  const newest = new Map<string, Row & { updated_at: number }>();
  for (const body of bodies) {
    const payload = readable(body);
    if (payload === undefined) continue;
    const { uri, name, company, emails, updated_at } = payload as Row & { emails: { email: string }[] };
    const known = newest.get(String(uri));
    const time = new Date(String(updated_at)).getTime();
    if (known === undefined || known.updated_at < time) {
      newest.set(String(uri), { name, company, primary_email: emails[0]?.email, updated_at: time });
    }
  }
  return newest;
}

function readable(body: string): Row | undefined {
  try {
    const { event, payload } = JSON.parse(body) as { event: string; payload: Row };
    return event === 'contact.created' || event === 'contact.updated' ? payload : undefined;
  } catch {
    return undefined;
  }
}

/** (D) None of these may appear; what is found is named by its place in the list, so that a failure tells no secret either. */
export function expectNoTraceOf(
  canaries: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>>,
): void {
  const found = Object.entries(texts).flatMap(([where, text]) =>
    Object.entries(canaries).flatMap(([what, canary]) => (text.includes(canary) ? [`${what} in ${where}`] : [])),
  );
  expect(found).toEqual([]);
}
