// Finds everything in the log that an erasure concerns: entries about its subjects, entries that name them, and entries that hold
// the address anywhere. What is found to be the person's own is one more subject, so the log is read until none is added.
import type { Store, Unit } from '#src/store/contract.ts';
import { entryTexts, lastSeq, type EntryText, type LogEntry } from '#src/store/log.ts';
import { entriesAt } from '#src/store/retention.ts';
import type { MirrorTable } from '../projections/contract.ts';
import { readAgain } from '../sync/replay.ts';
import { normalAddress } from './addresses.ts';
import { carriesAddress, ownSubjects, timeOf, withoutErased } from './anonymous.ts';
import type { ErasedSubject } from './erasure-entry.ts';
import { erasuresOf, type Erasures } from './erasures.ts';
import { changesCarry } from './rewriting.ts';

export interface Sightings {
  /** Everything that is the person's, and the meetings they were invited to. */
  readonly subjects: Map<string, MirrorTable | null>;
  /** Places of entries to be changed. */
  readonly places: Set<number>;
  /** The time of the newest fact that holds the address. */
  newest: string;
  /** How far the log was read, for these subjects. */
  readTo: number;
}

export interface Wanted {
  /** Their hash, and how they are written; undefined when only subjects are erased. */
  readonly address: { readonly hash: string; readonly text: string } | undefined;
  readonly key: string;
}

/** Later than any fact: what is here now goes, whatever time it claims. */
const always = '9999-12-31T23:59:59.999999Z';
const pageSize = 200;

export const nothingSeen = (subjects: readonly ErasedSubject[]): Sightings => ({
  subjects: new Map(subjects.map(({ uri, table }) => [uri, table])),
  places: new Set(),
  newest: '',
  readTo: 0,
});

/** Reads on to the end of the log; and once more from its beginning, as long as that adds a subject. */
export async function search(
  from: Store | Unit,
  wanted: Wanted,
  { seen, onProgress }: { readonly seen: Sightings; readonly onProgress?: ((entries: number) => void) | undefined },
): Promise<void> {
  const upTo = await lastSeq(from);
  let read = 0;
  for (let known = -1; seen.subjects.size !== known;) {
    if (known >= 0) seen.readTo = 0;
    known = seen.subjects.size;
    let erasures = sought(wanted, seen);
    while (seen.readTo < upTo) {
      const before = seen.subjects.size;
      const page = await entryTexts(from, { after: seen.readTo, upTo, limit: pageSize });
      const places = page.filter((entry) => mayConcern(wanted, seen, entry)).map(({ seq }) => seq);
      for (const entry of await entriesAt(from, places)) look(erasures, seen, entry);
      if (seen.subjects.size > before) erasures = sought(wanted, seen);
      seen.readTo = page.length < pageSize ? upTo : (page.at(-1)?.seq ?? upTo);
      read += page.length;
      onProgress?.(read);
    }
  }
}

function sought({ address, key }: Wanted, { subjects }: Sightings): Erasures {
  const addresses = address ? [{ email_hash: address.hash, through: always }] : [];
  return erasuresOf({ seq: 1, key, erased: [...[...subjects].map(([uri, table]) => ({ uri, table })), ...addresses] });
}

const escapes = /\\[u/]|%40/;
const isPlain = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** Cheap, and never false where it matters: most entries are about somebody else. */
function mayConcern({ address }: Wanted, { subjects }: Sightings, entry: EntryText): boolean {
  const { subject_uri: about, body, encoding, changes } = entry;
  if (encoding !== null || (about !== null && subjects.has(about))) return true;
  const text = body + changes;
  if (escapes.test(text)) return true;
  // Only letters beyond ASCII can be written in two ways.
  if (address && (isPlain(address.text) ? text.toLowerCase() : normalAddress(text)).includes(address.text)) return true;
  return subjects.size > 0 && (text.match(/https?:\/\/[^"\s\\]+/g) ?? []).some((uri) => subjects.has(uri));
}

function look(erasures: Erasures, seen: Sightings, entry: LogEntry): void {
  if (entry.source === 'operator') return;
  const reading = readAgain(entry);
  const own = ownSubjects(erasures, reading);
  for (const { uri, table } of own) seen.subjects.set(uri, table);
  const holdsAddress = carriesAddress(erasures, reading);
  if (holdsAddress && timeOf(reading) > seen.newest) seen.newest = timeOf(reading);
  const isSpoken = holdsAddress || own.length > 0 || withoutErased(erasures, reading) !== reading;
  if (isSpoken || changesCarry(erasures, entry.changes)) seen.places.add(entry.seq as number);
}
