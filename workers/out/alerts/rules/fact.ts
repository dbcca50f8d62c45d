// The facts that alerts are about. A fact is an object in the program and one line of text in the `fact` column, where it is part of the
// identity of an alert: the text of a fact must never change.

/** A fact about one booking. */
export type BookingFact =
  | { readonly kind: 'booked'; readonly inviteeUri: string }
  | { readonly kind: 'canceled'; readonly at: string }
  | { readonly kind: 'no_show'; readonly noShowUri: string }
  | { readonly kind: 'suspected_no_show' }
  /** Reported to a host in the evening at this time. */
  | { readonly kind: 'unconfirmed'; readonly evening: string };

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
    case 'unconfirmed':
      return `unconfirmed ${fact.evening}`;
    case 'suspected_no_show':
    case 'unbooked':
      return fact.kind;
    case 'condition':
      return `since ${fact.since}`;
  }
}

/** The inverse of `encodeFact`, for alerts about bookings. */
export function decodeBookingFact(text: string): BookingFact {
  const [, kind, value = ''] = /^(booked|canceled|unconfirmed) (.*)$/s.exec(text) ?? [];
  if (kind === 'booked') return { kind, inviteeUri: value };
  if (kind === 'canceled') return { kind, at: value };
  if (kind === 'unconfirmed') return { kind, evening: value };
  if (text === 'suspected_no_show') return { kind: text };
  return { kind: 'no_show', noShowUri: text };
}
