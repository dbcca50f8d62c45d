// Everything that the rule about routing forms and its messages know about one submission, and who submitted it.
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { isMailAddress } from '#src/egress/smtp-url.ts';
import { columnsOf, type TableRow } from '#src/store/schema/tables.ts';

/** The columns that the rule and its messages use. */
export const submissionColumns = columnsOf(
  'routing_form_submissions',
  'uri routing_form questions_and_answers utm_source utm_medium utm_campaign utm_content utm_term created_at',
);

export interface Answer {
  readonly question: string;
  readonly answer: string;
  /** The type of the question where the form is mirrored: `name`, `email`, … */
  readonly type: string | undefined;
}

/** Everything known about one submission at the moment the rules are evaluated. */
export interface SubmissionContext {
  readonly row: Pick<TableRow<'routing_form_submissions'>, (typeof submissionColumns)[number]>;
  readonly formName: string | null;
  readonly answers: readonly Answer[];
  /** When the same address booked otherwise; when it was submitted, if a booking refers to it, whenever that was made; null without a booking. */
  readonly bookedAt: string | null;
  /** The booking that was made after all. */
  readonly booking: BookingContext | undefined;
}

/** A booking counts that refers to the submission, and one of the same address within the time. */
export const isBooked = ({ row, bookedAt }: SubmissionContext, withinMs: number): boolean =>
  row.created_at !== null && bookedAt !== null && Date.parse(bookedAt) <= Date.parse(row.created_at) + withinMs;

/** Questions whose answer is a name, where the type of the question is not known; in lower case. */
const nameQuestions = ['name', 'your name', 'full name', 'your full name'];

/** The answers that say who submitted the form, found as the view `unbooked_submissions` finds them. */
export function submitterOf({ answers }: SubmissionContext): { readonly name?: Answer; readonly email?: Answer } {
  const isName = ({ type, question }: Answer): boolean =>
    type === undefined ? nameQuestions.includes(question.trim().toLowerCase()) : type === 'name';
  const name = answers.find((one) => one.answer.trim() !== '' && isName(one));
  const email = answers.find(({ answer }) => isMailAddress(answer.trim()));
  return { ...(name && { name }), ...(email && { email }) };
}
