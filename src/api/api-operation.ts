// What the operations of the API have in common: what they may use, and what each declares besides its schemas.
import type { Caller } from '#src/api/auth/browser.ts';
import type { Tail } from '#src/feed/tail.ts';
import type { Cursors } from '#src/http/cursor.ts';
import { operationDefiner, type Operation } from '#src/http/operation.ts';
import type { Readable, Store } from '#src/store/contract.ts';
import type { Reading } from '#src/store/reading/reading.ts';
import type { Screen } from '#workers/fold/pipeline/screen.ts';
import type { AnswerRecorder } from '#workers/sync/answer.ts';
import type { ReplayScriptOptions } from './deliveries/curl-replay.ts';
import type { MirrorProcess } from './mirror/mirror-process.ts';
import type { Installation } from '#src/read/health/read-health.ts';

/** What an operation may use that only reads rows: it may run in another process than the one that was asked. */
export interface QuestionContext {
  readonly reading: Readable & Pick<Reading, 'behindSeconds'>;
  /** Page tokens. */
  readonly cursors: Cursors;
  /** Absent where the process itself asks. */
  readonly caller?: { readonly who: string } | undefined;
}

export interface ApiContext extends QuestionContext {
  readonly store: Store;
  /** For whatever only reads rows: apart from the fold, which a slow question would hold up. */
  readonly reading: Reading;
  readonly tail: Tail;
  readonly screen: Screen;
  /** How deliveries are signed; by the service's own scheme when absent (A2). */
  readonly signing?: ReplayScriptOptions;
  /** For the operations about the process; absent where only the store is served. */
  readonly process?: MirrorProcess | undefined;
  /** The processes and settings of the installation; absent where only the store is served. */
  readonly installation?: Installation | undefined;
  /** Absent where ANSWERS is off. */
  readonly answers?: AnswerRecorder | undefined;
  /** Counts the open streams and long polls of the feed, by who opened them. */
  readonly streams: Map<Caller['who'] | '', number>;
  readonly caller?: Caller | undefined;
  /** Whether this process replays or previews many deliveries: one at a time. */
  readonly replaying: { isRunning: boolean };
  /** Milliseconds since 1970. */
  clock(): number;
  /** Receives errors that concern no caller. */
  report(error: unknown): void;
}

interface ApiTraits {
  /**
   * Errors are worded exactly as the service words them, so code written for the service's API works unchanged. Without it
   * the title of an error names its status.
   */
  readonly conventions?: 'service';
  /** The heading in the documentation: `Feed`. */
  readonly tag: string;
  /** Errors besides the common ones: `{404: 'No such contact.'}`. */
  readonly errors?: Readonly<Record<number, string>>;
  /** Recorded as an action of an operator (`audit.ts`), and logged; or only with some bodies. */
  readonly audited?: true | ((body: unknown) => boolean);
}

export type ApiOperation = Operation<ApiContext, ApiTraits>;

export const defineOperation = operationDefiner<ApiContext, ApiTraits>();
export const defineQuestion = operationDefiner<QuestionContext, ApiTraits>();
