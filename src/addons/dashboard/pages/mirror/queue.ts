// The queue of deliveries: how much waits in it, and for how long.
import { html } from 'hono/html';
import { readQueue } from '#src/api/mirror/mirror-process.ts';
import { counted, duration, number } from '#src/base/number-text.ts';
import { facts } from '#src/addons/dashboard/components/list.ts';
import { command } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { partsOfMirror } from './parts.ts';

const path = '/queues';

export const queuePage = definePage({
  path,
  section: '/mirror',
  async show({ read, nowMs }) {
    const { engine, depth, oldestMs } = await read(readQueue);
    return {
      title: 'Queue',
      content: html`${partsOfMirror(path)}
        <h1>Queue</h1>
        <p class="lead">${depthSentence(depth)} ${engineTexts[engine]}</p>
        ${facts({
          Waiting: number(depth.waiting),
          'Oldest has waited': oldestMs === undefined ? undefined : duration(Math.max(0, nowMs - oldestMs)),
          Running: number(depth.active),
          'Retried after an error': number(depth.delayed),
          Failed: number(depth.failed),
        })}
        <p>A job holds up to 256 deliveries, and is removed when it has ended. One that fails because its worker crashed is run again by every running worker within seconds, delivery by delivery; ${command('work')} starts one.</p>`,
    };
  },
});

const engineTexts = {
  embedded: 'It is embedded in this process.',
  postgres: 'It is on PostgreSQL.',
  redis: 'It is on Redis.',
} as const;

function depthSentence({ waiting, active, delayed, failed }: Awaited<ReturnType<typeof readQueue>>['depth']): string {
  if (waiting + active + delayed + failed === 0) return 'The queue is empty: every delivery was processed.';
  const parts = [
    waiting > 0 ? `${counted(waiting, 'job')} waiting` : '',
    active > 0 ? `${number(active)} running` : '',
    delayed > 0 ? `${number(delayed)} retried after an error` : '',
    failed > 0 ? `${number(failed)} failed` : '',
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}
