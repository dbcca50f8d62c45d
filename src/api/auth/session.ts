// Sessions of browsers that logged in: a signed cookie that does not contain the token. A session ends after twelve hours, with a logout,
// or with its token.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { secondMs } from '#src/base/time.ts';
import { withTimeout } from '#src/base/timeout.ts';
import type { Store } from '#src/store/contract.ts';
import { isEnded, recordEnd } from '#src/store/ended-sessions.ts';

/** `expired`: it was issued here; `forged`: it was not. */
export type SessionState = 'valid' | 'expired' | 'forged';

export interface Sessions {
  open(): string;
  stateOf(value: string): SessionState;
}

/** A working day: long enough for its user, short enough for a laptop left unlocked. */
export const sessionSeconds = 12 * 3600;

export function createSessions(token: string, { clock }: { clock(): number }): Sessions {
  // A separate key: the key that signs page tokens must not be able to sign a session.
  const key = createHmac('sha256', token).update('slotstream admin session').digest();
  const macOf = (session: string): string => createHmac('sha256', key).update(session).digest('base64url');
  return {
    open() {
      const expiry = Math.floor(clock() / 1000) + sessionSeconds;
      const session = `${expiry}.${randomBytes(16).toString('base64url')}`;
      return `${session}.${macOf(session)}`;
    },
    stateOf(value) {
      const [, expiry, id, mac] = /^(\d{1,12})\.([\w-]{22})\.([\w-]{43})$/.exec(value) ?? [];
      if (expiry === undefined || id === undefined || mac === undefined) return 'forged';
      if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(`${expiry}.${id}`)))) return 'forged';
      return Number(expiry) * 1000 > clock() ? 'valid' : 'expired';
    },
  };
}

/** What is known of sessions besides their cookies, which stay signed for twelve hours whatever happens. */
export interface SessionRecord {
  begun(cookie: string): void;
  /** Fails when other processes cannot know it; this one does. */
  end(cookie: string): Promise<void>;
  isOpen(cookie: string): Promise<boolean>;
}

/** When it ends and its id: what may be stored: it opens nothing. */
const nameOf = (cookie: string): string => cookie.slice(0, cookie.lastIndexOf('.'));
const expiryMsOf = (cookie: string): number => Number(cookie.split('.', 1)[0]) * 1000;

/** Bounds the memory: the oldest are forgotten. Each needs a login of its own. */
const mostKnown = 10_000;

function remember(cookies: Set<string>, cookie: string, nowMs: number): void {
  for (const each of cookies) if (expiryMsOf(each) <= nowMs || cookies.size >= mostKnown) cookies.delete(each);
  cookies.add(cookie);
}

/** For a process without a database: a session is open only where it began, and ends with the process. */
export function sessionsOfProcess({ clock }: { clock(): number }): SessionRecord {
  const open = new Set<string>();
  return {
    begun: (cookie) => remember(open, cookie, clock()),
    async end(cookie) {
      open.delete(cookie);
    },
    isOpen: async (cookie) => open.has(cookie),
  };
}

/** A silent database must not keep a person from the page that says so. */
const readTimeoutMs = secondMs;

/**
 * For processes with the database: a session is open in all of them until it is ended in one. While the database does not answer, a process
 * knows only what was ended in itself: the pages must open in an outage.
 */
export function sessionsOfMirror({ store, clock }: { readonly store: Store; clock(): number }): SessionRecord {
  const endedHere = new Set<string>();
  return {
    begun() {},
    async end(cookie) {
      remember(endedHere, cookie, clock());
      await withTimeout(recordEnd(store, nameOf(cookie), clock()), readTimeoutMs);
    },
    async isOpen(cookie) {
      if (endedHere.has(cookie)) return false;
      const ended = withTimeout(isEnded(store, nameOf(cookie)), readTimeoutMs);
      return !(await ended.catch(() => false));
    },
  };
}
