// The delivery log, for looking at.
import { compareText } from '#src/http/pagination.ts';
import { defineControl } from './control.ts';

export const deliveryControls = [
  defineControl({
    method: 'GET',
    path: '/deliveries',
    summary:
      'Attempts to deliver, oldest first: the newest ten thousand of `total`; `pending` messages are still to come',
    run: ({ dispatcher }) => ({
      collection: dispatcher.attempts.toSorted((a, b) => compareText(a.at, b.at)),
      total: dispatcher.total,
      pending: dispatcher.pending,
    }),
  }),
] as const;
