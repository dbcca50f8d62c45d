// The text about a form that led to no booking: one sentence, its facts in order, and the same values as variables for templates. Pure.
import { utmColumns } from '#src/store/schema/tables.ts';
import { submissionFactNames } from '#workers/out/alerts/submissions/form-without-booking.ts';
import { isBooked, submitterOf, type SubmissionContext } from '#workers/out/alerts/submissions/submission.ts';
import { bookingText, type BookingText, type MessageFact, type TextOptions } from './booking-text.ts';
import { sanitizeLine } from './sanitize-text.ts';
import { durationText, zonedSpan } from '#src/base/zoned-time.ts';

export interface AboutSubmission {
  readonly submission: SubmissionContext;
  readonly withinMs: number;
}

/** Slack shows ten facts. */
const maxAnswers = 6;

export function submissionText(about: AboutSubmission, { rule, isOver, reportZone = 'UTC' }: TextOptions): BookingText {
  const { row, formName, answers } = about.submission;
  const submitter = submitterOf(about.submission);
  const email = sanitizeLine(submitter.email?.answer);
  const name = sanitizeLine(submitter.name?.answer);
  const who = name || email || 'Someone';
  const form = sanitizeLine(formName);
  const when = row.created_at === null ? 'unknown' : zonedSpan(row.created_at, null, reportZone);
  const utm = utmColumns.map((column) => [column.slice('utm_'.length), sanitizeLine(row[column])] as const);
  const others = answers.filter((one) => one !== submitter.email && one !== submitter.name);
  const facts: Readonly<Record<(typeof submissionFactNames)[number], readonly MessageFact[]>> = {
    who: [{ label: 'Who', value: name }],
    email: [{ label: 'E-mail', value: email }],
    form: [{ label: 'Form', value: form }],
    answers: others.slice(0, maxAnswers).map(({ question, answer }) => ({
      label: sanitizeLine(question, 80) || 'Answer',
      value: sanitizeLine(answer, 300),
    })),
    utm: [
      {
        label: 'UTM',
        value: utm.flatMap(([parameter, value]) => (value === '' ? [] : [`${parameter} ${value}`])).join(', '),
      },
    ],
    when: [{ label: 'Submitted', value: when }],
  };
  return {
    who,
    text: isOver
      ? overText(about, { who, rule })
      : `${who} submitted ${formText(form)}, and no booking from this form came within ${durationText(about.withinMs)}.`,
    facts: submissionFactNames
      .filter((one) => !rule.omit?.includes(one))
      .flatMap((one) => facts[one])
      .filter(({ value }) => value !== ''),
    variables: {
      on: 'unbooked',
      name: who,
      email,
      form,
      when,
      answers: Object.fromEntries(
        answers.map(({ question, answer }) => [sanitizeLine(question), sanitizeLine(answer, 300)]),
      ),
      utm: Object.fromEntries(utm),
    },
  };
}

const formText = (form: string): string => (form === '' ? 'a routing form' : `the form “${form}”`);

export const overTitle = ({ submission, withinMs }: AboutSubmission): string =>
  isBooked(submission, withinMs) ? 'Booked after all' : 'Form without booking alert retracted';

/** Often only the rule no longer matches: what is still true is not denied. */
function overText(
  { submission, withinMs }: AboutSubmission,
  { who, rule }: { readonly who: string; readonly rule: TextOptions['rule'] },
): string {
  if (!isBooked(submission, withinMs))
    return `No booking of ${who} from this form has come yet, but the rule “${rule.name}” no longer matches.`;
  const { booking } = submission;
  if (booking === undefined) return `Booked after all: ${who}.`;
  const fact = { kind: 'booked', inviteeUri: booking.invitee.uri } as const;
  return `Booked after all: ${bookingText({ context: booking, fact }, { rule, isOver: false }).text}`;
}
