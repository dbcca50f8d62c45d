// What an alert rule is: one kind of occasion, its options, and a pure question asked of everything known about one booking. It
// answers what is so now, never what has just changed; `standing.ts` makes messages of the difference.
import type { z } from 'zod';
import type { TableRow } from '#src/store/tables.ts';

/** An open no-show mark of somebody. */
export interface OpenMark {
  readonly inviteeUri: string;
  readonly noShowUri: string;
  readonly markedAt: string;
}

/** A contact, with its custom fields by label. */
export interface KnownContact {
  readonly row: TableRow<'contacts'>;
  readonly fields: ReadonlyMap<string, unknown>;
}

/** Everything known about one booking at the moment the rules are asked. */
export interface Case {
  readonly invitee: TableRow<'invitees'>;
  readonly event: TableRow<'scheduled_events'> | undefined;
  readonly eventTypeName: string | null;
  /** Of the first host, as their profile says: messages tell times in it. Null when nobody knows. */
  readonly hostTimezone: string | null;
  /** The contact with the invitee's address; undefined when there is none. */
  readonly contact: KnownContact | undefined;
  /** All open marks of the person with the invitee's address, oldest first; this booking's among them. */
  readonly marks: readonly OpenMark[];
}

/** What a rule finds to be so. Together with the rule and the subject, `fact` is its identity: the same fact never alerts twice. */
export interface Finding {
  readonly fact: string;
  /** When it happened, on the service's clock: what is too old never alerts. */
  readonly occurredAt: string;
}

export type Moment = 'no_show_at' | 'canceled_at' | 'created_at';

interface RulePlan<Options extends z.ZodRawShape> {
  readonly when: string;
  /** Opens the title of its messages: `No-show`. */
  readonly title: string;
  /** For the documentation, and for the test message. */
  readonly about: string;
  readonly options: Options;
  /** The columns of invitees in which the moments stand that it may tell of: where all are long past, it need not be asked. */
  moments(options: z.output<z.ZodObject<Options>>): readonly Moment[];
  /** What it looks at besides the booking: of the person, or the meeting. */
  readonly looksAt?: 'contact' | 'marks' | 'event';
  /** All that is so: what is left out is taken back. */
  find(options: z.output<z.ZodObject<Options>>, known: Case): readonly Finding[];
}

/** The loosest view of a rule, for code that treats all alike. */
export type RuleKind = RulePlan<z.ZodRawShape>;

/** Ties the types of `find` to the options declared beside it. */
export function defineRule<const Options extends z.ZodRawShape>(plan: RulePlan<Options>): RulePlan<Options> {
  return plan;
}

/** The open mark of the booking itself. */
export const ownMark = ({ invitee, marks }: Case): OpenMark | undefined =>
  marks.find(({ inviteeUri }) => inviteeUri === invitee.uri);
