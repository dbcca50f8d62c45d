// The contract of a channel: it sends a message once and returns what the recipient answered.
import type { ChannelName } from '#src/store/alerts/channel-names.ts';
import type { Message } from '#workers/out/alerts/message/message.ts';

export type SendResult =
  | { readonly ok: true; readonly answer: string }
  | {
      readonly ok: false;
      /** What the recipient answered, or what went wrong, without secrets and personal data. */
      readonly answer: string;
      /** False when another attempt cannot succeed: the address is rejected, the key is wrong. */
      readonly retry: boolean;
      /** How long the recipient asked to wait. */
      readonly retryAfterMs?: number;
      /** It limits messages and asked to wait: no failure of the channel. */
      readonly isLimited?: true;
      /** The message was sent and no answer came back: it may have arrived. */
      readonly outcomeUnknown?: true;
    };

export interface Channel {
  readonly name: ChannelName;
  /** The recipient as shown to operators: a host, never the whole URL. */
  readonly target: string;
  send(message: Message, signal: AbortSignal): Promise<SendResult>;
  close?(): Promise<void>;
}
