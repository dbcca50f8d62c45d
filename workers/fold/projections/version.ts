// The version of a fact: fixed-width text whose order is the order in which facts replace each other.
//
//   lead(1) · updated_at to the millisecond(17) · observed(20) · rank(1) · updated_at(20) · tie(16)
//
// Times are their digits, YYYYMMDDhhmmssffffff; a missing time is all zeros, lower than any other. The millisecond comes first,
// because lists give coarser times than webhooks: facts that agree to the millisecond are ordered by the remaining parts.
import { isObject } from '#schemas/wire.ts';
import type { Json } from '#src/store/columns.ts';

declare const versionBrand: unique symbol;
export type Version = string & { readonly [versionBrand]: true };

/** Where each part begins and ends. */
const layout = { beforeObserved: [0, 18], observed: [18, 38], rank: [38, 39], afterObserved: [38, 75] } as const;
const width = 75;

const sliceOf = (version: Version, part: keyof typeof layout): string => version.slice(...layout[part]);

/** Only this file makes versions, so their width tells them from any other text. */
const isVersion = (value: unknown): value is Version => typeof value === 'string' && value.length === width;

function checked(text: string): Version {
  if (!isVersion(text)) throw new Error(`A version has ${width} characters, not ${text.length}.`);
  return text;
}

/** How much a kind of fact is trusted when everything before it is equal. */
export const ranks = { page: 0, created: 1, updated: 2, final: 3 } as const;
export type Rank = (typeof ranks)[keyof typeof ranks];

export interface Stamp {
  /** The record's own `updated_at`; never the envelope's time. */
  readonly updatedAt: string | null | undefined;
  /** The envelope's `created_at`, or the time at which an API page was requested: the service's clock, never ours. */
  readonly observed: string;
  readonly rank: Rank;
  readonly tie: string;
}

const none = '0'.repeat(20);

/** The digits of a time as `normalizeTimestamp` writes it: `2026-01-31T23:59:59.000000Z`. */
function digits(time: string | null | undefined): string {
  if (!time) return none;
  return (
    time.slice(0, 4) +
    time.slice(5, 7) +
    time.slice(8, 10) +
    time.slice(11, 13) +
    time.slice(14, 16) +
    time.slice(17, 19) +
    time.slice(20, 26)
  );
}

/** `leads` places a fact above all that do not lead, whatever their times: a canceled invitee stays canceled. */
export function versionOf({ updatedAt, observed, rank, tie }: Stamp, leads = false): Version {
  const updated = digits(updatedAt);
  return checked(`${leads ? 1 : 0}${updated.slice(0, 17)}${digits(observed)}${rank}${updated}${tie}`);
}

/** For records whose updates may lack `updated_at` (recaps): the fact that was observed last wins. */
export function versionByObservation({ updatedAt, observed, rank, tie }: Stamp): Version {
  return checked(`0${none.slice(0, 17)}${digits(observed)}${rank}${digits(updatedAt)}${tie}`);
}

/** A row stores its greatest version in `version`, and in `lagging` those of the fields that lag behind it. */
type VersionedRow = Readonly<Record<string, Json>>;

/** The greatest version of a row; empty, and so lower than any, when no fact has described it. */
export function rowVersion({ version }: VersionedRow): Version | '' {
  return isVersion(version) ? version : '';
}

/** The version that decided each field; empty when no fact has assigned it. */
export function fieldVersions(row: VersionedRow): (field: string) => Version | '' {
  const greatest = rowVersion(row);
  const lagging = isObject(row['lagging']) ? row['lagging'] : {};
  return (field) => {
    const own = lagging[field];
    return own === '' || isVersion(own) ? own : greatest;
  };
}

export function observedIn(version: Version): string {
  const d = sliceOf(version, 'observed');
  return `${d.slice(0, 4)}-${d.slice(4, 6)}-${d.slice(6, 8)}T${d.slice(8, 10)}:${d.slice(10, 12)}:${d.slice(12, 14)}.${d.slice(14)}Z`;
}

/** Whether this is the version of a page with this tie, whenever it was observed. */
export function isPageOf(version: Version, tie: string): boolean {
  return sliceOf(version, 'rank') === String(ranks.page) && version.endsWith(tie);
}

/** The version of the same fact, observed at another time. */
export function observedAgain(version: Version, observed: string): Version {
  return checked(sliceOf(version, 'beforeObserved') + digits(observed) + sliceOf(version, 'afterObserved'));
}
