// The client of S3-compatible storage by the settings, and what to tell people when the service refuses.
import { S3Client } from '@aws-sdk/client-s3';
import { loadConfig } from '@smithy/core/config';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { z } from 'zod';
import { codeOf, describeConnectFailure, SlotstreamError } from '#src/base/errors.ts';
import { duration } from '#src/base/number-text.ts';
import { minuteMs, secondMs } from '#src/base/time.ts';

/** What is not set comes from where AWS has it: the environment, a profile, a role. */
export interface S3Account {
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
  readonly region: string | undefined;
  /** Of a service other than AWS, or of a proxy; then the bucket is in the path. */
  readonly endpoint: string | undefined;
}

export async function openS3Client(account: S3Account, bucket: string, signal: AbortSignal) {
  const { accessKeyId, secretAccessKey, sessionToken, endpoint } = account;
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new SlotstreamError('config', 'Of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, only one is set.', {
      hint: 'Set both, or neither to use a profile or a role.',
    });
  // The client itself would ask the metadata service of an instance, also where there is none.
  const ofProfile = loadConfig({
    environmentVariableSelector: () => undefined,
    configFileSelector: (profile) => profile['region'],
    default: 'us-east-1',
  });
  const region = account.region ?? (await ofProfile());
  const client = new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      }),
    maxAttempts: 6,
    requestHandler: new StoppableHandler(signal),
    // The service compares each body with its SHA-256 as it is; some services do not know the further checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  try {
    await client.config.credentials();
  } catch (error) {
    throw new SlotstreamError('config', `There are no credentials for s3://${bucket} (${codeOf(error)}).`, {
      hint: whereCredentials,
    });
  }
  const host = endpoint === undefined ? `s3.${region}.amazonaws.com` : new URL(endpoint).host;
  return { client, explain: (error: unknown, key: string) => explain(error, { host, bucket, region, key }) };
}

const whereCredentials =
  'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or run it where it has a role (web identity, container or instance).';

/** `Upload` gives no signal to its requests. */
class StoppableHandler extends NodeHttpHandler {
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    super({ connectionTimeout: 10 * secondMs, requestTimeout: 5 * minuteMs, throwOnRequestTimeout: true });
    this.#signal = signal;
  }

  override handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    return super.handle(request, { abortSignal: this.#signal, ...options });
  }
}

/** Of an error of the SDK. Without a status there was no answer. */
const failure = z.object({
  $metadata: z.object({ httpStatusCode: z.number().optional() }),
  $response: z.object({ headers: z.record(z.string(), z.string()) }).catch({ headers: {} }),
  Region: z.string().optional().catch(undefined),
});

function explain(
  cause: unknown,
  { host, bucket, region, key }: Readonly<Record<'host' | 'bucket' | 'region' | 'key', string>>,
): SlotstreamError {
  const { $metadata, $response, Region } = failure.safeParse(cause).data ?? {};
  const status = $metadata?.httpStatusCode;
  const name = codeOf(cause);
  const code = status !== undefined && name === 'Error' ? `HTTP ${status}` : name;
  const error = (message: string, hint: string, detail = code) =>
    new SlotstreamError('output', `${message} (${detail}). Earlier exports were not changed.`, { hint });
  // Those of a role or a profile are renewed during a long export.
  if (/^(CredentialsProvider|TokenProvider|ProviderError)/.test(name))
    return error(`The credentials for s3://${bucket} could not be renewed`, whereCredentials);
  if ($metadata === undefined)
    return error(`${host} does not answer as S3 does`, 'Check that AWS_ENDPOINT_URL is an S3-compatible service.');
  if (status === undefined)
    return error(
      `${host} cannot be reached`,
      'Check the network, AWS_ENDPOINT_URL and AWS_REGION, and run it again.',
      code === 'TimeoutError' ? 'no response in time' : describeConnectFailure(cause),
    );
  if (code === 'NoSuchBucket' || code === 'NotFound' || code === 'HTTP 404')
    return error(
      `There is no bucket called ${bucket} at ${host}`,
      'Create it, or correct its name in --out, AWS_REGION or AWS_ENDPOINT_URL.',
    );
  if (
    status === 301 ||
    status === 307 ||
    code === 'AuthorizationHeaderMalformed' ||
    code === 'IllegalLocationConstraintException'
  ) {
    const [, actual] = /^([\w-]{1,40})$/.exec($response?.headers['x-amz-bucket-region'] ?? Region ?? '') ?? [];
    return error(
      `The bucket ${bucket} is not in the region ${region}`,
      `Set AWS_REGION=${actual ?? 'REGION, the region of the bucket'}.`,
    );
  }
  if (code === 'RequestTimeTooSkewed') {
    const aheadMs = Date.now() - Date.parse($response?.headers['date'] ?? '');
    return error(
      `The clock of this machine is ${duration(Math.abs(aheadMs))} ${aheadMs < 0 ? 'behind' : 'ahead of'} that of ${host}`,
      'Set the clock (NTP), and run it again.',
    );
  }
  if (code === 'InvalidAccessKeyId' || code === 'SignatureDoesNotMatch')
    return error(
      `${host} does not accept the credentials`,
      'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile: they must belong together and to this service.',
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
