// Asks whether an invitee came: by two links, or by buttons in a channel that has them.
import type { BookingContext } from '#src/read/bookings/booking-context.ts';
import { nameOf, type MessageFact } from './booking-text.ts';
import { sanitizeLine } from './sanitize-text.ts';

export interface Question {
  readonly invitee: string;
  readonly who: string;
  /** The permission to answer. */
  readonly token: string;
  /** What stands. */
  readonly answer: 'came' | 'no_show' | 'none';
}

/** Valid for a week from `since`: the same at every attempt to send a message. The URL is undefined without PUBLIC_URL. */
export type AnswerLink = (input: { readonly invitee: string; readonly host: string; readonly since: string }) => {
  readonly token: string;
  readonly url: string | undefined;
};

const maxLabelLength = 60;

/** Undefined where the booking cannot be answered any more. */
export function askWhetherTheyCame(
  answerLink: AnswerLink,
  context: BookingContext,
  reader: { readonly host: string; readonly since: string },
): { readonly question: Question; readonly facts: readonly MessageFact[] } | undefined {
  const { attendance = null } = context.booking ?? {};
  if (attendance === null) return undefined;
  const { uri: invitee } = context.invitee;
  const { token, url } = answerLink({ invitee, ...reader });
  const who = nameOf(context);
  const fact = (label: string, answer: string): MessageFact => ({
    label: sanitizeLine(`${label}: ${who}`, maxLabelLength),
    value: `${url}?answer=${answer}`,
    isLink: true,
    isAnswer: true,
  });
  const answer = attendance === 'confirmed' ? 'came' : attendance === 'no_show' ? attendance : 'none';
  return {
    question: { invitee, who, token, answer },
    facts: url === undefined ? [] : [fact('They came', 'came'), fact('No-show', 'no_show')],
  };
}
