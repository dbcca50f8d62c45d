// Our clock and the service's disagree: signatures will look stale.
import { duration } from '#src/setting.ts';
import { defineCondition } from '../condition.ts';

export const clockSkew = defineCondition({
  when: 'clock_skew',
  title: 'The clocks disagree',
  about: 'The clocks of this machine and of the service disagree.',
  options: { above: duration('60s') },
  find: ({ above }, { clockSkewSeconds: skew }) =>
    skew !== undefined && Math.abs(skew) * 1000 > above
      ? [
          {
            subject: 'mirror',
            message: `This machine's clock is ${Math.abs(Math.round(skew))} s ${skew > 0 ? 'ahead of' : 'behind'} the service's.`,
          },
        ]
      : [],
});
