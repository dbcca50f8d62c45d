// Opens what records answers: the service with the configured token, and the log.
import type { Config } from '#src/config/load.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { recordAnswer, type AnswerRecorder } from '#workers/sync/answer.ts';
import { openSources } from '#workers/sync/sources.ts';

interface AnswerParts {
  readonly config: Config;
  readonly store: Store;
  readonly nowMs: () => number;
}

/** Undefined where ANSWERS is off. A person waits for each answer. */
export function answerRecorder({ config, store, nowMs }: AnswerParts): AnswerRecorder | undefined {
  if (!config.answers) return undefined;
  const needs = {
    store,
    screen: privacyScreen(config),
    openSources: () => openSources(config, {}, { retryBudget: retryBudgets.short, reserveShare: 0 }),
    now: () => new Date(nowMs()),
  };
  return (answer) => recordAnswer(needs, answer);
}
