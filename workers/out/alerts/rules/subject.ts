// What a rule is about: a booking, or a submission of a routing form. A subject finds its records and loads what is known about them; its
// rules find facts in that; all else is the same for every subject.
import { instantOf } from '#src/base/time.ts';
import type { ChangeEntry } from '#src/read/deliveries/log-changes.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import type { MessageHost, MessageSubject } from '#workers/out/alerts/message/message.ts';
import { alertId, type DesiredAlert } from '#workers/out/alerts/outbox/apply.ts';
import { encodeFact } from './fact.ts';
import type { Finding } from './rule.ts';

/** A rule about such records. */
export interface RecordRule<Context> {
  readonly name: string;
  readonly channels: readonly string[];
  readonly graceMs: number;
  /** Its facts are true from their time on, which may lie ahead. */
  readonly isTimed: boolean;
  /** Its alerts are about hosts, and are not retracted. */
  readonly isReport: boolean;
  /** All facts that are true: an alert whose fact is missing here is retracted. */
  find(context: Context): readonly Finding[];
  /** Undefined without `to_host`. With `only`, that host alone. */
  readonly hostsOf?: ((context: Context, only?: string) => readonly MessageHost[]) | undefined;
}

/** After the one time, up to the other. */
export interface Period {
  readonly afterMs: number;
  readonly throughMs: number;
}

export interface Subject<Context, Rule extends RecordRule<Context>> {
  /** The records that these entries may affect, where that can change the outbox. Alerts about facts before `since` no longer change. */
  affected(
    store: Store,
    entries: readonly ChangeEntry[],
    input: { readonly rules: readonly Rule[]; readonly since: string },
  ): Promise<readonly string[]>;
  /** The records with facts that became true within the period because time passed. */
  due(store: Store, input: Period & { readonly rules: readonly Rule[] }): Promise<readonly string[]>;
  /** By URI. Leaves out what is no such record, and those of erased people: nothing is reported about them. */
  load(from: Store | Unit, uris: readonly string[], rules: readonly Rule[]): Promise<ReadonlyMap<string, Context>>;
  /** What a message says. `fact` as it is stored. */
  about(context: Context, rule: Rule, fact: string): MessageSubject;
}

export interface Evaluation {
  /** What was evaluated, by URI. */
  readonly subjects: readonly string[];
  /** Records of erased people, about which nothing is sent any more. */
  readonly erased: readonly string[];
  /** The alerts that should exist about the subjects. */
  readonly desired: readonly DesiredAlert[];
  /** Reports to hosts; the same one for every booking that it lists. */
  readonly reports: readonly DesiredAlert[];
}

/** Evaluates the rules on records as they are now. */
export async function evaluate<Context, Rule extends RecordRule<Context>>(
  { load }: Pick<Subject<Context, Rule>, 'load'>,
  store: Store,
  { uris, rules, nowMs }: { readonly uris: readonly string[]; readonly rules: readonly Rule[]; readonly nowMs: number },
): Promise<Evaluation> {
  const contexts = await load(store, uris, rules);
  const now = instantOf(nowMs);
  const alertsOf = (wanted: readonly Rule[]) =>
    [...contexts].flatMap(([uri, context]) =>
      wanted.flatMap((rule) =>
        desiredAlerts(
          rule,
          uri,
          rule.find(context).filter(({ occurredAt }) => !rule.isTimed || occurredAt <= now),
        ),
      ),
    );
  return {
    subjects: [...contexts.keys()],
    erased: uris.filter((uri) => !contexts.has(uri)),
    desired: alertsOf(rules.filter(({ isReport }) => !isReport)),
    reports: alertsOf(rules.filter(({ isReport }) => isReport)),
  };
}

/** One alert for each channel of the rule. */
function desiredAlerts(
  { name: rule, channels, graceMs }: Pick<RecordRule<unknown>, 'name' | 'channels' | 'graceMs'>,
  uri: string,
  findings: readonly Finding[],
): readonly DesiredAlert[] {
  return findings.flatMap(({ fact, occurredAt, subject = uri }) =>
    channels.map((channel) => {
      const identity = { rule, channel, subject_uri: subject, fact: encodeFact(fact) };
      return { ...identity, id: alertId(identity), occurred_at: occurredAt, graceMs };
    }),
  );
}
