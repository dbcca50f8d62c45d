// The five views of an installation that a person or a monitoring system looks at, each read as the statements in it that are not good news.
import type { CommandResult } from '../chaos/stack.ts';
import type { Installation } from './installation.ts';

export const viewNames = ['first page', 'status', 'doctor', 'alert', 'Prometheus'] as const;
export type ViewName = (typeof viewNames)[number];

type Reader = (installation: Installation) => Promise<readonly string[]>;

export const readers: Readonly<Record<ViewName, Reader>> = {
  'first page': readFirstPage,
  // Each command runs on another machine than the part that has a fault.
  status: async ({ command, workers }) => statusStatements(await command(workers[0], ['status'])),
  doctor: async ({ command, receivers }) => doctorStatements(await command(receivers[0], ['doctor', '--json'])),
  // What the recipient refuses has not reached anyone.
  alert: async ({ recipient: { received, answer } }) => (answer === 202 ? alertStatements(received) : []),
  Prometheus: readPrometheus,
};

const pageTimeoutMs = 8_000;

/** Of a worker; of a receiver where the worker does not answer. */
async function readFirstPage({
  workers: [worker],
  receivers: [receiver],
  token,
}: Installation): Promise<readonly string[]> {
  for (const { admin } of [worker, receiver]) {
    const answer = await fetch(admin, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/html' },
      signal: AbortSignal.timeout(pageTimeoutMs),
    })
      .then(async (page) => ({ isShown: page.ok, text: await page.text() }))
      .catch(() => undefined);
    if (answer !== undefined) return pageStatements(answer.text, answer.isShown);
  }
  return ['No process shows a page.'];
}

/** The notices; of a page that could not be shown, how it begins. */
function pageStatements(page: string, isShown: boolean): readonly string[] {
  if (!isShown) return [textOf(/<main[^]*<\/main>/.exec(page)?.[0] ?? page).slice(0, 200)];
  const notices = page.matchAll(/<(li|p) class="notice ([a-z]+)[^]*?<\/\1>/g);
  return Array.from(notices, ([notice, , state]) => (state === 'ok' ? '' : textOf(notice))).filter(
    (text) => text !== '',
  );
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const textOf = (html: string): string =>
  html
    .replaceAll(/<span class="hidden">[^<]*<\/span>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&([a-z]+|#39);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Lines of `status` that report a state other than a count or a time. */
const badLine =
  /^\s*[!✗]|not answer|no report|not ready|paused|failed|reject|refus|disabled|missing|full|late|behind|ahead|No (worker|receiver|process)|overdue|waiting|\d on disk/i;
/** The same lines where all is well; a few batches and entries are under way at any time. */
const goodLine =
  /: \d batch(es)? waiting, \d+ in progress, \d waiting for a retry, 0 failed|^\s*Messages\b.*, 0 failed|\bworking$/;

function statusStatements({ code, output }: CommandResult): readonly string[] {
  const lines = output.split('\n').filter((line) => badLine.test(line) && !goodLine.test(line));
  return lines.map((line) => `${line.replaceAll(/\s+/g, ' ').trim()} (exit ${code})`);
}

function doctorStatements({ code, output }: CommandResult): readonly string[] {
  const json = output.split('\n').find((line) => line.startsWith('['));
  if (json === undefined) return [`${output.slice(0, 200)} (exit ${code})`];
  return (JSON.parse(json) as readonly Readonly<Record<'id' | 'state' | 'sentence', string>>[])
    .filter(({ state }) => state !== 'ok')
    .map(({ id, sentence }) => `${id}: ${sentence} (exit ${code})`);
}

/** Messages of conditions; those about bookings, and the ends of problems, are no complaint. */
function alertStatements(received: Installation['recipient']['received']): readonly string[] {
  const messages = received.map(({ body }) => body as { type: string; data: { rule: string; text: string } });
  return messages
    .filter(({ type, data }) => type === 'alert' && data.rule !== 'no_show')
    .map(({ data }) => `${data.rule}: ${data.text}`);
}

/** It is about a machine that is busy, also with this run. */
const ofTheMachine = 'SlotstreamEventLoopBlocked';

async function readPrometheus({ prometheus }: Installation): Promise<readonly string[]> {
  const answer = (await (await fetch(`${prometheus}/api/v1/alerts`)).json()) as {
    readonly data: {
      readonly alerts: readonly { state: string; labels: { alertname: string }; annotations: { summary: string } }[];
    };
  };
  const alerts = answer.data.alerts.filter(({ labels }) => labels.alertname !== ofTheMachine);
  return alerts.map(({ state, labels, annotations }) => `${labels.alertname}, ${state}: ${annotations.summary}`);
}
