// The receipt of an erasure: what was removed where, and what the erasure cannot reach. It does not repeat the address.
import type { ErasedSubject } from '#workers/projections/erasure.ts';

export interface Receipt {
  readonly erased: { readonly uri: string } | { readonly email_hash: string };
  readonly at: string;
  readonly dry_run: boolean;
  /** Whether anything here has the URI that was named, or holds the address. */
  readonly known: boolean;
  /** Records of the person, and meetings for which they filled something in. */
  readonly subjects: readonly ErasedSubject[];
  /** Only counts: a receipt is kept and must not hold addresses. */
  readonly addresses: {
    /** Found in the person's records, besides the one that was named. */
    readonly followed: number;
    /** Found in the person's records, but belonging to a user of the organization who is not the target. */
    readonly left: number;
  };
  readonly removed: {
    /** Rows that were changed, by table. */
    readonly rows: Readonly<Record<string, number>>;
    readonly log_entries: number;
    readonly quarantined: number;
    /** Entries about other subjects: they moved to the end of the log, so that readers of the feed see them again. */
    readonly moved: number;
    readonly alerts: number;
    readonly staged_pages: number;
  };
  /** The positions of the erasure in the log. */
  readonly seqs: readonly number[];
}

/** What an erasure does not cover, for the operator who must take care of it. */
export const outOfReach: readonly string[] = [
  'The scheduling service itself: erase the person there too. Whatever it sends about them after this moment is mirrored again under any record that is not listed here: a new one, or an older one that never reached this mirror.',
  'Backups of the database, and files that slotstream export wrote.',
  'Readers of the feed: entries at the end of the log notify them, and they must erase the person themselves.',
  'Deliveries still in the queue, the spool or the journal of a receiver (DATA_DIR/spool, DATA_DIR/journal): the person is removed from them when they reach the log.',
  'Files that a receiver found damaged and set aside, with whole deliveries in them: DATA_DIR/spool/damaged-* and DATA_DIR/journal/damaged-*. Put back what is readable (slotstream spool recover), then delete them.',
  "The queue's own files, which may hold earlier deliveries until they are rewritten: DATA_DIR/queue of the embedded queue with its write-ahead log, the append-only file of Redis, the tables and write-ahead log of PostgreSQL. How to clean them: docs/erasure.md.",
  'Addresses that no record here links to the person.',
  'Names and phone numbers in other records without the address: they cannot be attributed to the person.',
  'URIs, times and links between records: they stay, so that counts and the records of others remain correct.',
];
