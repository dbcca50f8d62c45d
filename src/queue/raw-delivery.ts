// A delivery as the bytes that were signed. It becomes text only where text is needed: most travel packed, as bytes.
import { isUtf8 } from 'node:buffer';
import type { QueuedDelivery } from './contract.ts';

/**
 * PostgreSQL refuses NUL and invalid UTF-8 in text, and one such body would fail its whole batch, so those become base64.
 * `Buffer.toString` keeps a byte order mark (TextDecoder drops it): what is stored is what was signed.
 */
export class RawDelivery implements QueuedDelivery {
  readonly bytes: Buffer;
  readonly receivedAt: string;

  constructor(bytes: Buffer, receivedAt: string) {
    this.bytes = bytes;
    this.receivedAt = receivedAt;
  }

  get body(): string {
    return this.toJSON().body;
  }

  toJSON(): QueuedDelivery {
    const { bytes, receivedAt } = this;
    const isText = isUtf8(bytes) && !bytes.includes(0);
    return isText
      ? { body: bytes.toString('utf8'), receivedAt }
      : { body: bytes.toString('base64'), encoding: 'base64', receivedAt };
  }
}

export function bytesOf(delivery: QueuedDelivery): Buffer {
  return delivery instanceof RawDelivery ? delivery.bytes : Buffer.from(delivery.body, delivery.encoding ?? 'utf8');
}
