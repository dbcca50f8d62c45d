// The judge of a chaos run. It shares no code with the product. (A) Every delivery answered with 2xx is in the log once, and in
// quarantine only with a reason; (B) nothing that was offered is lost; (C) the rows are what the model says; (D) no canary in any output.
import { normal } from '../../harness/data/normal-facts.ts';
import { isAccepted, type Offered } from '../load/sender.ts';
import { ask, promisedTable, readTable, type PromisedTable, type Row } from './read.ts';
import { readBody, type ReadBody } from './facts.ts';
import { compareRows } from './rows.ts';

export interface Evidence {
  /** `sqlite:/path` or `postgres://…`, without a pooler in between. */
  readonly store: string;
  readonly offered: readonly Offered[];
  /** Everything that each process printed, by its name; also lists of file names. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly canaries: Readonly<Record<string, string>>;
  /** Addresses that the operator erased during the run. */
  readonly erased?: readonly string[];
  readonly eraseOnDelete?: boolean;
}

export interface Verdict {
  readonly deliveries: number;
  readonly acknowledged: number;
  /** Acknowledged, and not in the log. */
  readonly lost: number;
  /** Never answered with 2xx. */
  readonly unsent: number;
  readonly duplicated: number;
  /** Rows and log entries that differ from the model. */
  readonly wrong: number;
  /** Log entries that were never sent. */
  readonly invented: number;
  /** In quarantine though sound, or not in quarantine though malformed, or without a reason. */
  readonly quarantinedWrongly: number;
  readonly leaked: readonly string[];
  /** Up to 20 lines for people. */
  readonly findings: readonly string[];
}

export async function judge(evidence: Evidence): Promise<Verdict> {
  const { store, offered, outputs, canaries, eraseOnDelete = true } = evidence;
  const findings: string[] = [];
  const count = (lines: readonly string[]): number => {
    findings.push(...lines);
    return lines.length;
  };
  const acknowledged = offered.filter(isAcknowledged);
  const bodies = new Map(offered.map(({ body }) => [body, readBody(body)]));
  const log = await readLog(store, [...bodies.values()]);
  const isLogged = ({ body }: Offered): boolean => log.entries.has(body);
  const lost = acknowledged.filter((each) => !isLogged(each));
  const facts = offered
    .filter((each) => isLogged(each) || isAcknowledged(each))
    .flatMap(({ body }) => bodies.get(body)?.fact ?? []);
  const leaked = leaksIn(outputs, canaries);
  const verdict = {
    deliveries: offered.length,
    acknowledged: acknowledged.length,
    lost: count(lost.map(({ body }) => `Lost: ${excerpt(body)}`)),
    unsent: offered.length - acknowledged.length,
    duplicated: count(log.duplicates.map((id) => `In the log more than once: ${id}`)),
    invented: count(log.invented.map((id) => `In the log, but never sent: ${id}`)),
    quarantinedWrongly: count(log.misjudged),
    wrong: count([...log.altered, ...(await compareRows(store, { facts, eraseOnDelete }))]),
    leaked,
  };
  return { ...verdict, findings: [...leaked, ...findings].slice(0, 20) };
}

/** How many entries the log has. */
export async function countLogged(store: string): Promise<number> {
  const [row] = await ask(store, 'select count(*) as entries from event_log');
  return Number(row?.['entries']);
}

/** Whether every accepted body is in the log, and so in the rows. */
export async function isDrained(store: string, accepted: ReadonlySet<string>): Promise<boolean> {
  if ((await countLogged(store)) < accepted.size) return false;
  const logged = new Set((await ask(store, 'select delivery_id from event_log')).map((row) => row['delivery_id']));
  return [...accepted].every((body) => readBody(body).ids.some((id) => logged.has(id)));
}

const isAcknowledged = ({ answers }: Offered): boolean => answers.some(({ status }) => isAccepted(status));
const excerpt = (body: string): string => (body.length > 160 ? `${body.slice(0, 160)}…` : body);

interface Log {
  /** By the body that was offered. */
  readonly entries: ReadonlyMap<string, Row>;
  readonly duplicates: readonly string[];
  readonly invented: readonly string[];
  readonly misjudged: readonly string[];
  readonly altered: readonly string[];
}

async function readLog(store: string, bodies: readonly ReadBody[]): Promise<Log> {
  const byId = new Map(bodies.flatMap((read) => read.ids.map((id) => [id, read] as const)));
  const table: PromisedTable = promisedTable('event_log');
  const entries = new Map<string, Row>();
  const found = {
    duplicates: [] as string[],
    invented: [] as string[],
    misjudged: [] as string[],
    altered: [] as string[],
  };
  for (const entry of await readTable(store, 'event_log', table)) {
    if (entry['source'] === 'operator') continue;
    const name = `entry ${String(entry['seq'])} (${String(entry['event'])} ${String(entry['subject_uri'])})`;
    const read = byId.get(String(entry['delivery_id']));
    if (read === undefined || entry['source'] !== 'webhook') {
      found.invented.push(name);
      continue;
    }
    if (entries.has(read.body)) found.duplicates.push(name);
    entries.set(read.body, entry);
    const verdict = misjudgement(entry, read);
    if (verdict !== null) found.misjudged.push(`${name}: ${verdict}`);
    found.altered.push(...alterations(entry, read).map((line) => `${name}: ${line}`));
  }
  return { entries, ...found };
}

const outcomes = {
  sound: ['applied', 'unchanged', 'superseded', 'tombstoned'],
  unknown: ['unhandled'],
  malformed: ['quarantined'],
};

function misjudgement({ outcome, reason }: Row, { state }: ReadBody): string | null {
  if (!outcomes[state].includes(String(outcome)))
    return `the body is ${state}, and the outcome is ${String(outcome)} (${String(reason)})`;
  return state !== 'sound' && (reason === null || reason === '') ? `${String(outcome)} without a reason` : null;
}

/** The entry must have the body as it was sent, and the time and the subject of its fact. */
function alterations(entry: Row, { body, fact }: ReadBody): string[] {
  const lines: string[] = [];
  const stored =
    entry['encoding'] === 'base64' ? Buffer.from(String(entry['body']), 'base64').toString() : entry['body'];
  if (entry['redacted'] !== true && stored !== body) lines.push('the body is not the one that was sent');
  if (fact === null) return lines;
  const { event, observed, payload } = normal(fact);
  const expected: Row = { event, occurred_at: observed, subject_uri: payload['uri'] };
  for (const [column, value] of Object.entries(expected))
    if (entry[column] !== value) lines.push(`${column}: expected ${String(value)}, found ${String(entry[column])}`);
  return lines;
}

function leaksIn(outputs: Evidence['outputs'], canaries: Evidence['canaries']): string[] {
  return Object.entries(outputs).flatMap(([where, text]) =>
    Object.entries(canaries).flatMap(([what, canary]) =>
      text.includes(canary) ? [`${what} in the output of ${where}`] : [],
    ),
  );
}
