// An erasure as the log holds it: told by an operator, one entry for each subject and one for an address. Nobody can send one:
// only the source of an entry makes it one.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, isUri } from '#schemas/wire.ts';
import type { NewEntry } from '#src/store/log/log.ts';
import { mirrorTables, type Compiled, type MirrorTable } from '#workers/projections/contract.ts';

export const erasureEvent = 'person.erased';

/** A record that is a person's, or (of a scheduled event) that an erased invitee filled in. */
export interface ErasedSubject {
  readonly uri: string;
  /** Null when it was never heard of, and its URI does not say. */
  readonly table: MirrorTable | null;
}

export interface ErasedAddress {
  readonly email_hash: string;
  /** A few bits of it that are cheaper to compare. Absent in what an earlier version told: then every address is hashed. */
  readonly sieve?: number | undefined;
  /** Facts up to this moment fold without the person. Whoever comes back later is here again. */
  readonly through: string;
}

export type Erased = ErasedSubject | ErasedAddress;

const subject = z.strictObject({
  uri: z.string().refine(isUri),
  table: z.enum(mirrorTables).nullable(),
});
const address = z.strictObject({ email_hash: z.string(), sieve: z.int().optional(), through: z.string() });
const body = z.looseObject({ created_at: z.string(), payload: z.union([subject, address]) });

export interface ReadErasure {
  readonly at: string;
  readonly erased: Erased;
}

/** Undefined when it is none that this version understands. */
export function readErasure(text: string | null): ReadErasure | undefined {
  try {
    const { data } = body.safeParse(JSON.parse(text ?? ''));
    return data && { at: data.created_at, erased: data.payload };
  } catch {
    return undefined;
  }
}

export function erasureEntry(erased: Erased, { at, base }: { readonly at: string; readonly base: NewEntry }): NewEntry {
  const text = JSON.stringify({ event: erasureEvent, created_at: at, payload: erased });
  const digest = hash('sha256', canonicalJson({ at, erased }), 'hex');
  return {
    ...base,
    // Named for what it is: no text that anybody may send can have its identity.
    delivery_id: `${erasureEvent}-${digest}`,
    source: 'operator',
    event: erasureEvent,
    subject_uri: 'uri' in erased ? erased.uri : null,
    occurred_at: at,
    received_at: at,
    outcome: 'applied',
    body: text,
    tie: digest.slice(0, 16),
  };
}

/** What it does to rows by itself: an erased contact is a tombstone for ever. Other rows stay, without the person. */
export function compiledErasure(text: string | null): Compiled | null {
  const { erased, at } = readErasure(text) ?? {};
  if (erased === undefined || at === undefined || !('uri' in erased) || erased.table !== 'contacts') return null;
  const { uri } = erased;
  return {
    subject: { table: 'contacts', uri },
    assignments: [],
    tombstone: { table: 'contacts', uri, deletedAt: at, source: 'operator' },
  };
}
