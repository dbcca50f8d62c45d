// One moment of a person's history, before it is sent; and the addresses of the pages of the dashboard.
export const momentKinds = [
  'contact_created',
  'contact_changed',
  'contact_deleted',
  'contact_reported',
  'booked',
  'moved',
  'canceled',
  'confirmed',
  'held',
  'no_show',
  'no_show_removed',
  'recap',
  'form_submitted',
  'alert',
] as const;

export interface Moment {
  readonly kind: (typeof momentKinds)[number];
  /** Unique within the history of a person. */
  readonly id: string;
  readonly time: string;
  readonly sentence: string;
  /** The URI of what it is about. */
  readonly subject: string;
  readonly meetingStart?: string | null;
  readonly page?: string;
  /** The log entry that reported it; where it is not known yet, the kind of the entry to look for. */
  readonly seq?: number;
  readonly event?: string;
}

export const pageOf = (section: 'bookings' | 'contacts' | 'recaps' | 'routing', uri: string): string =>
  `/${section}/${encodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))}`;
