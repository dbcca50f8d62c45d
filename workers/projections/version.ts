// The version of a fact: fixed-width text whose order is the order in which facts replace each other.
//
//   lead(1) · updated_at to the millisecond(17) · observed(20) · rank(1) · updated_at(20) · tie(16)
//
// Times are their digits, YYYYMMDDhhmmssffffff; a missing one is all zeros, lower than any. The millisecond comes first
// because lists tell coarser times than webhooks: both must agree before the rest is asked.

/** How far a kind of fact is trusted when everything before it is equal. */
export const ranks = { page: 0, created: 1, updated: 2, final: 3 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

export interface Stamp {
  /** The record's own `updated_at`; never the envelope's time. */
  readonly updatedAt: string | null | undefined;
  /** The envelope's `created_at`, or the moment an API page was asked for: the service's clock, never ours. */
  readonly observed: string;
  readonly rank: Rank;
  readonly tie: string;
}

const none = '0'.repeat(20);
const digits = (time: string | null | undefined) => (time ? time.replace(/\D/g, '') : none);

/** `leads` puts a fact before all that do not lead, whatever their times: a canceled invitee stays canceled. */
export function versionOf({ updatedAt, observed, rank, tie }: Stamp, leads = false): string {
  const updated = digits(updatedAt);
  return `${leads ? 1 : 0}${updated.slice(0, 17)}${digits(observed)}${rank}${updated}${tie}`;
}

/** For records whose updates may lack `updated_at` (recaps): what was observed last comes first. */
export function versionByObservation({ updatedAt, observed, rank, tie }: Stamp): string {
  return `0${none.slice(0, 17)}${digits(observed)}${rank}${digits(updatedAt)}${tie}`;
}

/** When the fact with this version was observed. */
export function observedIn(version: string): string {
  const d = version.slice(18, 38);
  return `${d.slice(0, 4)}-${d.slice(4, 6)}-${d.slice(6, 8)}T${d.slice(8, 10)}:${d.slice(10, 12)}:${d.slice(12, 14)}.${d.slice(14)}Z`;
}

/** Whether this is the version of a page with this tie, whenever it was observed. */
export function isPageOf(version: string, tie: string): boolean {
  return version.charAt(38) === String(ranks.page) && version.endsWith(tie);
}

/** The version of the same fact, observed at another time. */
export function observedAgain(version: string, observed: string): string {
  return version.slice(0, 18) + digits(observed) + version.slice(38);
}
