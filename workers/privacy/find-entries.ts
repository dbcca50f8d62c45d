// Finds everything in the log that an erasure concerns: entries about its subjects, entries that name them, and entries that hold
// an address of the person anywhere. What is found to be the person's own is one more subject, and gives the person's further
// addresses, so the log is read until nothing is added.
import type { Store, Unit } from '#src/store/contract.ts';
import { entryTexts, lastSeq, type EntryText, type LogEntry } from '#src/store/log/log.ts';
import { entriesAt } from '#src/store/log/retention.ts';
import type { MirrorTable } from '#workers/projections/contract.ts';
import { readAgain } from '#workers/sync/replay.ts';
import { normalAddress } from './addresses.ts';
import { carriesAddress, ownSubjects, timeOf, withoutErased } from './redact-fact.ts';
import type { ErasedSubject } from './erasure-entry.ts';
import { erasedAddress, erasuresOf, type Erasures } from './erasure-index.ts';
import { addressesOf, colleaguesIn, isOfAnother, mostAddresses, tooMany, type Colleagues } from './linked-addresses.ts';
import { changesCarry } from './redact-log.ts';
import type { Target } from './target.ts';

export interface Sightings {
  /** Everything that is the person's, and the meetings they were invited to. */
  readonly subjects: Map<string, MirrorTable | null>;
  /** How the person's addresses are written, normalised. */
  readonly addresses: Set<string>;
  /** Addresses in the person's records that are a colleague's, and were not followed. */
  readonly left: Set<string>;
  /** Places of entries to be changed. */
  readonly places: Set<number>;
  /** The time of the newest fact that holds an address. */
  newest: string;
  /** How far the log was read, for these subjects. */
  readTo: number;
}

export interface Wanted {
  readonly target: Target;
  /** Nothing but what was named: further addresses of the person are not followed. */
  readonly only: boolean;
  readonly key: string;
}

/** Later than any fact: what is here now goes, whatever time it claims. */
const always = '9999-12-31T23:59:59.999999Z';
const pageSize = 200;

export const nothingSeen = (target: Target, subjects: readonly ErasedSubject[]): Sightings => ({
  subjects: new Map(subjects.map(({ uri, table }) => [uri, table])),
  addresses: new Set(target.kind === 'address' ? [normalAddress(target.address)] : []),
  left: new Set(),
  places: new Set(),
  newest: '',
  readTo: 0,
});

/** A copy: a transaction that is tried again begins with what was found before it. */
export const copyOf = (seen: Sightings): Sightings => ({
  ...seen,
  subjects: new Map(seen.subjects),
  addresses: new Set(seen.addresses),
  left: new Set(seen.left),
  places: new Set(seen.places),
});

/** Reads on to the end of the log; and once more from its beginning, as long as that adds a subject or an address. */
export async function search(
  from: Store | Unit,
  wanted: Wanted,
  { seen, onProgress }: { readonly seen: Sightings; readonly onProgress?: ((entries: number) => void) | undefined },
): Promise<void> {
  const upTo = await lastSeq(from);
  const colleagues = await colleaguesIn(from);
  const found = () => seen.subjects.size + seen.addresses.size;
  let read = 0;
  for (let known = -1; found() !== known;) {
    if (known >= 0) seen.readTo = 0;
    known = found();
    let erasures = sought(wanted, seen);
    while (seen.readTo < upTo) {
      const before = found();
      const page = await entryTexts(from, { after: seen.readTo, upTo, limit: pageSize });
      const places = page.filter((entry) => mayConcern(seen, entry)).map(({ seq }) => seq);
      for (const entry of await entriesAt(from, places)) look({ wanted, erasures, colleagues }, seen, entry);
      if (seen.addresses.size > mostAddresses) throw tooMany();
      if (found() > before) erasures = sought(wanted, seen);
      seen.readTo = page.length < pageSize ? upTo : (page.at(-1)?.seq ?? upTo);
      read += page.length;
      onProgress?.(read);
    }
  }
}

function sought({ key }: Wanted, { subjects, addresses }: Sightings): Erasures {
  const hashes = [...addresses].map((address) => erasedAddress(key, { address, through: always }));
  return erasuresOf({ seq: 1, key, erased: [...[...subjects].map(([uri, table]) => ({ uri, table })), ...hashes] });
}

const escapes = /\\[u/]|%[0-9a-f]{2}/i;
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Cheap, and never false where it matters: most entries are about somebody else. */
function mayConcern({ subjects, addresses }: Sightings, entry: EntryText): boolean {
  const { subject_uri: about, body, encoding, changes } = entry;
  if (encoding !== null || (about !== null && subjects.has(about))) return true;
  const text = body + changes;
  if (escapes.test(text)) return true;
  if (text.includes('@') && holdsAny(addresses, text)) return true;
  return subjects.size > 0 && (text.match(/https?:\/\/[^"\s\\]+/g) ?? []).some((uri) => subjects.has(uri));
}

/** Only letters beyond ASCII can be written in two ways. */
function holdsAny(addresses: ReadonlySet<string>, text: string): boolean {
  const lower = text.toLowerCase();
  return [...addresses].some((address) => (isPlain(address) ? lower : normalAddress(text)).includes(address));
}

interface Looking {
  readonly wanted: Wanted;
  readonly erasures: Erasures;
  readonly colleagues: Colleagues;
}

function look({ wanted, erasures, colleagues }: Looking, seen: Sightings, entry: LogEntry): void {
  if (entry.source === 'operator') return;
  const reading = readAgain(entry);
  const own = ownSubjects(erasures, reading);
  for (const { uri, table } of own) seen.subjects.set(uri, table);
  for (const address of wanted.only ? [] : addressesOf(reading, own)) {
    const isAnothers = !seen.addresses.has(address) && isOfAnother(colleagues, wanted.target, address);
    (isAnothers ? seen.left : seen.addresses).add(address);
  }
  const holdsAddress = carriesAddress(erasures, reading);
  if (holdsAddress && timeOf(reading) > seen.newest) seen.newest = timeOf(reading);
  const isSpoken = holdsAddress || own.length > 0 || withoutErased(erasures, reading) !== reading;
  if (isSpoken || changesCarry(erasures, entry.changes)) seen.places.add(entry.seq as number);
}
