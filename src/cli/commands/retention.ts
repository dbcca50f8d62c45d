// `retention`: prunes old bodies from the log now, as workers do once a day.
import { openMirror } from '#src/app/mirror.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { counted } from '#src/base/number-text.ts';
import { sleepUnlessAborted, timeText } from '#src/base/time.ts';
import { runRetention } from '#workers/fold/retention/retention-job.ts';
import { asJson, defineVerb, unlessStopped } from '#src/cli/verb.ts';

export const retention = defineVerb({
  examples: ['slotstream retention'],
  arguments: {},
  options: { json: asJson },
  run: (context, { json }) =>
    unlessStopped(
      context,
      async (signal) => {
        await using store = await openMirror(context.config(), context.log(), { uses: ['retentionDays'] });
        if (store.settings.retentionDays === 0)
          throw new SlotstreamError('usage', 'RETENTION_DAYS is off: the mirror keeps every body.', {
            hint: `To keep 90 days: RETENTION_DAYS=90 ${slotstream} settings --apply`,
          });
        const nowMs = () => context.now().getTime();
        const run = await runRetention({ store, sleep: sleepUnlessAborted, nowMs }, signal);
        const { before, examined, pruned, unreplayable } = run;
        const lost = unreplayable === 0 ? '' : ` ${unreplayable} of them can no longer be replayed.`;
        context.out(
          json
            ? JSON.stringify(run)
            : `${counted(examined, 'entry', 'entries')} from before ${timeText(before)} had content; ${pruned} pruned.${lost}`,
        );
        return 0;
      },
      { line: 'Stopped. What was pruned so far stays pruned; run it again for the rest.', exitCode: 3 },
    ),
});
