// The contract of a rule about bookings: its kind, its options, and a pure function from everything known about one booking to the facts
// that are true now. A rule never sees what changed; `outbox/diff.ts` compares its findings with the alerts that exist.
import type { NoShowMark } from '#src/read/contacts/contacts-by-address.ts';
import { z } from 'zod';
import { canceledOutcomes } from '#src/store/bookings/words.ts';
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import type { BookingFact, SubmissionFact } from './fact.ts';

/** A fact that a rule finds to be true. With rule, channel and subject it identifies one alert: a fact never alerts twice. */
export interface Finding {
  readonly fact: BookingFact | SubmissionFact;
  /** When it happened, by the service's clock: facts older than `ALERT_MAX_AGE` never alert. */
  readonly occurredAt: string;
  /** The host to whom it is reported, for a report per host: then the alert is about the host. */
  readonly subject?: string;
}

/** A column of `invitees` that holds the time of a fact. */
export type FactTime = 'no_show_at' | 'canceled_at' | 'created_at';

/** What a rule reads besides the booking itself. */
export type ExtraData = 'contact' | 'marks' | 'attendance';

/** A rule of one kind with its options. */
export interface BoundRule {
  /** Where all of these times are too old, the rule is not evaluated. */
  readonly factTimes: readonly FactTime[];
  /** For a rule that counts no-shows within a window: its length. */
  readonly noShowWindowMs: number | undefined;
  /** For a report per host: the time of day, and the time zone of hosts without one. Its facts are true from their time on. */
  readonly evening: { readonly at: string; readonly zone: string } | undefined;
  /** All facts that are true: an alert whose fact is missing here is retracted. */
  find(context: BookingContext): readonly Finding[];
}

/** One kind of rule, as code that treats all kinds alike sees it. */
export interface RuleKind {
  readonly when: string;
  /** Opens the title of its messages: `No-show`. */
  readonly title: string;
  readonly titles: Titles | undefined;
  /** One sentence for the documentation. */
  readonly about: string;
  /** The page of the dashboard with the bookings of a digest. */
  readonly page: string;
  readonly options: z.ZodRawShape;
  readonly reads: ExtraData | undefined;
  /** It is one message per host and evening, which is not retracted. */
  readonly isReport: boolean;
  /** Reads the options from a rule of the rules file, which was validated before. `reportZone`: the time zone of hosts without one. */
  bind(rule: unknown, reportZone: string): BoundRule;
}

/** The titles of a rule that reports several kinds of facts. */
type Titles = Partial<Readonly<Record<BookingFact['kind'], string>>>;

interface RuleDefinition<Options extends z.ZodRawShape> {
  readonly when: string;
  readonly title: string;
  readonly titles?: Titles;
  readonly about: string;
  readonly page: string;
  readonly options: Options;
  readonly reads?: ExtraData;
  factTimes(options: z.output<z.ZodObject<Options>>): readonly FactTime[];
  noShowWindowMs?(options: z.output<z.ZodObject<Options>>): number;
  /** For a report per host: at which time of the evening. */
  reportsAt?(options: z.output<z.ZodObject<Options>>): string;
  find(options: z.output<z.ZodObject<Options>>, context: BookingContext, reportZone: string): readonly Finding[];
}

/** Ties the types of `find` to the options declared beside it. */
export function defineRule<const Options extends z.ZodRawShape>(rule: RuleDefinition<Options>): RuleKind {
  const options = z.object(rule.options);
  return {
    when: rule.when,
    title: rule.title,
    titles: rule.titles,
    about: rule.about,
    page: rule.page,
    options: rule.options,
    reads: rule.reads,
    isReport: rule.reportsAt !== undefined,
    bind(given, reportZone) {
      const own = options.parse(given);
      const at = rule.reportsAt?.(own);
      return {
        factTimes: rule.factTimes(own),
        noShowWindowMs: rule.noShowWindowMs?.(own),
        evening: at === undefined ? undefined : { at, zone: reportZone },
        find: (context) => rule.find(own, context, reportZone),
      };
    },
  };
}

/** The open no-show mark of the booking itself. */
export const ownMark = ({ invitee, marks }: BookingContext): NoShowMark | undefined =>
  marks.find(({ inviteeUri }) => inviteeUri === invitee.uri);

/** The open no-show mark of the booking as a finding, if there is one. */
export function noShowFindings(context: BookingContext): readonly Finding[] {
  const mark = ownMark(context);
  if (mark === undefined) return [];
  return [{ fact: { kind: 'no_show', noShowUri: mark.noShowUri }, occurredAt: mark.markedAt }];
}

/** The cancellation of the booking as a finding, if it was canceled and not rescheduled. */
export function cancellationFindings({ booking }: BookingContext): readonly Finding[] {
  const { canceled_at: at = null } = booking ?? {};
  return isCanceled(booking) && at !== null ? [{ fact: { kind: 'canceled', at }, occurredAt: at }] : [];
}

const canceled: ReadonlySet<string> = new Set(canceledOutcomes);
export const isCanceled = (booking: BookingContext['booking']): boolean => canceled.has(booking?.outcome ?? '');
