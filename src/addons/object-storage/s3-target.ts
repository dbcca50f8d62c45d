// Addresses of object storage, as `--out` takes them.
import { SlotstreamError } from '#src/base/errors.ts';
import { formatOf } from '#src/addons/export/formats.ts';

export interface S3Target {
  readonly bucket: string;
  /** Of the object, or the prefix of the objects. */
  readonly key: string;
  /** The name ends like a file: one object, which is replaced. */
  readonly isObject: boolean;
}

export function readS3Target(out: string): S3Target {
  const [, bucket, key = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/+(.*))?$/.exec(out) ?? [];
  if (bucket === undefined)
    throw new SlotstreamError('usage', `${JSON.stringify(out)} is not an address of object storage.`, {
      hint: 'Give s3://BUCKET/PREFIX for a folder of Parquet files, or s3://BUCKET/NAME.csv for one object.',
    });
  // URLs lose these parts, with the folder or the bucket before them.
  if (key.split('/').some((part) => part === '.' || part === '..'))
    throw new SlotstreamError(
      'usage',
      `${JSON.stringify(out)} has a part “.” or “..”, which names no folder of a bucket.`,
      {
        hint: 'Give the whole prefix: s3://BUCKET/PREFIX.',
      },
    );
  const isObject = formatOf(key) !== undefined;
  return { bucket, key: key.replace(/\/+$/, ''), isObject };
}
