// Writes an export to S3-compatible storage: one object that is replaced, or a run of objects below a prefix.
//
//   each object in parts of 8 MiB, three at a time ─▶ all objects ─▶ run=…/_manifest.json ─▶ _latest/files.txt
//
// An object appears when all of it is uploaded. An export that fails aborts its upload and removes the objects of its run.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { codeOf, SlotstreamError } from '#src/base/errors.ts';
import { secondMs } from '#src/base/time.ts';
import type { FormatName } from '#src/addons/export/formats.ts';
import { throwIfStopped, type Destination } from '#src/addons/export/output.ts';
import { openS3Client, type S3Account } from './s3-client.ts';
import type { S3Target } from './s3-target.ts';

const partBytes = 8 * 1024 * 1024;
const mostBytes = 10_000 * partBytes;
/** How long a failed export waits for the service to remove what it wrote. */
const cleanUpMs = 20 * secondMs;

interface S3Object {
  readonly key: string;
  readonly body: PassThrough;
  readonly upload: Upload;
  bytes: number;
  done: Promise<unknown>;
}

export async function openS3Output(run: {
  readonly account: S3Account;
  readonly target: S3Target;
  readonly table: string;
  readonly format: FormatName;
  /** The name of an incremental export. */
  readonly incremental?: string | undefined;
  readonly now: Date;
  readonly signal: AbortSignal;
}): Promise<Destination> {
  const { target, table, format, incremental, now } = run;
  const { bucket: Bucket, isObject } = target;
  const failing = new AbortController();
  const signal = AbortSignal.any([run.signal, failing.signal]);
  const { client, explain } = await openS3Client(run.account, Bucket, signal);
  const folder = [target.key, `table=${table}`, ...(incremental === undefined ? [] : [`incremental=${incremental}`])]
    .filter((part) => part !== '')
    .join('/');
  const runName = `${now.toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
  const runFolder = `${folder}/run=${runName}`;
  const uriOf = (key: string): string => `s3://${Bucket}/${key}`;
  const objects: S3Object[] = [];
  let bytes = 0;
  let published: Destination['published'];
  let isComplete = false;

  const start = (below?: string): S3Object => {
    const name = `part-${String(objects.length).padStart(5, '0')}.${format}`;
    const key = isObject ? target.key : [runFolder, ...(below === undefined ? [] : [below]), name].join('/');
    const body = new PassThrough();
    const params = { Bucket, Key: key, Body: body };
    // It would not wait for the end of an abort, and forgets the parts when the last request fails.
    const upload = new Upload({ client, params, partSize: partBytes, queueSize: 3, leavePartsOnError: true });
    const object: S3Object = { key, body, upload, bytes: 0, done: Promise.resolve() };
    object.done = upload.done().catch(async (error: unknown) => {
      if (codeOf(error) !== 'NoSuchUpload') throw error;
      // A first response was lost: the upload is complete when the object is there.
      const found = await client.send(new HeadObjectCommand({ Bucket, Key: key })).catch(() => undefined);
      if (found?.ContentLength !== object.bytes) throw error;
    });
    object.done.catch(() => undefined);
    objects.push(object);
    return object;
  };
  const explained = async (key: string, work: Promise<unknown>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      throwIfStopped(run.signal);
      throw explain(error, key);
    }
  };
  const end = async ({ key, body, done }: S3Object): Promise<void> => {
    body.end();
    await explained(key, done);
  };
  const put = (Key: string, Body: string) => explained(Key, client.send(new PutObjectCommand({ Bucket, Key, Body })));

  return {
    get bytes() {
      return bytes;
    },
    get published() {
      return published;
    },
    async startObject(below) {
      const last = objects.at(-1);
      if (last) await end(last);
      start(below);
    },
    async write(chunk) {
      const object = objects.at(-1) ?? start();
      object.bytes += chunk.byteLength;
      bytes += chunk.byteLength;
      if (object.bytes > mostBytes)
        throw new SlotstreamError(
          'output',
          `${uriOf(object.key)} would be larger than 78 GiB, the limit of an upload.`,
          {
            hint: 'Export less at once: fewer --columns, or --since.',
          },
        );
      // A copy: formats use their buffer again.
      if (object.body.write(Buffer.from(chunk))) return;
      // A failed upload destroys the body: its own error says why.
      const drained = once(object.body, 'drain').catch(() => object.done);
      await explained(object.key, Promise.race([drained, object.done]));
    },
    async complete(report) {
      await end(objects.at(-1) ?? start());
      // From here on readers may use the objects, also when a response is lost.
      isComplete = true;
      if (isObject) return;
      const files = objects.map(({ key, bytes: size }) => ({ uri: uriOf(key), bytes: size }));
      const about = { table, format, run: runName, exported_at: now.toISOString(), ...report, bytes };
      await put(`${runFolder}/_manifest.json`, `${JSON.stringify({ ...about, files }, undefined, 2)}\n`);
      if (incremental === undefined)
        await put(`${folder}/_latest/files.txt`, files.map(({ uri }) => `${uri}\n`).join(''));
      published = { run: uriOf(runFolder), objects: files.length };
    },
    async [Symbol.asyncDispose]() {
      const last = objects.at(-1);
      if (last && !isComplete) {
        failing.abort();
        await last.upload.abort();
        await last.done.catch(() => undefined);
        const abortSignal = AbortSignal.timeout(cleanUpMs);
        const { uploadId: UploadId } = last.upload;
        if (UploadId !== undefined)
          await client
            .send(new AbortMultipartUploadCommand({ Bucket, Key: last.key, UploadId }), { abortSignal })
            .catch(() => undefined);
        const own = isObject ? [] : objects.filter(({ body }) => body.writableEnded);
        for (const { key: Key } of own)
          await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal }).catch(() => undefined);
      }
      client.destroy();
    },
  };
}
