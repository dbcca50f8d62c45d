// Opens what records answers: the service with the configured token, and the log. And what asks for them: signed links of messages, and
// their pages on the public listener, loaded with the first link that is opened.
import { randomBytes } from 'node:crypto';
import type { AnswerPage } from '#src/api/answer-page.ts';
import { memoize } from '#src/base/memoize.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { answerKey, answerLinkMs, makeAnswerToken } from '#src/read/bookings/answer-link.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import type { AnswerLink } from '#workers/alerts/message/question.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { recordAnswer, type AnswerRecorder } from '#workers/sync/answer.ts';
import { openSources } from '#workers/sync/sources.ts';
import { errorLogger, openMirror } from './mirror.ts';

interface AnswerParts {
  readonly config: Config;
  readonly store: Store;
  readonly nowMs: () => number;
  readonly metrics?: Pick<Metrics, 'upstream'>;
}

/** Undefined where ANSWERS is off. A person waits for each answer. */
export function answerRecorder({ config, store, nowMs, metrics }: AnswerParts): AnswerRecorder | undefined {
  if (!config.answers) return undefined;
  const needs = {
    store,
    screen: privacyScreen(store.settings),
    openSources: () => openSources(config, metrics?.upstream, { retryBudget: retryBudgets.short, reserveShare: 0 }),
    now: () => new Date(nowMs()),
  };
  return (answer) => recordAnswer(needs, answer);
}

interface PageParts extends Pick<AnswerParts, 'config' | 'nowMs' | 'metrics'> {
  readonly log: Log;
  readonly tail: Tail;
  /** Undefined where this process only receives: it then opens the database with the first link. */
  readonly store: Store | undefined;
  readonly opened: AsyncDisposableStack;
}

/** Serves signed links; undefined where ANSWERS is off. */
export function answerPages({
  config,
  log,
  metrics,
  tail,
  store: own,
  nowMs,
  opened,
}: PageParts): AnswerPage | undefined {
  if (!config.answers) return undefined;
  const report = errorLogger(log, 'answers');
  // Opened late, and closed with the process.
  const resources = opened.use(new AsyncDisposableStack());
  const load = memoize(async (): Promise<AnswerPage> => {
    const { createAnswerPage } = await import('#src/api/answer-page.ts');
    const store = own ?? resources.use(await openMirror(config, log));
    const answers = answerRecorder({ config, store, nowMs, ...(metrics && { metrics }) });
    return createAnswerPage({ store, tail, clock: nowMs, answers, key: await answerKey(store, newKey), report });
  });
  return async (request) => (await load())(request);
}

export const newKey = (): string => randomBytes(32).toString('base64url');

/** Makes the links of messages; undefined where ANSWERS is off, or messages have neither links nor buttons. */
export async function answerLinks({ config, store }: Omit<AnswerParts, 'nowMs'>): Promise<AnswerLink | undefined> {
  const { publicUrl, answers, alerts } = config;
  if (!answers || (publicUrl === undefined && alerts.slackApp?.appToken === undefined)) return undefined;
  const key = await answerKey(store, newKey);
  return ({ invitee, host, since }) => {
    const token = makeAnswerToken(key, { invitee, host, expiresMs: Date.parse(since) + answerLinkMs });
    return { token, url: publicUrl && `${publicUrl.replace(/\/$/, '')}/answers/${token}` };
  };
}
