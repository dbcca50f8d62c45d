// How long to wait before asking again: what the service asks for, bounded; else growing pauses with full jitter. Pure.

/** No single pause is longer, whatever a header says: a wrong one must not stop a mirror for years. */
export const longestPauseMs = 180_000;
const dayMs = 86_400_000;

export interface RateTold {
  /** Calls in a window; undefined when not told. */
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Until the window is over. */
  readonly resetMs: number | undefined;
}

const wholeNumber = /^\d{1,15}$/;

export function rateToldBy(headers: Headers): RateTold {
  const number = (name: string): number | undefined => {
    const text = headers.get(name)?.trim() ?? '';
    return wholeNumber.test(text) ? Number(text) : undefined;
  };
  const reset = number('x-ratelimit-reset');
  return {
    limit: number('x-ratelimit-limit'),
    remaining: number('x-ratelimit-remaining'),
    resetMs: reset === undefined ? undefined : reset * 1000,
  };
}

/**
 * What an answer asks for, in milliseconds: `Retry-After` (seconds or a date), else, of a 429, the reset of a limit that is
 * used up. (While calls remain, the 429 is about something else than that limit.) Undefined when it asks for nothing that
 * can be understood. A wait of more than a day is a mistake and counts as the longest pause.
 */
export function pauseAskedBy(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  nowMs: number,
): number | undefined {
  const { remaining = 0, resetMs } = rateToldBy(headers);
  const untilReset = status === 429 && remaining === 0 ? resetMs : undefined;
  const asked = retryAfterMs(headers.get('retry-after'), nowMs) ?? untilReset;
  if (asked === undefined) return undefined;
  return asked > dayMs ? longestPauseMs : Math.max(0, asked);
}

function retryAfterMs(text: string | null, nowMs: number): number | undefined {
  const trimmed = text?.trim() ?? '';
  if (wholeNumber.test(trimmed)) return Number(trimmed) * 1000;
  // Date.parse takes almost anything; an HTTP-date begins with a weekday.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(date) ? undefined : date - nowMs;
}

const firstPauseMs = 500;
const longestBackoffMs = 30_000;

export interface PauseInput {
  /** 1 for the pause after the first attempt. */
  readonly attempt: number;
  readonly askedMs: number | undefined;
  /** 0 ≤ random < 1. */
  readonly random: number;
}

/** Never shorter than asked for (up to the longest pause); jitter comes on top, so that callers do not return all at once. */
export function pauseBefore({ attempt, askedMs, random }: PauseInput): number {
  const ceiling = Math.min(longestBackoffMs, firstPauseMs * 2 ** Math.min(attempt - 1, 16));
  if (askedMs === undefined) return Math.round(random * ceiling);
  return Math.min(longestPauseMs, Math.round(askedMs + random * Math.min(ceiling, 2_000)));
}
