// An S3 server in memory: objects, multipart uploads, and a hook that sees or answers requests. It accepts only requests whose signature
// (AWS Signature Version 4) and body are those of its one account.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openServer } from './ports.ts';

export type S3Server = Awaited<ReturnType<typeof openS3Server>>;
type Hook = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>;

export const s3Account = { accessKeyId: 'test-account', secretAccessKey: 'secret-canary' };

interface Bucket {
  readonly objects: Map<string, Buffer>;
  /** The parts of each, by their numbers. */
  readonly uploads: Map<string, Map<number, Buffer>>;
}

export async function openS3Server(name = 'exports') {
  // A client that is killed in the middle of a body gets no answer.
  const { url, ...listener } = await openServer((request, response) =>
    answer(request, response).catch(() => response.destroy()),
  );
  const bucket: Bucket = { objects: new Map(), uploads: new Map() };
  const folders: string[] = [];
  const server = {
    url,
    /** What the product needs to use it. */
    settings: {
      AWS_ENDPOINT_URL: url,
      AWS_ACCESS_KEY_ID: s3Account.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
    },
    /** The method and URL of every request, in order. */
    requests: [] as string[],
    /** Returns true when it has answered the request itself. */
    hook: (() => false) as Hook,
    keys: (): readonly string[] => [...bucket.objects.keys()].toSorted(),
    read(key: string): Buffer {
      const object = bucket.objects.get(key);
      if (object === undefined) throw new Error(`There is no object ${key}.`);
      return object;
    },
    /** How many uploads are neither completed nor aborted. */
    openUploads: () => bucket.uploads.size,
    async download(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'slotstream-s3-'));
      folders.push(folder);
      for (const [key, object] of bucket.objects) {
        await mkdir(dirname(join(folder, key)), { recursive: true });
        await writeFile(join(folder, key), object);
      }
      return folder;
    },
    async [Symbol.asyncDispose]() {
      await listener[Symbol.asyncDispose]();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
    },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    server.requests.push(`${request.method} ${request.url}`);
    if (await server.hook(request, response)) return;
    const body = Buffer.concat(await request.toArray());
    const target = new URL(request.url ?? '', url);
    const code = refusal(request, target, body);
    if (code !== undefined) return void refuse(response, 403, code);
    const [, named, ...path] = target.pathname.split('/').map(decodeURIComponent);
    if (named !== name) return void refuse(response, 404, 'NoSuchBucket');
    const operation = { method: request.method ?? '', key: path.join('/'), parameters: target.searchParams, body };
    carryOut(bucket, operation, response);
  };
  return server;
}

interface Operation {
  readonly method: string;
  readonly key: string;
  readonly parameters: URLSearchParams;
  readonly body: Buffer;
}

function carryOut({ objects, uploads }: Bucket, operation: Operation, response: ServerResponse): void {
  const { method, key, parameters, body } = operation;
  const put = (object: Buffer): void => void objects.set(key, object);
  const answer = (status: number, text = ''): void => void response.writeHead(status, { etag: etagOf(body) }).end(text);
  if (method === 'POST' && parameters.has('uploads')) {
    const id = randomUUID();
    uploads.set(id, new Map());
    return answer(200, xml('InitiateMultipartUploadResult', { Key: key, UploadId: id }));
  }
  const id = parameters.get('uploadId');
  if (id !== null) {
    const parts = uploads.get(id);
    if (parts === undefined) return void refuse(response, 404, 'NoSuchUpload');
    if (method === 'PUT') {
      parts.set(Number(parameters.get('partNumber')), body);
      return answer(200);
    }
    uploads.delete(id);
    if (method === 'DELETE') return answer(204);
    const listed = [...String(body).matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => part);
    const isComplete = listed.every((part) => {
      const stored = parts.get(Number(/<PartNumber>(\d+)</.exec(part)?.[1]));
      return stored !== undefined && part.replaceAll('&quot;', '"').includes(etagOf(stored));
    });
    if (!isComplete || listed.length !== parts.size) return void refuse(response, 400, 'InvalidPart');
    put(Buffer.concat([...parts].toSorted(([one], [other]) => one - other).map(([, part]) => part)));
    return answer(200, xml('CompleteMultipartUploadResult', { Key: key, ETag: etagOf(body) }));
  }
  const object = objects.get(key);
  if (method === 'HEAD') response.writeHead(object ? 200 : 404, { 'content-length': object?.length ?? 0 }).end();
  else if (method === 'PUT') {
    put(body);
    answer(200);
  } else if (method === 'DELETE') {
    objects.delete(key);
    answer(204);
  } else refuse(response, 405, 'MethodNotAllowed');
}

const etagOf = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`;
const xml = (name: string, fields: Readonly<Record<string, string>>): string =>
  `<${name}>${Object.entries(fields)
    .map(([field, value]) => `<${field}>${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}</${field}>`)
    .join('')}</${name}>`;

/** Why S3 refuses a request: its account, its body or its signature is another one. */
function refusal({ method, headers }: IncomingMessage, target: URL, body: Buffer): string | undefined {
  const header = (name: string): string => String(headers[name] ?? '').trim();
  const [, account, scope, signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\w+)$/.exec(
      header('authorization'),
    ) ?? [];
  if (account !== s3Account.accessKeyId || scope === undefined) return 'InvalidAccessKeyId';
  const bodyHash = header('x-amz-content-sha256');
  if (bodyHash !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const parameters = [...target.searchParams].map((pair) => pair.map(encoded).join('=')).toSorted();
  const lines = signed.split(';').map((name) => `${name}:${header(name)}\n`);
  const canonical = [method, target.pathname, parameters.join('&'), lines.join(''), signed, bodyHash].join('\n');
  const text = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${s3Account.secretAccessKey}`);
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
const sha256 = (value: string | Buffer): string => createHash('sha256').update(value).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

export function refuse(response: ServerResponse, status: number, code: string, more = '', headers = {}): true {
  response.writeHead(status, headers).end(`<?xml version="1.0"?><Error><Code>${code}</Code>${more}</Error>`);
  return true;
}
