// The registry of sinks: which of them the settings ask for.
import { createOutgoing } from '#src/egress/http.ts';
import type { Included } from '#src/feed/entry.ts';
import type { OpenSink } from './sink.ts';
import { webhookSink, type PushFormat } from './webhook.ts';

export interface SinkSettings {
  readonly pushUrl: string | undefined;
  readonly pushSecret: string | undefined;
  readonly pushAllowPrivate: boolean;
  readonly pushFormat?: PushFormat;
  /** What entries carry besides what they are. */
  readonly include?: Included | undefined;
  readonly streamUrl: string | undefined;
  readonly streamKey: string;
  readonly streamMaxLength: number;
}

export interface NamedSink {
  readonly name: string;
  readonly open: OpenSink;
}

export function sinksFor(settings: SinkSettings, nowMs: () => number): readonly NamedSink[] {
  const { pushUrl, pushSecret, pushAllowPrivate, pushFormat, streamUrl, streamKey, streamMaxLength } = settings;
  const chosen: NamedSink[] = [];
  if (pushUrl !== undefined && pushSecret !== undefined)
    chosen.push({
      name: 'webhook',
      open: async (needs) => {
        const outgoing = createOutgoing({}, { allowPrivate: pushAllowPrivate, setting: 'FEED_PUSH_ALLOW_PRIVATE' });
        return webhookSink({
          outgoing,
          url: pushUrl,
          secret: pushSecret,
          ...(pushFormat && { format: pushFormat }),
          nowMs,
        })(needs);
      },
    });
  if (streamUrl !== undefined)
    chosen.push({
      name: 'redis-stream',
      // Its client is loaded where it is wanted.
      open: async (needs) => {
        const { redisStreamSink } = await import('./redis-stream.ts');
        return redisStreamSink({ url: streamUrl, key: streamKey, maxLength: streamMaxLength })(needs);
      },
    });
  return chosen;
}
