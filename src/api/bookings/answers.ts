// Answers whether an invitee came (ANSWERS=on). It is the one operation that changes something at the service.
import { z } from 'zod';
import { uri } from '#schemas/wire.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import type { Audit } from '#src/api/audit.ts';
import type { Caller } from '#src/api/auth/browser.ts';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { instantOf } from '#src/base/time.ts';
import type { Store } from '#src/store/contract.ts';
import { readColumns } from '#src/store/rows.ts';
import { conflict, denied, HttpError, invalid, notFound, titledError } from '#src/http/http-error.ts';
import { attendances, canceledOutcomes, outcomes } from '#src/store/bookings/words.ts';
import { bookingOfInvitee, type BookingRow } from '#src/read/bookings/bookings.ts';
import type { Answerer } from '#workers/fold/projections/attendance.ts';
import { answers, statusOf, type Answer } from '#workers/sync/answer.ts';
import type { AnswerName } from './answer-texts.ts';

const answerRecord = z
  .strictObject({
    invitee: z.string(),
    answer: z.enum(answers).describe('What stands now: `no_show` while a mark is open, `came`, or `none`.'),
    outcome: z.enum(outcomes).nullable(),
    attendance: z.enum(attendances).nullable().describe('Null while nothing is known of it.'),
    attendance_basis: z
      .string()
      .nullable()
      .describe('The URI of the mark or of the recap, or `delivery_id` of the log entry of the answer.'),
  })
  .meta({ id: 'Answer' });

export const answerBooking = defineOperation({
  id: 'answerBooking',
  method: 'POST',
  path: '/api/answers',
  tag: 'Bookings',
  summary: 'Answer whether an invitee came',
  description:
    '`no_show` marks the invitee at the service. `came` removes an open mark there, and records that they came. `none` takes both back. The same answer can be given any number of times; the mark at the service decides. Needs `ANSWERS=on`, and `scheduled_events:write` for marks.',
  body: z.strictObject({
    invitee: uri.describe('The URI of the last invitee of the booking.'),
    answer: z.enum(answers),
  }),
  errors: {
    403: 'ANSWERS is off, or the service does not permit it.',
    404: 'No such booking.',
    409: 'The booking was canceled or moved, has not begun, or the service rejects the answer.',
    503: 'The service does not answer.',
  },
  audited: true,
  answers: 'resource',
  schema: answerRecord,
  run: (call) => giveAnswer(call, { ...call.body, by: answererOf(call) }),
});

const answererOf = ({ caller }: Pick<ApiContext, 'caller'>): Answerer =>
  caller?.who.endsWith('session') === true ? 'dashboard' : 'api';

type AnswerContext = Pick<ApiContext, 'store' | 'tail' | 'clock' | 'answers'>;

/** Gives an answer, and returns what stands then. */
export async function giveAnswer(
  { store, tail, clock, answers: record }: AnswerContext,
  answer: Answer,
): Promise<z.output<typeof answerRecord>> {
  if (record === undefined) throw denied('Answers are off. Set ANSWERS=on to change anything at the service.');
  const refusal = refusalFor(await bookingOf({ store }, answer.invitee), answer.invitee, instantOf(clock()));
  // An answer can always be taken back.
  if (refusal !== undefined && answer.answer !== 'none') throw conflict({ message: refusal });
  await record(answer).catch((error: unknown) => {
    throw error instanceof SlotstreamError ? refusalOf(error) : error;
  });
  tail.poke();
  return stateOf(store, await bookingOf({ store }, answer.invitee));
}

/** As `giveAnswer`, for a host without a login: recorded as an action, as those of the API are. What stands already is not given again. */
export async function giveHostAnswer(
  context: AnswerContext & { readonly audit: Pick<Audit, 'begin'> },
  caller: Caller & { readonly who: 'answer link' | 'slack button' },
  { current, ...answer }: Omit<Answer, 'by'> & { readonly current: AnswerName },
): Promise<void> {
  if (answer.answer === current) return;
  const end = await context.audit.begin(answerBooking, caller, { params: {}, query: {}, body: answer });
  try {
    await end(200, { resource: await giveAnswer(context, { ...answer, by: 'host' }) });
  } catch (error) {
    await end(error instanceof HttpError ? error.status : 503);
    throw error;
  }
}

async function bookingOf({ store }: Pick<ApiContext, 'store'>, invitee: string): Promise<BookingRow> {
  const found = await bookingOfInvitee(store, invitee);
  if (found === undefined) throw notFound('No such booking.');
  return found.booking;
}

const overOutcomes: ReadonlySet<string | null> = new Set([...canceledOutcomes, 'moved']);

/** Why a booking cannot be answered. */
function refusalFor({ last_invitee, outcome, start_time }: BookingRow, invitee: string, now: string) {
  if (last_invitee !== invitee || overOutcomes.has(outcome))
    return 'The booking was canceled or moved to another time: there is nothing to answer.';
  return start_time === null || start_time > now ? 'The meeting has not begun.' : undefined;
}

/** In the words of the service. */
function refusalOf(error: SlotstreamError): HttpError {
  const message = [error.message, error.hint].filter((text) => text !== undefined).join(' ');
  if (statusOf(error) === 403) return denied(message);
  if (statusOf(error) === 400) return invalid({ message });
  return isTransient(error) ? titledError(503, message) : conflict({ message });
}

/** What stands, for a booking that can be answered; undefined for any other one. */
export async function currentAnswer(
  { store, clock }: Pick<ApiContext, 'store' | 'clock'>,
  invitee: string,
): Promise<Answer['answer'] | undefined> {
  const booking = await bookingOf({ store }, invitee);
  return refusalFor(booking, invitee, instantOf(clock())) === undefined
    ? (await stateOf(store, booking)).answer
    : undefined;
}

async function stateOf(store: Store, booking: BookingRow): Promise<z.output<typeof answerRecord>> {
  const { last_invitee: invitee } = booking;
  const columns = ['no_show_uri', 'attendance_entry'] as const;
  const [row] = await readColumns(store, 'invitees', { columns, key: 'uri', values: [invitee] });
  const { no_show_uri: mark = null, attendance_entry: entry = null } = row ?? {};
  return {
    invitee,
    answer: mark !== null ? 'no_show' : entry !== null ? 'came' : 'none',
    outcome: booking.outcome,
    attendance: booking.attendance,
    attendance_basis: booking.attendance_basis,
  };
}
