// The judge of a chaos run. It shares no code with the product. (A) Every delivery answered with 2xx is in the log once, and in
// quarantine only with a reason; (B) nothing that was offered is lost; (C) the rows are what the model says; (D) no canary in any output.
import type { Fact } from '../../harness/data/delivery-histories.ts';
import { isAccepted } from '../../harness/mirror/sender.ts';
import type { Offered } from '../load/sender.ts';
import { erasedBy } from './erased.ts';
import { readBody, recordOf } from './facts.ts';
import { checkLog, readLog } from './log.ts';
import { ask } from './read.ts';
import { compareRows, holdsOne } from './rows.ts';

export interface Evidence {
  /** `sqlite:/path` or `postgres://…`, without a pooler in between. */
  readonly store: string;
  readonly offered: readonly Offered[];
  /** Everything that each process printed, by its name. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly canaries: Readonly<Record<string, string>>;
  /** Addresses that the operator erased during the run, when all facts about them were made before. */
  readonly erased?: readonly string[];
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
  const { store, offered, outputs, canaries } = evidence;
  const findings: string[] = [];
  const count = (lines: readonly string[]): number => {
    findings.push(...lines);
    return lines.length;
  };
  const bodies = new Map(offered.map(({ body }) => [body, readBody(body)]));
  const facts = [...bodies.values()].flatMap(({ fact }) => fact ?? []);
  const erased = erasedBy(facts, evidence.erased ?? []);
  const deletedContacts = deletedIn(facts);
  const entries = await readLog(store);
  const erasures = entries.filter(({ source, subject_uri: uri }) => source === 'operator' && uri !== null);
  const log = checkLog(entries, [...bodies.values()], { deletedContacts, marks: erased.marks });
  const acknowledged = offered.filter(isAcknowledged);
  const lost = acknowledged.filter(({ body }) => !log.logged.has(body));
  const counted = offered.filter((each) => log.logged.has(each.body) || isAcknowledged(each));
  const rows = await compareRows(store, {
    facts: [
      ...counted.flatMap(({ body }) => bodies.get(body)?.fact ?? []),
      ...erasures
        .filter(({ subject_uri: uri }) => erased.concerns('contacts', String(uri)))
        .map(({ occurred_at, subject_uri: uri }) => erasureOf(String(uri), String(occurred_at))),
    ],
    erased,
  });
  const traces = entries.filter((entry) => holdsOne(entry, erased.traces));
  const leaked = leaksIn(outputs, canaries);
  const verdict = {
    deliveries: offered.length,
    acknowledged: acknowledged.length,
    lost: count(lost.map(({ body }) => `lost: ${body.slice(0, 160)}`)),
    unsent: offered.length - acknowledged.length,
    duplicated: count(log.duplicated),
    invented: count(log.invented),
    quarantinedWrongly: count(log.misjudged),
    wrong: count([
      ...rows,
      ...log.altered,
      ...traces.map(({ seq }) => `log entry ${String(seq)}: an erased person is in it`),
    ]),
    leaked,
  };
  return { ...verdict, findings: [...leaked, ...findings].slice(0, 20) };
}

const deletedIn = (facts: readonly Fact[]): ReadonlySet<string> =>
  new Set(
    facts.filter(({ event }) => event === 'contact.deleted').map(({ payload }) => String(recordOf(payload)['uri'])),
  );

const erasureOf = (uri: string, created_at: string): Fact => ({
  event: 'person.erased',
  created_at,
  payload: { uri },
  sound: true,
});

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

function leaksIn(outputs: Evidence['outputs'], canaries: Evidence['canaries']): string[] {
  return Object.entries(outputs).flatMap(([where, text]) =>
    Object.entries(canaries).flatMap(([what, canary]) =>
      text.includes(canary) ? [`${what} in the output of ${where}`] : [],
    ),
  );
}
