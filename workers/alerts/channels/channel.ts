// What a channel is: it takes a message to the other side once, and says what that answered.
import type { Message } from '#workers/alerts/message/message.ts';
import type { ChannelName } from './channel-name.ts';

export type Sent =
  | { readonly ok: true; readonly answer: string }
  | {
      readonly ok: false;
      /** What the other side said, or what went wrong, without secrets and people. */
      readonly answer: string;
      /** False when trying again cannot help: the address is refused, the key is wrong. */
      readonly retry: boolean;
      /** How long the other side asked to wait. */
      readonly retryAfterMs?: number;
      /** It left, and nobody said what became of it: perhaps somebody has been told. */
      readonly unsure?: true;
    };

export interface Channel {
  readonly name: ChannelName;
  /** Where it goes, for people: a host, never the whole URL. */
  readonly target: string;
  send(message: Message, signal: AbortSignal): Promise<Sent>;
  close?(): Promise<void>;
}
