// Holds every entry of the log against the bodies that were offered: none twice, none altered, none invented, none judged wrongly.
import { normal, type Record_ } from '../../harness/data/normal-facts.ts';
import { recordOf, type ReadBody } from './facts.ts';
import { openReader, promisedTable, readTable } from './read.ts';

export interface LogFindings {
  /** Bodies that are in the log. */
  readonly logged: ReadonlySet<string>;
  readonly duplicated: readonly string[];
  readonly invented: readonly string[];
  readonly misjudged: readonly string[];
  readonly altered: readonly string[];
}

/** What may be, and must be, missing from the log. */
export interface Redaction {
  /** Contacts whose deletion removed their values. */
  readonly deletedContacts: ReadonlySet<string>;
  /** Parts of the bodies that an erasure concerns, in lower case. */
  readonly marks: readonly string[];
}

export async function readLog(store: string): Promise<Record_[]> {
  await using reader = await openReader(store);
  return await readTable(reader, 'event_log', promisedTable('event_log'));
}

/** Entries of an operator, that is erasures, are not looked at. */
export function checkLog(entries: readonly Record_[], bodies: readonly ReadBody[], redaction: Redaction): LogFindings {
  const known = new Map(bodies.flatMap((read) => [read.body, ...read.ids].map((id) => [id, read] as const)));
  const logged = new Set<string>();
  const duplicated: string[] = [];
  const invented: string[] = [];
  const misjudged: string[] = [];
  const altered: string[] = [];
  for (const entry of entries.filter(({ source }) => source !== 'operator')) {
    const name = `log entry ${String(entry['seq'])} (${String(entry['event'])} ${String(entry['subject_uri'])})`;
    const stored = storedBody(entry);
    const read = known.get(String(entry['delivery_id'])) ?? known.get(stored);
    if (read === undefined || entry['source'] !== 'webhook') {
      invented.push(`${name}: never sent`);
      continue;
    }
    if (logged.has(read.body)) duplicated.push(`${name}: in the log more than once`);
    logged.add(read.body);
    const misjudgement = misjudgementOf(entry, read);
    if (misjudgement !== null) misjudged.push(`${name}: ${misjudgement}`);
    const alterations = [...redactionFaults(entry, read, redaction), ...alterationsOf(entry, read)];
    if (alterations.length > 0) altered.push(`${name}: ${alterations.join('; ')}`);
  }
  return { logged, duplicated, invented, misjudged, altered };
}

function storedBody({ body, encoding }: Record_): string {
  return encoding === 'base64' ? Buffer.from(String(body), 'base64').toString() : String(body);
}

const outcomes = {
  sound: ['applied', 'unchanged', 'superseded', 'tombstoned'],
  unknown: ['unhandled'],
  malformed: ['quarantined'],
};

function misjudgementOf({ outcome, reason }: Record_, { state }: ReadBody): string | null {
  if (!outcomes[state].includes(String(outcome)))
    return `the body is ${state}, but the outcome is ${String(outcome)} (${String(reason)})`;
  return state !== 'sound' && !reason ? `${String(outcome)} without a reason` : null;
}

/** The time and the subject of its fact. */
function alterationsOf(entry: Record_, { fact }: ReadBody): string[] {
  if (fact === null) return [];
  const { event, observed, payload } = normal(fact);
  return Object.entries({ event, occurred_at: observed, subject_uri: payload['uri'] })
    .filter(([column, value]) => entry[column] !== value)
    .map(([column, value]) => `${column}: expected ${String(value)}, found ${String(entry[column])}`);
}

function redactionFaults(entry: Record_, { body, fact }: ReadBody, { deletedContacts, marks }: Redaction): string[] {
  const stored = storedBody(entry);
  const isOfDeleted = deletedContacts.has(String(entry['subject_uri']));
  if (entry['redacted'] !== true && stored !== body) return ['the body is not the one that was sent'];
  if (entry['redacted'] === true && !isOfDeleted && !marks.some((mark) => body.toLowerCase().includes(mark)))
    return ['redacted without a reason'];
  if (!isOfDeleted || fact === null) return [];
  const { name, emails } = recordOf(fact.payload) as { name?: unknown; emails?: readonly { email: string }[] };
  const values = [name, ...(emails ?? []).map(({ email }) => email)].filter((value) => typeof value === 'string');
  return values.some((value) => stored.includes(value)) ? ['it still contains the deleted contact'] : [];
}
