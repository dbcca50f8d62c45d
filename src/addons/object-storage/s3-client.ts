// Requests to an S3-compatible service: signed, sent again with back-off while the failure may pass, and explained when it does not.
import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { codeOf, describeConnectFailure, SlotstreamError } from '#src/base/errors.ts';
import { duration } from '#src/base/number-text.ts';
import { requestedDelayMs } from '#src/base/retry-after.ts';
import { backoffMs } from '#src/base/retry-policy.ts';
import { minuteMs, sleepUnlessAborted } from '#src/base/time.ts';
import { throwIfStopped } from '#src/export/output.ts';

export interface S3Account {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  readonly region: string;
  /** Of a service other than AWS, or of a proxy; then the bucket is in the path. */
  readonly endpoint: string | undefined;
}

export interface S3Needs {
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
  readonly random?: () => number;
}

export interface S3Request {
  readonly method: 'PUT' | 'POST' | 'DELETE' | 'HEAD';
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
  readonly signal: AbortSignal;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface S3Client {
  /** Throws unless the response is a success, or its error code is `accepted`. */
  send(request: S3Request, accepted?: string): Promise<S3Response>;
}

const attempts = 6;
const backoff = { firstMs: 250, longestMs: 20_000, jitter: 0.5 };
const timeoutMs = 5 * minuteMs;

interface Failure {
  readonly status?: number;
  /** The service's own code, such as `NoSuchBucket`, or the failure of the connection. */
  readonly code: string;
  readonly isTransient: boolean;
  readonly requestedMs?: number | undefined;
  /** The region that the bucket is in, where the service names it. */
  readonly region?: string | undefined;
  /** By how much our clock is ahead of the service's. */
  readonly aheadMs?: number;
}

export function createS3Client(account: S3Account, bucket: string, needs: S3Needs = {}): S3Client {
  const { fetch: send = (url, init) => fetch(url, init), nowMs = Date.now, random = Math.random } = needs;
  const { region, accessKeyId, secretAccessKey, sessionToken } = account;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new SlotstreamError(
      'config',
      `AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are needed to write to s3://${bucket}.`,
      {
        hint: 'Set both; with temporary credentials also AWS_SESSION_TOKEN, and AWS_REGION or AWS_ENDPOINT_URL where the bucket is.',
      },
    );
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const cache = new Map<string, ArrayBuffer>();
  const base = baseUrl(account, bucket);

  const sendOnce = async ({ method, key, query = {}, body, signal }: S3Request): Promise<S3Response | Failure> => {
    const url = new URL(`${base}/${key.split('/').map(encodeURIComponent).join('/')}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    // The service compares the body with this hash, so bytes that change on the way are refused.
    const headers = {
      'x-amz-content-sha256': createHash('sha256')
        .update(body ?? '')
        .digest('hex'),
    };
    const signer = new AwsV4Signer({ method, url: url.href, headers, service: 's3', region, cache, ...credentials });
    const signed = await signer.sign();
    try {
      const response = await send(signed.url, {
        method,
        headers: signed.headers,
        ...(body !== undefined && { body }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      const text = await response.text();
      // A completed upload can answer 200 and then fail.
      if (response.ok && !text.includes('<Error>')) return { status: response.status, headers: response.headers, text };
      return failureOf(response, text, nowMs());
    } catch (error) {
      return {
        code: codeOf(error) === 'TimeoutError' ? 'no response in time' : describeConnectFailure(error),
        isTransient: true,
      };
    }
  };

  return {
    async send(request, accepted) {
      for (let failures = 1; ; failures += 1) {
        throwIfStopped(request.signal);
        const result = await sendOnce(request);
        if ('text' in result) return result;
        throwIfStopped(request.signal);
        if (result.code === accepted) return { status: result.status ?? 0, headers: new Headers(), text: '' };
        if (!result.isTransient || failures >= attempts)
          throw explain(result, { base, bucket, region, key: request.key });
        await sleepUnlessAborted(
          Math.max(backoffMs(backoff, failures, random()), result.requestedMs ?? 0),
          request.signal,
        );
      }
    },
  };
}

/** AWS has the bucket in the host name, except with dots in it, which no certificate covers. */
function baseUrl({ endpoint, region }: S3Account, bucket: string): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

const passing = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable', 'OperationAborted']);

/** The value of an element of the service's XML. */
export const elementOf = (xml: string, name: string): string | undefined =>
  new RegExp(`<${name}>([^<]{1,2000})</${name}>`).exec(xml)?.[1];

function failureOf(response: Response, text: string, nowMs: number): Failure {
  const { status, headers } = response;
  const code = /^\w{1,60}$/.exec(elementOf(text, 'Code') ?? '')?.[0] ?? `HTTP ${status}`;
  const region = headers.get('x-amz-bucket-region') ?? elementOf(text, 'Region');
  const date = Date.parse(headers.get('date') ?? '');
  return {
    status,
    code,
    isTransient: passing.has(code) || status === 429 || status === 408 || (status >= 500 && status !== 501),
    requestedMs: requestedDelayMs({ status, headers }, nowMs),
    ...(/^[\w-]{1,40}$/.test(region ?? '') && { region }),
    ...(!Number.isNaN(date) && { aheadMs: nowMs - date }),
  };
}

interface Target {
  readonly base: string;
  readonly bucket: string;
  readonly region: string;
  readonly key: string;
}

function explain(failure: Failure, { base, bucket, region, key }: Target): SlotstreamError {
  const { status, code, aheadMs = 0 } = failure;
  const { host } = new URL(base);
  const error = (message: string, hint: string) =>
    new SlotstreamError('output', `${message} (${code}). Earlier exports were not changed.`, { hint });
  if (status === undefined)
    return error(`${host} cannot be reached`, 'Check the network, AWS_ENDPOINT_URL and AWS_REGION, and run it again.');
  if (code === 'NoSuchBucket' || (status === 404 && code.startsWith('HTTP')))
    return error(
      `There is no bucket called ${bucket} at ${host}`,
      'Create it, or correct its name in --out, AWS_REGION or AWS_ENDPOINT_URL.',
    );
  if (
    status === 301 ||
    status === 307 ||
    code === 'AuthorizationHeaderMalformed' ||
    code === 'IllegalLocationConstraintException'
  )
    return error(
      `The bucket ${bucket} is not in the region ${region}`,
      `Set AWS_REGION=${failure.region ?? 'REGION'}${failure.region === undefined ? ', the region of the bucket' : ''}.`,
    );
  if (code === 'RequestTimeTooSkewed')
    return error(
      `The clock of this machine is ${duration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'behind' : 'ahead of'} that of ${host}`,
      'Set the clock (NTP), and run it again.',
    );
  if (code === 'InvalidAccessKeyId' || code === 'SignatureDoesNotMatch')
    return error(
      `${host} does not accept the credentials`,
      'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: they must belong together and to this service.',
    );
  if (code === 'ExpiredToken' || code === 'InvalidToken')
    return error(
      `${host} does not accept the session token`,
      'Get new temporary credentials: all three of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.',
    );
  if (status === 403)
    return error(
      `These credentials may not write s3://${bucket}/${key}`,
      'Allow them s3:PutObject, s3:AbortMultipartUpload and s3:DeleteObject there.',
    );
  return error(
    `${host} answered ${status}`,
    'Run it again; if it answers the same, look the code up in the documentation of the service.',
  );
}
