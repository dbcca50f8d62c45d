// Writes an export to S3-compatible storage: one object that is replaced, or a run of objects below a prefix.
//
//   parts of each object, 8 MiB, three at a time ─▶ all uploads completed ─▶ run=…/_manifest.json ─▶ _latest/files.txt
//
// An object of a multipart upload appears when the upload is completed, so nothing is visible while rows are written. An export that
// fails aborts its uploads.
import { randomBytes } from 'node:crypto';
import { SlotstreamError } from '#src/base/errors.ts';
import { secondMs } from '#src/base/time.ts';
import type { FormatName } from '#src/export/formats.ts';
import type { Destination } from '#src/export/output.ts';
import type { S3Target } from './s3-target.ts';
import { createS3Client, elementOf, type S3Account, type S3Client, type S3Needs } from './s3-client.ts';

/** The same for every part but the last, as some services require. */
const partBytes = 8 * 1024 * 1024;
const mostParts = 10_000;
const atOnce = 3;
/** How long a failed export waits for the service to drop its uploads. */
const cleanUpMs = 20 * secondMs;

export interface S3Run {
  readonly account: S3Account;
  readonly target: S3Target;
  readonly table: string;
  readonly format: FormatName;
  /** The name of an incremental export. */
  readonly incremental: string | undefined;
  readonly now: Date;
  readonly signal: AbortSignal;
}

interface Upload {
  readonly key: string;
  /** Requested with the first part. */
  id?: Promise<string>;
  readonly parts: { etag: string }[];
  bytes: number;
}

export function openS3Output(run: S3Run, needs: S3Needs = {}): Destination {
  const { target, table, format, incremental, now } = run;
  const client = createS3Client(run.account, target.bucket, needs);
  const failing = new AbortController();
  const signal = AbortSignal.any([run.signal, failing.signal]);
  const folder = [target.key, `table=${table}`, ...(incremental === undefined ? [] : [`incremental=${incremental}`])]
    .filter((part) => part !== '')
    .join('/');
  const runName = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const runFolder = `${folder}/run=${runName}`;
  const uriOf = (key: string): string => `s3://${target.bucket}/${key}`;
  const uploads: Upload[] = [];
  const pool = createPool(() => failing.abort());
  let part = Buffer.allocUnsafe(partBytes);
  let filled = 0;
  let bytes = 0;
  let published: Destination['published'];
  let state: 'writing' | 'completing' | 'published' = 'writing';

  const start = (below?: string): Upload => {
    const name = `part-${String(uploads.length).padStart(5, '0')}.${format}`;
    const key = target.isObject ? target.key : [runFolder, ...(below === undefined ? [] : [below]), name].join('/');
    const upload: Upload = { key, parts: [], bytes: 0 };
    uploads.push(upload);
    return upload;
  };
  const sendPart = async (): Promise<void> => {
    const upload = uploads.at(-1) ?? start();
    const body = part.subarray(0, filled);
    part = Buffer.allocUnsafe(partBytes);
    filled = 0;
    const slot = { etag: '' };
    if (upload.parts.push(slot) > mostParts)
      throw new SlotstreamError('output', `${uriOf(upload.key)} would be larger than 78 GiB, the limit of an upload.`, {
        hint: 'Export less at once: fewer --columns, or --since.',
      });
    upload.bytes += body.byteLength;
    const partNumber = String(upload.parts.length);
    await pool.run(async () => {
      const uploadId = await (upload.id ??= createUpload(client, upload.key, signal));
      const query = { partNumber, uploadId };
      const { headers } = await client.send({ method: 'PUT', key: upload.key, query, body, signal });
      slot.etag = headers.get('etag') ?? '';
    });
  };
  const put = (key: string, body: string) => client.send({ method: 'PUT', key, body, signal });

  return {
    get bytes() {
      return bytes;
    },
    get published() {
      return published;
    },
    async startObject(below) {
      if (filled > 0) await sendPart();
      start(below);
    },
    async write(chunk) {
      if (uploads.length === 0) start();
      for (let from = 0; from < chunk.byteLength;) {
        const count = Math.min(partBytes - filled, chunk.byteLength - from);
        part.set(chunk.subarray(from, from + count), filled);
        filled += count;
        from += count;
        if (filled === partBytes) await sendPart();
      }
      bytes += chunk.byteLength;
    },
    async complete(report) {
      if (uploads.length === 0) start();
      if (filled > 0) await sendPart();
      await pool.drain();
      state = 'completing';
      for (const upload of uploads) await pool.run(() => completeUpload(client, upload, signal));
      await pool.drain();
      // From here on readers may use the objects, also when a response is lost.
      state = 'published';
      if (target.isObject) return;
      const files = uploads.map(({ key, bytes: size }) => ({ uri: uriOf(key), bytes: size }));
      const manifest = `${runFolder}/_manifest.json`;
      const about = { table, format, run: runName, exported_at: now.toISOString(), ...report, bytes };
      await put(manifest, `${JSON.stringify({ ...about, files }, undefined, 2)}\n`);
      if (incremental === undefined)
        await put(`${folder}/_latest/files.txt`, files.map(({ uri }) => `${uri}\n`).join(''));
      published = { run: uriOf(runFolder), objects: files.length };
    },
    async [Symbol.asyncDispose]() {
      if (state === 'published') return;
      failing.abort();
      await pool.settled();
      const cleanUp = AbortSignal.timeout(cleanUpMs);
      for (const upload of uploads)
        await pool.run(() =>
          dropUpload(client, upload, { signal: cleanUp, isOwn: state === 'completing' && !target.isObject }),
        );
      await pool.settled();
    },
  };
}

/** Runs a few tasks at a time. After a failure, `run` and `drain` throw it. */
function createPool(onFailure: () => void) {
  const running = new Set<Promise<void>>();
  let failure: unknown;
  const throwFailure = (): void => {
    if (failure !== undefined) throw failure;
  };
  const settled = async (): Promise<void> => {
    await Promise.all(running);
    failure = undefined;
  };
  return {
    async run(work: () => Promise<unknown>): Promise<void> {
      while (running.size >= atOnce) await Promise.race(running);
      throwFailure();
      const task: Promise<void> = work()
        .then(() => undefined)
        .catch((error: unknown) => {
          failure ??= error;
          onFailure();
        })
        .finally(() => running.delete(task));
      running.add(task);
    },
    async drain(): Promise<void> {
      await Promise.all(running);
      throwFailure();
    },
    settled,
  };
}

async function createUpload(client: S3Client, key: string, signal: AbortSignal): Promise<string> {
  const { text } = await client.send({ method: 'POST', key, query: { uploads: '' }, signal });
  const id = elementOf(text, 'UploadId');
  if (id !== undefined) return id;
  throw new SlotstreamError('output', 'The service answered without the id of an upload.', {
    hint: 'Check that AWS_ENDPOINT_URL is the address of an S3-compatible service.',
  });
}

async function completeUpload(client: S3Client, { key, id, parts, bytes }: Upload, signal: AbortSignal): Promise<void> {
  if (id === undefined) {
    // An empty object has no parts.
    await client.send({ method: 'PUT', key, body: '', signal });
    return;
  }
  const list = parts.map(({ etag }, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
  const body = `<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`;
  const query = { uploadId: await id };
  const { text } = await client.send({ method: 'POST', key, query, body, signal }, 'NoSuchUpload');
  if (text !== '') return;
  // A first response was lost: the upload is complete when the object is there.
  const { headers } = await client.send({ method: 'HEAD', key, signal });
  if (Number(headers.get('content-length')) === bytes) return;
  throw new SlotstreamError('output', 'The service dropped the upload before it was complete.', {
    hint: 'Run it again.',
  });
}

/** `isOwn`: the object has a name of this run, so it can be deleted too, in case it was completed. */
async function dropUpload(
  client: S3Client,
  { key, id }: Upload,
  { signal, isOwn }: { readonly signal: AbortSignal; readonly isOwn: boolean },
): Promise<void> {
  const uploadId = await id?.catch(() => undefined);
  if (uploadId !== undefined)
    await client.send({ method: 'DELETE', key, query: { uploadId }, signal }, 'NoSuchUpload').catch(() => undefined);
  if (isOwn) await client.send({ method: 'DELETE', key, signal }).catch(() => undefined);
}
