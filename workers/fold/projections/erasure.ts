// An operator's erasure as the log holds it: one entry per erased subject and one per erased address. Only the source of an entry
// makes it an erasure, so no sender can produce one.
import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, isUri } from '#schemas/wire.ts';
import { erasureEvent } from '#schemas/events.ts';
import type { NewEntry } from '#src/store/log/read.ts';
import { mirrorTables, type Fact, type MirrorTable } from './contract.ts';

/** A record of the person, or a scheduled event for which an erased invitee filled something in. */
export interface ErasedSubject {
  readonly uri: string;
  /** Null when no entry described it before and its URI does not reveal it. */
  readonly table: MirrorTable | null;
}

export interface ErasedAddress {
  readonly email_hash: string;
  /** A short hash that is cheaper to compare. */
  readonly sieve: number;
  /** Facts up to this time are folded without the person. A person who returns later is stored again. */
  readonly through: string;
}

export type ErasureTarget = ErasedSubject | ErasedAddress;

const subject = z.strictObject({
  uri: z.string().refine(isUri),
  table: z.enum(mirrorTables).nullable(),
});
const address = z.strictObject({ email_hash: z.string(), sieve: z.int(), through: z.string() });
const body = z.looseObject({ created_at: z.string(), payload: z.union([subject, address]) });

export interface ParsedErasure {
  readonly at: string;
  readonly erased: ErasureTarget;
}

/** Undefined when this version cannot parse it. */
export function parseErasure(text: string | null): ParsedErasure | undefined {
  try {
    const { data } = body.safeParse(JSON.parse(text ?? ''));
    return data && { at: data.created_at, erased: data.payload };
  } catch {
    return undefined;
  }
}

export function erasureEntry(
  erased: ErasureTarget,
  { at, base }: { readonly at: string; readonly base: NewEntry },
): NewEntry {
  const text = JSON.stringify({ event: erasureEvent, created_at: at, payload: erased });
  const digest = hash('sha256', canonicalJson({ at, erased }), 'hex');
  return {
    ...base,
    // The prefix keeps it apart from deliveries, whose identity is a plain hash of their body.
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

/** An erased contact is a permanent tombstone. Other erased records keep their rows, without the person. */
export function factOfErasure(text: string | null): Fact | null {
  const { erased, at } = parseErasure(text) ?? {};
  if (erased === undefined || at === undefined || !('uri' in erased) || erased.table !== 'contacts') return null;
  const { uri } = erased;
  return {
    subject: { table: 'contacts', uri },
    assignments: [],
    tombstone: { table: 'contacts', uri, deletedAt: at, source: 'operator' },
  };
}
