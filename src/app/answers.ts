// Opens what records answers: the service with the configured token, and the log. And what asks for them: signed links of messages, and
// their pages on the public listener, loaded with the first link that is opened.
import { randomBytes } from 'node:crypto';
import type { AnswerPage } from '#src/api/answer-page.ts';
import { memoize } from '#src/base/memoize.ts';
import { secondMs } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Config } from '#src/config/load.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Log } from '#src/observability/log.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { answerKey, answerLinkMs, isAnswerToken, makeAnswerToken, tokenIn } from '#src/read/bookings/answer-link.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import type { AnswerLink } from '#workers/out/alerts/message/question.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
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
  const mirror = memoize(async () => own ?? resources.use(await openMirror(config, log)));
  const load = memoize(async (): Promise<AnswerPage> => {
    const { createAnswerPage } = await loadPages();
    const store = await mirror();
    const answers = answerRecorder({ config, store, nowMs, ...(metrics && { metrics }) });
    return createAnswerPage({ store, tail, clock: nowMs, answers, key: await answerKey(store, newKey), report });
  });
  let failedAtMs = -Infinity;
  return async (request, address) => {
    const { notValid, notAvailable } = await loadPages();
    if (!isAnswerToken(tokenIn(request.url))) return notValid();
    if (performance.now() - failedAtMs < retryAfterMs) return notAvailable();
    let page: AnswerPage;
    try {
      page = await withTimeout(load(), loadTimeoutMs);
    } catch (error) {
      failedAtMs = performance.now();
      report(error);
      return notAvailable();
    }
    return page(request, address);
  };
}

/** It is read once. A visitor waits no longer for it, and for a while it is not asked for again: anyone can make up a link. */
const loadTimeoutMs = 2 * secondMs;
const retryAfterMs = 5 * secondMs;

const loadPages = () => import('#src/api/answer-page.ts');

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
