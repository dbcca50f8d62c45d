// Answers single paths, or single pages of a list, as the injected faults say: with another status or another body.
import type { MiddlewareHandler } from 'hono';
import { commonError } from '#schemas/errors.ts';
import type { AnswerFault, FaultInjector } from '#src/sandbox/webhooks/faults.ts';

interface AskedPage {
  readonly method: string;
  readonly path: string;
  /** The page token. */
  readonly token: string | undefined;
}

export function answerFaults(faults: FaultInjector): MiddlewareHandler {
  // By the fault itself: other faults begin to count anew.
  const answered = new WeakMap<AnswerFault, number>();
  const pages = new WeakMap<AnswerFault, PageNumbers>();

  function applies(fault: AnswerFault, asked: AskedPage): boolean {
    if ((fault.method ?? asked.method) !== asked.method || !isPath(asked.path, fault.path)) return false;
    const numbers = pages.get(fault) ?? createPageNumbers();
    pages.set(fault, numbers);
    const page = numbers.of(asked);
    const count = answered.get(fault) ?? 0;
    if ((fault.page ?? page) !== page || count >= (fault.times ?? Infinity)) return false;
    answered.set(fault, count + 1);
    return true;
  }

  return async (http, next) => {
    const { method, path } = http.req;
    const asked = { method, path, token: http.req.query('page_token') };
    const fault = faults.current.answers?.find((one) => applies(one, asked));
    if (fault === undefined) return next();
    const { status = 500, body = commonError } = fault;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return new Response(text, { status, headers: { 'content-type': 'application/json' } });
  };
}

function isPath(path: string, pattern: string): boolean {
  const [parts, wanted] = [path.split('/'), pattern.split('/')];
  return parts.length === wanted.length && wanted.every((part, index) => part === '*' || part === parts[index]);
}

type PageNumbers = ReturnType<typeof createPageNumbers>;

/** Each new token of a path leads one page further, a known one to the same page, and a request without one to the first. */
function createPageNumbers() {
  const tokens = new Map<string, readonly string[]>();
  return {
    of({ path, token }: AskedPage): number {
      const known = token === undefined ? [] : (tokens.get(path) ?? []);
      const seen = token === undefined || known.includes(token) ? known : [...known, token];
      tokens.set(path, seen);
      return token === undefined ? 1 : seen.indexOf(token) + 2;
    },
  };
}
