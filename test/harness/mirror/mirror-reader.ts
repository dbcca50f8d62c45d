// A mirror of a sandbox's world, read through the admin listener as the service itself is read.
import { openTail } from '#src/feed/tail.ts';
import { answerSchema } from '#src/http/operation.ts';
import { createReadApi } from '#src/api/operations.ts';
import type { ApiOperation } from '#src/api/api-operation.ts';
import { errorBody } from '#schemas/errors.ts';
import type { Store } from '#src/store/contract.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { openAdmin } from './api-app.ts';
import type { Answer } from '../sandbox.ts';

export interface MirrorReader extends Disposable {
  /** `path` as the service has it, or a whole URI of the service or of a page. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Every answer is held against its published schema. */
export function readMirror(store: Store): MirrorReader {
  const tail = openTail({ lastSeq: async () => 0 });
  const faults: unknown[] = [];
  const api = createReadApi({
    store,
    tail,
    screen: privacyScreen({ eraseOnDelete: true }),
    clock: Date.now,
    secret: 'a-secret-for-page-tokens',
    report: (error) => void faults.push(error),
  } as Parameters<typeof createReadApi>[0]);
  const admin = openAdmin({ reads: async () => api as never });
  const patterns = api.operations.map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  // As the router decides: fewer placeholders first.
  const operationAt = (path: string): ApiOperation | undefined =>
    patterns
      .filter(({ operation, pattern }) => operation.method === 'GET' && pattern.test(path))
      .toSorted((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length)[0]?.operation;
  return {
    async get(path, headers = {}) {
      const url = new URL(path, 'http://127.0.0.1:8081');
      if (!url.pathname.startsWith('/api/')) url.pathname = `/api${url.pathname}`;
      const answer = await admin.ask(url.pathname + url.search, { headers });
      const text = await answer.text();
      if (faults.length > 0) throw faults.shift();
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      inspect(operationAt(url.pathname), answer.status, body);
      return { status: answer.status, headers: answer.headers, body };
    },
    [Symbol.dispose]: () => tail.close(),
  };
}

function inspect(operation: ApiOperation | undefined, status: number, body: unknown): void {
  if (status !== 200) return void errorBody.parse(body);
  const result = operation && answerSchema(operation)?.safeParse(body);
  if (result?.success === false)
    throw new Error(`${operation?.id} answers against its schema: ${result.error.message}`);
}
