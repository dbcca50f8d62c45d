// The queue of deliveries: how deep it is, which jobs wait or are retried, and why.
import { html } from 'hono/html';
import type { z } from 'zod';
import { listQueueJobs, recoverQueueJobs, type queueJob } from '#src/api/mirror/queue-jobs.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { actionButton, choices } from '#src/dashboard/components/form.ts';
import { table } from '#src/dashboard/components/list.ts';
import {
  address,
  badge,
  foreign,
  nothing,
  notice,
  optionalTime,
  type Markup,
  type State,
} from '#src/dashboard/components/markup.ts';
import { definePage } from '#src/dashboard/page.ts';
import { partsOfMirror } from './parts.ts';

type Job = z.output<typeof queueJob>;
type JobState = Job['state'];

const path = '/queues';
const states: Readonly<Record<JobState, State>> = {
  waiting: 'quiet',
  active: 'ok',
  delayed: 'attention',
  failed: 'problem',
};

export const queuePage = definePage({
  path,
  section: '/mirror',
  async show({ ask, query, isReadOnly }) {
    const { recovered, ...filter } = query;
    const { engine, depth, collection } = await ask(listQueueJobs, { query: filter });
    const total = depth.waiting + depth.active + depth.delayed + depth.failed;
    return {
      title: 'Queue',
      content: html`${partsOfMirror(path)}
        <h1>Queue</h1>
        <p class="lead">${depthSentence(depth)} ${engineTexts[engine] ?? ''}</p>
        ${/^\d{1,9}$/.test(recovered ?? '') ? notice(`Failed jobs were recovered; ${counted(Number(recovered), 'failed job')} remain.`) : nothing}
        ${choices('Jobs by state', [
          { text: `All ${number(total)}`, href: path, isCurrent: filter['state'] === undefined },
          ...stateNames.map((state) => ({
            text: `${state} ${number(depth[state])}`,
            href: address(path, { state }),
            isCurrent: filter['state'] === state,
          })),
        ])}
        ${table({
          caption: 'Jobs in the queue, oldest first',
          rows: collection,
          keyOf: ({ id, state }) => `${state} ${id}`,
          empty: 'No job waits: every delivery was processed. Jobs are removed when they end.',
          columns: [
            { name: 'Job', cell: ({ id }) => html`<code>${foreign(id)}</code>` },
            { name: 'State', cell: ({ state }) => badge(state, states[state]) },
            {
              name: 'Deliveries',
              cell: ({ deliveries }) => (deliveries === null ? 'not readable' : number(deliveries)),
              isNumber: true,
            },
            { name: 'Age', cell: ({ age_seconds: age }) => (age === null ? '' : duration(age * 1000)) },
            { name: 'Attempts', cell: ({ attempts }) => number(attempts), isNumber: true },
            { name: 'Last error', cell: errorView },
            { name: 'Next run', cell: ({ due_at: due }) => optionalTime(due) },
          ],
        })}
        ${total > collection.length && collection.length > 0 ? html`<p class="soft">The oldest jobs of each state are listed.</p>` : ''}
        ${depth.failed > 0 && !isReadOnly ? html`<p>A job fails when its worker crashes. Its deliveries are run again one by one within seconds; one that crashes its worker again is quarantined.</p>${actionButton('Recover failed jobs now', { to: path })}` : ''}`,
    };
  },
  async submit({ ask }) {
    const { failed_after: failed } = await ask(recoverQueueJobs);
    return { to: address(path, { recovered: failed }) };
  },
});

const engineTexts: Readonly<Record<string, string>> = {
  embedded: 'It is embedded in this process.',
  postgres: 'It is on PostgreSQL.',
  redis: 'It is on Redis.',
};

const stateNames = ['waiting', 'active', 'delayed', 'failed'] as const;

/** The state of the queue in one sentence. */
export function depthSentence({ waiting, active, delayed, failed }: Readonly<Record<JobState, number>>): string {
  if (waiting + active + delayed + failed === 0) return 'The queue is empty: every delivery was processed.';
  const parts = [
    waiting > 0 ? `${counted(waiting, 'job')} waiting` : '',
    active > 0 ? `${number(active)} running` : '',
    delayed > 0 ? `${number(delayed)} retried after an error` : '',
    failed > 0 ? `${number(failed)} failed` : '',
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}

/** Codes of errors as sentences; others are shown as they are. */
const errors: Readonly<Record<string, string>> = {
  store_unavailable: 'the database did not answer',
  paused: 'the worker is paused: a disk is almost full',
  erased_meanwhile: 'a person was erased meanwhile',
};

const errorView = ({ last_error: error }: Job): Markup =>
  error === null ? nothing : html`${errors[error] ?? foreign(error)}`;
