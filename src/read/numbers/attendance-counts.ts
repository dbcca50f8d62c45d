// How many meetings of a period were held, missed and unknown: in all, by host and by source.
import type { Store } from '#src/store/contract.ts';
import { countBookings } from './booking-counts.ts';
import { Tally, type NoShowCounts } from './no-show-counts.ts';

export type NamedCounts = NoShowCounts & { readonly key: string; readonly name: string | null };

export interface AttendanceCounts {
  readonly all: NoShowCounts;
  /** Most meetings first. Every host of a meeting counts. */
  readonly hosts: readonly NamedCounts[];
  /** By `utm_source`, which is empty where there is none. */
  readonly sources: readonly NamedCounts[];
}

/** `from`: the first instant of the starts; `to`: the first one after them. */
export async function attendanceCounts(
  store: Pick<Store, 'db' | 'engine'>,
  period: { readonly from: string; readonly to: string },
): Promise<AttendanceCounts> {
  const [all, hosts, sources] = [new Tally(), new Tally(), new Tally()];
  for await (const counts of countBookings(store, { ...period, where: [] }, ['host', 'source']))
    for (const count of counts) {
      (count.by === 'host' ? hosts : sources).add(count);
      if (count.by === 'source') all.add({ ...count, key: '' });
    }
  return { all: all.of(''), hosts: hosts.groups(), sources: sources.groups() };
}
