// The log as a channel: one line per alert. Like every other log line it holds no personal data.
import type { Log } from '#src/observability/log.ts';
import type { Channel } from './channel.ts';

const maxSubjects = 20;

export function openLog({ log }: { readonly log: Pick<Log, 'info' | 'warn'> }): Channel {
  return {
    name: 'log',
    target: 'the log',
    async send({ id, rule, kind, follows, occurredAt, subjects }) {
      const fields = {
        alert: id,
        rule,
        kind,
        occurredAt,
        subjects: subjects.slice(0, maxSubjects),
        ...(subjects.length > maxSubjects && { count: subjects.length }),
        ...(follows !== undefined && { follows }),
      };
      if (kind === 'alert' || kind === 'digest') log.warn(fields, 'alert');
      else log.info(fields, kind === 'retraction' ? 'alert retracted' : 'alert test');
      return { ok: true, answer: 'written' };
    },
  };
}
