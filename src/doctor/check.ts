// Defines what a check of `doctor` is: it examines one thing and reports what it finds. An error that it throws becomes a finding.
import { openMirror } from '#src/app/mirror.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { retryBudgets } from '#src/upstream/retry-budgets.ts';

export interface CheckNeeds {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
}

export type Check = (needs: CheckNeeds, report: Report) => Promise<void>;

/** One line of `doctor`: what was found, and what fixes it. */
export interface Finding {
  readonly name: string;
  readonly state: 'well' | 'doubtful' | 'ill';
  readonly message: string;
  readonly fix?: string;
}

/** Collects findings. */
export class Report {
  readonly findings: Finding[] = [];

  ok(name: string, message: string): void {
    this.findings.push({ name, state: 'well', message });
  }
  warning(name: string, message: string, fix: string): void {
    this.findings.push({ name, state: 'doubtful', message, fix });
  }
  notChecked(name: string, reason: string): void {
    this.findings.push({ name, state: 'doubtful', message: `not checked: ${reason}.` });
  }
  problem(name: string, message: string, fix: string): void {
    this.findings.push({ name, state: 'ill', message, fix });
  }
}

/** A person waits for the result, and a few calls need no reserve of the rate limit. */
export const callOptions = { retryBudget: retryBudgets.short, reserveShare: 0 } as const;

/** The mirror, where there is one; the check of the store reports when there is none. */
export async function openMirrorIfAny({ config, log }: Pick<CheckNeeds, 'config' | 'log'>): Promise<Store | undefined> {
  try {
    return await openMirror(config, log);
  } catch (error) {
    if (error instanceof SlotstreamError && error.code === 'no_mirror') return undefined;
    throw error;
  }
}
