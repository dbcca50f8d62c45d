// One client's first day, in a process of its own: reports what each operation read, or why it failed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, operationNames, writingOperations } from './client.ts';

/** What one operation came to. */
export interface Report {
  readonly operation: string;
  readonly uris?: readonly string[];
  /** Those of them that the service does not have. */
  readonly missing?: readonly string[];
  readonly error?: string;
}

const { DRIVER = '', FOLDER = '', TOKEN = '', ORGANIZATION = '', READS_ONLY = '', SERVICE_TOKEN = '' } = process.env;
const { resolve: pathOf } = createRequire(join(FOLDER, 'program.js'));
async function load<Module>(path: string): Promise<Module> {
  return (await import(pathToFileURL(pathOf(path)).href)) as Module;
}

const report = (message: Report): Promise<void> =>
  new Promise((resolve, reject) =>
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error))),
  );

const { client } = (await import(`./drivers/${DRIVER}.ts`)) as { client: Client };
await using opened = new AsyncDisposableStack();
const operations = await client.open({
  token: TOKEN,
  organization: ORGANIZATION,
  folder: FOLDER,
  load,
  close: (end) => opened.defer(end),
});
for (const operation of operationNames) {
  const run = operations[operation];
  if (run === undefined || (READS_ONLY !== '' && writingOperations.includes(operation))) continue;
  try {
    const uris = await run();
    await report({ operation, uris, missing: await missingOf(uris) });
  } catch (error) {
    await report({ operation, error: reasonOf(error) });
  }
}
process.disconnect();

async function missingOf(uris: readonly string[]): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${SERVICE_TOKEN}` };
  const asked = uris.map((uri) => fetch(uri, { headers }).then(({ status }) => (status === 404 ? [uri] : [])));
  return (await Promise.all(asked)).flat();
}

/** An error of axios has what the service answered. */
function reasonOf(error: unknown): string {
  const { response, message } = error as { response?: { status: number; data?: object }; message?: string };
  const reason =
    response === undefined ? (message ?? String(error)) : `${response.status} ${JSON.stringify(response.data ?? '')}`;
  return reason.slice(0, 300);
}
