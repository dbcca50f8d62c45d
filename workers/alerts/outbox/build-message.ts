// What one send is about, at the moment it is sent: the alerts that are still so, and the message made of them.
import { messageIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Store, Unit } from '#src/store/contract.ts';
import { loadCases } from '#workers/alerts/rules/booking-context.ts';
import type { Message } from '#workers/alerts/message/message.ts';
import { digestOf, messageOf, type About, type MessageNeeds } from '#workers/alerts/message/messages.ts';
import type { Case } from '#workers/alerts/rules/rule.ts';
import type { BookingRule, ConditionRule, Ruleset } from '#workers/alerts/rules/ruleset.ts';

export type AnyRule = BookingRule | ConditionRule;

export const rulesByName = ({ bookings, conditions }: Ruleset): ReadonlyMap<string, AnyRule> =>
  new Map([...bookings, ...conditions].map((rule) => [rule.name, rule]));

const isAboutBookings = (rule: AnyRule): rule is BookingRule => 'graceMs' in rule;

export interface Examined {
  readonly so: readonly Alert[];
  readonly over: readonly Alert[];
  readonly cases: ReadonlyMap<string, Case>;
}

/** Asks the rule again, on the rows as they are now. A follow-up stands as long as its row does, trouble as long as nobody ends it. */
export async function examine(from: Store | Unit, rule: AnyRule, alerts: readonly Alert[]): Promise<Examined> {
  if (!isAboutBookings(rule)) return { so: alerts, over: [], cases: new Map() };
  const cases = await loadCases(
    from,
    alerts.map(({ subjectUri }) => subjectUri),
  );
  const isSo = ({ follows, subjectUri, fact }: Alert): boolean => {
    const known = cases.get(subjectUri);
    return follows !== null || (known !== undefined && rule.find(known).some((found) => found.fact === fact));
  };
  const [so, over] = [alerts.filter((alert) => isSo(alert)), alerts.filter((alert) => !isSo(alert))];
  return { so, over, cases };
}

export async function messageFor(
  needs: MessageNeeds,
  rule: AnyRule,
  { so, cases }: Pick<Examined, 'so' | 'cases'>,
): Promise<Message> {
  const messages = await Promise.all(so.map((alert) => singleMessage(needs, rule, { alert, cases })));
  const digest = so[0]?.digest ?? null;
  const [only] = messages;
  return digest === null && only ? only : digestOf(needs, { id: digest ?? '', rule, messages });
}

function singleMessage(
  needs: MessageNeeds,
  rule: AnyRule,
  { alert, cases }: { readonly alert: Alert; readonly cases: Examined['cases'] },
): Promise<Message> {
  const { subjectUri, fact, occurredAt, follows, episode, detail } = alert;
  const trouble: About = { subject: subjectUri, ...(detail !== null && { message: detail }) };
  return messageOf(needs, {
    id: messageIdOf(alert),
    rule,
    kind: follows === null ? 'alert' : 'retraction',
    about: cases.get(subjectUri) ?? trouble,
    fact,
    occurredAt,
    follows: follows && messageIdOf({ id: follows, episode }),
  });
}
