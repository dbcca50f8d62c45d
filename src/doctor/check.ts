// What a check of `doctor` is: looks at one thing, and says a line or more about it. What it throws becomes a line too.
import type { Config } from '#src/config/load.ts';
import type { Log } from '#src/observability/log.ts';
import type { Finding } from './finding.ts';

export interface Patient {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => Date;
}

export type Check = (patient: Patient) => Promise<readonly Finding[]>;

/** Whether the service can be asked at all. */
export const hasApi = ({ api }: Config): boolean =>
  api.baseUrl !== undefined && (api.token !== undefined || api.oauth !== undefined);

/** A look, not work: somebody waits, and a few calls need no reserve. */
export const lookingOptions = { patience: { failuresMs: 5_000, limitsMs: 5_000 }, reserveShare: 0 } as const;
