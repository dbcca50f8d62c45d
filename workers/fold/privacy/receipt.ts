// The receipt of an erasure: what was removed where. It does not repeat the address.
import type { ErasedSubject } from '#workers/fold/projections/erasure.ts';

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
    readonly rows: Readonly<Record<string, number>>;
    readonly log_entries: number;
    readonly quarantined: number;
    /** Entries about other subjects: they moved to the end of the log, so that readers of the feed see them again. */
    readonly moved: number;
    readonly alerts: number;
  };
  readonly seqs: readonly number[];
}
