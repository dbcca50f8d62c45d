// Found gone: a 404 on a record's very own URI is a delete. A delete that was told, whenever that comes, counts before it.
import type { FactPayload, GoneKind } from '#schemas/records.ts';
import type { Compiled, Tombstone } from './contract.ts';

interface GoneFact {
  readonly observed: string;
  readonly payload: FactPayload<`${GoneKind}.gone`>;
}

export const goneFrom =
  (table: Tombstone['table']) =>
  ({ payload, observed }: GoneFact): Compiled => ({
    subject: { table, uri: payload.uri },
    assignments: [],
    tombstone: { table, uri: payload.uri, deletedAt: observed, source: 'reconcile' },
  });
