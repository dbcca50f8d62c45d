// The queue is away: deliveries wait on the receiver's disk.
import { defineCondition } from './condition.ts';

export const spool = defineCondition({
  when: 'spool',
  title: 'Deliveries wait on disk',
  about: 'Deliveries wait on disk because the queue is away.',
  options: {},
  find: (_options, { spooled }) =>
    spooled > 0 ? [{ subject: 'mirror', message: `On disk, waiting for the queue: ${spooled} deliveries.` }] : [],
});
