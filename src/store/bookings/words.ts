// The words of the view `bookings`. Its files say what each means.
export const outcomes = [
  'upcoming',
  'came',
  'no_show',
  'unknown',
  'canceled_by_invitee',
  'late_cancellation',
  'canceled_by_host',
  'canceled',
  'moved',
] as const;
export type Outcome = (typeof outcomes)[number];

/** By anyone, at any time. */
export const canceledOutcomes = ['canceled_by_invitee', 'late_cancellation', 'canceled_by_host', 'canceled'] as const;
/** Neither canceled nor moved. */
export const activeOutcomes = ['upcoming', 'came', 'no_show', 'unknown'] as const;

export const attendances = ['no_show', 'confirmed', 'likely', 'suspected_no_show', 'unconfirmed'] as const;
export type Attendance = (typeof attendances)[number];
/** Nothing shows that the invitee came. */
export const withoutEvidence = ['unconfirmed', 'suspected_no_show'] as const;
