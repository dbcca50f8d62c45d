// What reads the mirror, on a store of its own and without sockets: asked as a caller who holds the token.
import { expect } from 'vitest';
import { errorBody } from '#schemas/errors.ts';
import type { ApiOperation } from '#src/api/api-operation.ts';
import type { AdminNeeds, ReadApi } from '#src/api/app.ts';
import type { MirrorProcess } from '#src/api/mirror/mirror-process.ts';
import { createReadApi, type ReadApiNeeds } from '#src/api/operations.ts';
import type { Installation } from '#src/read/health/read-health.ts';
import { openTail } from '#src/feed/tail.ts';
import { answerSchema } from '#src/http/operation.ts';
import type { Store } from '#src/store/contract.ts';
import { openReading, readingWithin } from '#src/store/reading/reading.ts';
import type { ReaderLimits } from '#src/store/reading/sqlite-readers.ts';
import { lastSeq } from '#src/store/log/read.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { bearer, openAdmin } from './api-app.ts';
import { readerScript } from '../reading.ts';
import type { Answer } from '../sandbox.ts';
import type { TestStore } from '../stores.ts';

export interface ReadAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface ReadApiOptions {
  readonly clock?: () => number;
  readonly installation?: Installation;
  /** What the admin listener gets besides. */
  readonly admin?: Partial<AdminNeeds>;
  readonly process?: MirrorProcess;
  readonly answers?: ReadApiNeeds['answers'];
  /** Questions are asked as in production: in processes, or on connections, of their own. Otherwise they are asked within this process. */
  readonly readsApart?: Partial<ReaderLimits>;
  readonly mcp?: (api: ReadApi) => NonNullable<AdminNeeds['mcp']>;
}

/** The answer of an operation, which is exactly what its published schema says. */
function inspected(operation: ApiOperation | undefined, answer: unknown): unknown {
  const schema = operation && answerSchema(operation);
  if (schema) expect(answer).toEqual(schema.parse(answer));
  return answer;
}

export async function openReadApi(
  open: () => Promise<Pick<TestStore, 'store'> & Partial<Pick<TestStore, 'url'>> & AsyncDisposable>,
  { clock = Date.now, installation, admin: adminNeeds = {}, process, answers, mcp, readsApart }: ReadApiOptions = {},
) {
  const { store, url = '', ...rest } = await open();
  const report = (error: unknown) => void heard.reported.push(error);
  const reading = readsApart
    ? await openReading({ store, url, readerScript, report }, readsApart)
    : readingWithin(store);
  const heard = { reported: [] as unknown[], acted: [] as string[] };
  const tail = openTail({ lastSeq: () => lastSeq(store) });
  const api = createReadApi({
    store,
    reading,
    tail,
    screen: privacyScreen({ eraseOnDelete: true }),
    clock,
    installation,
    secret: 'signs page tokens',
    process,
    answers,
    report,
    acted: (operation) => void heard.acted.push(operation),
  });
  const byId = new Map(api.operations.map((operation) => [operation.id, operation]));
  const checked: ReadApi = {
    ...api,
    run: async (...call) => inspected(byId.get(call[0]), await api.run(...call)),
  };
  const opened = openAdmin({ reads: async () => checked, ...(mcp && { mcp: mcp(checked) }), ...adminNeeds });
  /** The answer has all that the log has. */
  const ask: typeof opened.ask = async (...request) => {
    return opened.ask(...request);
  };
  return {
    store,
    tail,
    heard,
    operations: api.operations,
    context: api.context,
    /** What operators did, newest first. */
    async actions(): Promise<ReadAnswer['body']> {
      const answer = await opened.ask('/api/tables/admin_actions', { headers: bearer });
      const page: ReadAnswer['body'] = await answer.json();
      return page.collection;
    },
    admin: { ...opened, ask },
    /** Asks without bringing the bookings up to date first. */
    behind: opened,
    fetch: (path: string, method = 'GET'): Promise<Response> => ask(path, { method, headers: bearer }),
    async get(path: string): Promise<ReadAnswer> {
      const answer = await ask(path, { headers: bearer });
      return { status: answer.status, body: await answer.json() };
    },
    async post(path: string, body?: unknown): Promise<ReadAnswer> {
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await opened.ask(path, {
        method: 'POST',
        headers: { ...bearer, ...json },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: await answer.json() };
    },
    async [Symbol.asyncDispose]() {
      tail.close();
      await reading[Symbol.asyncDispose]();
      await rest[Symbol.asyncDispose]();
    },
  };
}

/** A mirror of a sandbox's world, read as the service itself is read. Every answer is held against its published schema. */
export async function readMirror(store: Store) {
  const { behind, heard, ...rest } = await openReadApi(async () => ({ store, [Symbol.asyncDispose]: async () => {} }));
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
    [Symbol.asyncDispose]: rest[Symbol.asyncDispose],
  };
}
