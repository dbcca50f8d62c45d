// The facts that alerts are about. A fact is an object in the program and one line of text in the `fact` column, where it is part of the
// identity of an alert: the text of a fact must never change.

/** A fact about one booking. */
export type BookingFact =
  | { readonly kind: 'booked'; readonly inviteeUri: string }
  | { readonly kind: 'canceled'; readonly at: string }
  | { readonly kind: 'no_show'; readonly noShowUri: string };

/** A fact about one submission of a routing form: it led to no booking. */
export interface SubmissionFact {
  readonly kind: 'unbooked';
}

export type Fact = BookingFact | SubmissionFact | { readonly kind: 'condition'; readonly since: string };

export function encodeFact(fact: Fact): string {
  switch (fact.kind) {
    case 'booked':
      return `booked ${fact.inviteeUri}`;
    case 'canceled':
      return `canceled ${fact.at}`;
    case 'no_show':
      return fact.noShowUri;
    case 'unbooked':
      return fact.kind;
    case 'condition':
      return `since ${fact.since}`;
  }
}

/** The inverse of `encodeFact`, for alerts about bookings. */
export function decodeBookingFact(text: string): BookingFact {
  const [, kind, value = ''] = /^(booked|canceled) (.*)$/s.exec(text) ?? [];
  if (kind === 'booked') return { kind, inviteeUri: value };
  if (kind === 'canceled') return { kind, at: value };
  return { kind: 'no_show', noShowUri: text };
}
