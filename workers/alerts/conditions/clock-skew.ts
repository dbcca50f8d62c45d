// Our clock and the service's disagree: signatures look stale, and rightly signed deliveries are refused.
import { duration } from '#src/config/readers.ts';
import { defineCondition } from './condition.ts';

export const clockSkew = defineCondition({
  when: 'clock_skew',
  title: 'The clocks disagree',
  about: 'The clocks of this machine and of the service disagree.',
  options: { above: duration('60s') },
  find({ above }, { clockSkewSeconds: skew, refusedAsStale: refused }) {
    if (refused > 0)
      return [
        {
          subject: 'mirror',
          message: `${refused} rightly signed deliveries were refused for their age within the last minutes. Check the clock of the receivers (or raise SIGNATURE_TOLERANCE_SECONDS).`,
        },
      ];
    if (skew === undefined) return undefined;
    if (Math.abs(skew) * 1000 <= above) return [];
    const off = `${Math.abs(Math.round(skew))} s ${skew > 0 ? 'ahead of' : 'behind'}`;
    return [{ subject: 'mirror', message: `A clock of ours is ${off} the service's. Set it by NTP.` }];
  },
});
