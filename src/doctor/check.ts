// Defines what a check of `doctor` is: it examines one thing and reports what it finds. An error that it throws becomes a finding.
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';

export interface CheckNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
  mirror(): Promise<Store>;
}

export type Check = (needs: CheckNeeds, report: Report) => Promise<void>;

export class Report {
  readonly findings: HealthCheck[] = [];

  ok(id: string, sentence: string): void {
    this.findings.push({ id, state: 'ok', sentence });
  }
  warning(id: string, sentence: string, fix: string): void {
    this.findings.push({ id, state: 'warning', sentence, fix });
  }
  notChecked(id: string, reason: string): void {
    this.findings.push({ id, state: 'warning', sentence: `not checked: ${reason}.` });
  }
  problem(id: string, sentence: string, fix: string): void {
    this.findings.push({ id, state: 'problem', sentence, fix });
  }
}

/** A person waits for the result, and a few calls need no reserve of the rate limit. */
export const callOptions = { retryBudget: retryBudgets.short, reserveShare: 0 } as const;

/** The mirror, where there is one; the check of the store reports when there is none. */
export async function openIfAny(open: () => Promise<Store>): Promise<Store | undefined> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof SlotstreamError && error.code === 'no_mirror') return undefined;
    throw error;
  }
}
