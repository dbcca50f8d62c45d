// Which of the alerts that are due leave now, which wait for the end of quiet hours or for their digest, and which go together. Pure.
import { createHash } from 'node:crypto';
import type { SendJob } from '#src/queue/contract.ts';
import { messageIdOf, type Alert } from '#src/store/alerts/alert-rows.ts';
import type { Postponed } from '#src/store/alerts/send-results.ts';
import { timeOf } from './apply.ts';
import { leavesAt, type QuietHours } from './quiet-hours.ts';

export interface Departing {
  readonly name: string;
  readonly quiet: QuietHours | undefined;
  readonly digestMs: number | undefined;
}

export interface Dispatch {
  /** Other times, and the digests that alerts are put into. */
  readonly changes: readonly Postponed[];
  readonly jobs: readonly SendJob[];
}

/** `due`: rows to be looked at by now, of one channel. */
export function dispatchOf(due: readonly Alert[], rules: ReadonlyMap<string, Departing>, nowMs: number): Dispatch {
  const changes: Postponed[] = [];
  const alone: Alert[] = [];
  const gathering = new Map<string, Alert[]>();
  const together = new Map<string, Alert[]>();
  for (const alert of due) {
    // Of a rule that is gone the sender says so.
    const rule = rules.get(alert.rule);
    const leavesMs = rule === undefined ? nowMs : departure(alert, rule, nowMs);
    if (leavesMs > nowMs) changes.push({ id: alert.id, nextAt: timeOf(leavesMs) });
    else if (alert.digest !== null) join(together, alert.digest, alert);
    else if (rule?.digestMs !== undefined) join(gathering, rule.name, alert);
    else alone.push(alert);
  }
  const now = timeOf(nowMs);
  for (const alerts of gathering.values()) {
    const digest = digestIdOf(alerts);
    const joined = alerts.map((alert) => ({ ...alert, digest, nextAt: now }));
    changes.push(...joined.map(({ id, nextAt }) => ({ id, nextAt, digest })));
    together.set(digest, joined);
  }
  const jobs = [
    ...alone.map((alert) => jobOf(messageIdOf(alert), [alert])),
    ...[...together].map(([digest, alerts]) => jobOf(digest, alerts)),
  ];
  return { changes, jobs: jobs.toSorted((a, b) => (a.data.at < b.data.at ? -1 : 1)) };
}

function departure({ dueAt }: Alert, { quiet, digestMs }: Departing, nowMs: number): number {
  const planned = leavesAt(Date.parse(dueAt), { quiet, digestMs });
  // Whoever was late, or tried in vain, may have come into quiet hours since.
  return planned > nowMs ? planned : leavesAt(nowMs, { quiet });
}

/** Of those in it, so that it is another one when others come. */
function digestIdOf(alerts: readonly Alert[]): string {
  const ids = alerts.map((alert) => messageIdOf(alert)).sort();
  return `digest-${createHash('sha256').update(ids.join('\n')).digest('hex').slice(0, 32)}`;
}

/** The name of one attempt: as long as it waits, or runs, it is not added again. */
function jobOf(message: string, alerts: readonly Alert[]): SendJob {
  const at = alerts.map(({ nextAt }) => nextAt).reduce((a, b) => (a < b ? a : b));
  return {
    id: `${message}-${at.replaceAll(/\D/g, '')}`,
    data: { v: 1, alerts: alerts.map(({ id }) => id), at },
  };
}

function join(groups: Map<string, Alert[]>, name: string, alert: Alert): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [alert]);
  else group.push(alert);
}
