// An S3 server in a folder of its own: s3rver, with the abort of an upload, which it lacks, and a hook that sees or answers requests.
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import S3rver from 's3rver';
import { freePort } from './ports.ts';
import type { Settings } from './running-verb.ts';

export interface S3Server extends AsyncDisposable {
  readonly url: string;
  /** What the product needs to use it. */
  readonly settings: Settings;
  /** The method and URL of every request, in order. */
  readonly requests: string[];
  /** Returns true when it has answered the request itself. */
  hook: (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;
  /** Every object of the bucket, by its key. */
  objects(): Promise<Record<string, string>>;
  read(key: string): Promise<Buffer>;
  /** How many uploads are neither completed nor aborted. */
  openUploads(): Promise<number>;
  /** Copies every object to a folder. */
  download(): Promise<string>;
}

const suffix = '._S3rver_object';
const uploadsFolder = '._S3rver_uploads';

export async function openS3Server(bucket = 'exports'): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'slotstream-s3-'));
  const port = await freePort();
  const backend = new S3rver({
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  await backend.configureBuckets();
  const handle = backend.callback();
  const root = join(directory, bucket);
  const server: S3Server = {
    url: `http://127.0.0.1:${port}`,
    settings: {
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER-secret-canary',
    },
    requests: [],
    hook: () => false,
    async objects() {
      const found: Record<string, string> = {};
      for (const file of await readdir(root, { recursive: true }))
        if (file.endsWith(suffix)) found[file.slice(0, -suffix.length)] = join(root, file);
      return found;
    },
    read: (key) => readFile(join(root, `${key}${suffix}`)),
    openUploads: async () => (await readdir(join(root, uploadsFolder)).catch(() => [])).length,
    async download() {
      const folder = await mkdtemp(join(directory, 'downloaded-'));
      for (const [key, file] of Object.entries(await server.objects())) {
        await mkdir(dirname(join(folder, key)), { recursive: true });
        await writeFile(join(folder, key), await readFile(file));
      }
      return folder;
    },
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    server.requests.push(`${request.method} ${request.url}`);
    if (await server.hook(request, response)) return;
    const uploadId = new URL(request.url ?? '', server.url).searchParams.get('uploadId');
    if (request.method !== 'DELETE' || uploadId === null) return void (await handle(request, response));
    await rm(join(root, uploadsFolder, uploadId), { recursive: true });
    response.writeHead(204).end();
  };
  const listener = createServer((request, response) => void answer(request, response)).listen(port, '127.0.0.1');
  await new Promise((resolve) => listener.once('listening', resolve));
  return server;
}

/** Answers with an error of the service. */
export function refuse(response: ServerResponse, status: number, code: string, more = '', headers = {}): true {
  response.writeHead(status, headers).end(`<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`);
  return true;
}
