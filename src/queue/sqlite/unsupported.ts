// What the embedded queue does not offer of BullMQ's backend contract: flows, schedulers, rate limits, priorities, events, logs.

import type { IQueueBackend } from 'bullmq';

export class UnsupportedError extends Error {
  constructor(what: string) {
    super(`The embedded queue does not support ${what}.`);
    this.name = 'UnsupportedError';
  }
}

/** The compiler holds this list complete: with one method missing, the backend would not satisfy the contract. */
const unsupported = [
  'addFlow',
  'addJobScheduler',
  'addLog',
  'changeDelay',
  'changePriority',
  'cleanJobsByState',
  'clearLogs',
  'deleteDeduplicationKey',
  'drain',
  'forQueue',
  'getClientList',
  'getCountsPerPriority',
  'getDeduplicationJobId',
  'getDependencies',
  'getDependencyCounts',
  'getIgnoredChildrenFailures',
  'getJobLogs',
  'getJobScheduler',
  'getJobSchedulerData',
  'getJobSchedulersCount',
  'getJobSchedulersRange',
  'getMetrics',
  'getProcessedChildrenValues',
  'getQueueMeta',
  'getQueueMetaField',
  'getQueueMetaFields',
  'getRateLimitTtl',
  'getState',
  'hasQueueMetaField',
  'isFinished',
  'isJobInState',
  'isJobScheduler',
  'isMaxed',
  'moveJobFromActiveToWait',
  'moveToWaitingChildren',
  'obliterate',
  'paginate',
  'parseNodeKey',
  'pause',
  'promote',
  'promoteJobs',
  'publishEvent',
  'readEvents',
  'removeChildDependency',
  'removeDeduplicationKey',
  'removeDeprecatedPriorityKey',
  'removeJobScheduler',
  'removeOrphanedJobs',
  'removeQueueMetaFields',
  'removeRateLimitKey',
  'removeUnprocessedChildren',
  'retryFinishedJob',
  'retryFinishedJobs',
  'setQueueMeta',
  'setRateLimit',
  'trimEvents',
  'updateData',
  'updateJobSchedulerNextMillis',
] as const satisfies readonly (keyof IQueueBackend)[];

/** Gives the backend these methods; each throws UnsupportedError with its name. */
export function rejectUnsupported(
  backend: object,
): asserts backend is Pick<IQueueBackend, (typeof unsupported)[number]> {
  for (const method of unsupported) {
    Reflect.set(backend, method, () => {
      throw new UnsupportedError(`the operation \`${method}\``);
    });
  }
}
