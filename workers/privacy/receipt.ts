// What an erasure leaves in the hands of whoever asked for it: what was removed where, and what it cannot reach. It does not
// repeat the address.
import type { ErasedSubject } from './erasure-entry.ts';

export interface Receipt {
  readonly erased: { readonly uri: string } | { readonly email_hash: string };
  readonly at: string;
  readonly dry_run: boolean;
  /** Whether anything here has the URI that was named, or holds the address. */
  readonly known: boolean;
  /** Records of the person, and meetings in which they filled something in. */
  readonly subjects: readonly ErasedSubject[];
  /** How many; never which. */
  readonly addresses: {
    /** Of the person's records, besides the one that was named. */
    readonly followed: number;
    /** In the person's records, but of a user of the organization nobody asked for. */
    readonly left: number;
  };
  readonly removed: {
    /** Rows that were changed, by table. */
    readonly rows: Readonly<Record<string, number>>;
    readonly log_entries: number;
    readonly quarantined: number;
    /** Of the entries, those about somebody else: they stand at the end of the log again, for readers of the feed. */
    readonly moved: number;
    readonly alerts: number;
    readonly staged_pages: number;
  };
  /** Where the log tells of it. */
  readonly seqs: readonly number[];
}

/** What this cannot do, said to whoever has to. */
export const outOfReach: readonly string[] = [
  'The scheduling service itself: erase them there too. What it tells about them after this moment is mirrored again under any record that is not listed here: a new one, or an older one that never reached this mirror.',
  'Backups of the database, and files that were exported.',
  'Readers of the feed: they are told by entries at the end of the log, and must forget for themselves.',
  'Deliveries still in the queue or the spool: they lose the person when they reach the log.',
  "The queue's own files, which may hold what passed through them until they are written anew: DATA_DIR/queue of the embedded queue with its write-ahead log, the append-only file of Redis, the tables and write-ahead log of PostgreSQL. How to clean them: docs/erasure.md.",
  'Addresses that no record here ties to the person.',
  'Names and telephone numbers that stand in other records without the address: nobody can tell whose they are.',
  'URIs, times and links between records: they stay, so that counts and the records of others stay right.',
];
