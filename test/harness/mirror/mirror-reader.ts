// A mirror of a sandbox's world, read through the admin listener as the service itself is read.
import { errorBody } from '#schemas/errors.ts';
import type { Store } from '#src/store/contract.ts';
import type { Answer } from '../sandbox.ts';
import { openReadApi } from './read-api.ts';

export type MirrorReader = Awaited<ReturnType<typeof readMirror>>;

/** Every answer is held against its published schema. */
export async function readMirror(store: Store) {
  const {
    behind,
    heard,
    [Symbol.asyncDispose]: close,
  } = await openReadApi(async () => ({
    store,
    [Symbol.asyncDispose]: async () => {},
  }));
  return {
    /** `path` as the service has it, or a whole URI of the service or of a page. */
    async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
      const url = new URL(path, 'http://127.0.0.1:8081');
      if (!url.pathname.startsWith('/api/')) url.pathname = `/api${url.pathname}`;
      const answer = await behind.ask(url.pathname + url.search, { headers });
      const text = await answer.text();
      if (heard.reported.length > 0) throw heard.reported.shift();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      if (answer.status !== 200) errorBody.parse(body);
      return { status: answer.status, headers: answer.headers, body };
    },
    [Symbol.asyncDispose]: close,
  };
}
