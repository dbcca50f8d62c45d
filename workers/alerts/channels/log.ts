// The log as a channel: one line an alert. Nobody's name is in it, as in every other line.
import type { Log } from '#src/observability/log.ts';
import type { Channel } from './channel.ts';

const mostSubjects = 20;

export function openLog({ log }: { readonly log: Pick<Log, 'info' | 'warn'> }): Channel {
  return {
    name: 'log',
    target: 'the log',
    async send({ id, rule, kind, follows, occurredAt, subjects }) {
      const told = {
        alert: id,
        rule,
        kind,
        occurredAt,
        subjects: subjects.slice(0, mostSubjects),
        ...(subjects.length > mostSubjects && { count: subjects.length }),
        ...(follows !== undefined && { follows }),
      };
      if (kind === 'alert' || kind === 'digest') log.warn(told, 'alert');
      else log.info(told, kind === 'retraction' ? 'alert taken back' : 'alert test');
      return { ok: true, answer: 'written' };
    },
  };
}
