// Folds one delivery again.
import { replay } from '#workers/sync/replay.ts';
import { defineOperation } from '#src/api/api-operation.ts';
import { findDelivery, oneDelivery, wholeDelivery } from './deliveries.ts';
import { replayedRecord } from './delivery-records.ts';

export const replayDelivery = defineOperation({
  ...oneDelivery,
  id: 'replayDelivery',
  method: 'POST',
  path: '/api/deliveries/{id}/replay',
  summary: 'Fold one delivery again',
  description:
    'After a fix or an upgrade: a quarantined delivery is parsed again; one that was already applied changes nothing. If its outcome changes, it moves to the end of the log, where every consumer of the feed sees it.',
  audited: true,
  answers: 'resource',
  schema: replayedRecord,
  async run({ store, screen, tail, signing, params }) {
    const before = await findDelivery(store, params.id);
    const deliveryId = before.delivery_id;
    const { changed } = await replay({ store, screen }, { deliveryId });
    tail.poke();
    const after = await findDelivery(store, deliveryId);
    return {
      ...wholeDelivery(after, signing),
      replay: { changed: changed > 0, outcome_before: before.outcome, outcome_after: after.outcome },
    };
  },
});
