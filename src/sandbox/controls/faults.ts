// What goes wrong on purpose from now on.
import { faultRequest } from '#src/sandbox/webhooks/faults.ts';
import { defineControl } from './control.ts';

export const faultControls = [
  defineControl({
    method: 'POST',
    path: '/faults',
    summary: 'Replaces the faults on deliveries and answers; {} clears them',
    body: faultRequest,
    run({ faults }, body) {
      faults.set(body);
      return faults.current;
    },
  }),
  defineControl({
    method: 'GET',
    path: '/faults',
    summary: 'The faults in force',
    run: ({ faults }) => faults.current,
  }),
] as const;
