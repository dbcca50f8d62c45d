// The registry of sinks: which of them the settings ask for. The clients of all but the webhook are loaded where they are wanted.
import { readBrokers } from '#src/egress/broker-url.ts';
import { createOutgoing } from '#src/egress/http.ts';
import type { Included } from '#src/feed/entry.ts';
import type { KafkaOptions } from '#src/addons/brokers/kafka.ts';
import type { NatsOptions } from '#src/addons/brokers/nats.ts';
import type { OpenSink } from '#workers/sinks/sink.ts';
import { webhookSink, type PushFormat } from '#workers/sinks/webhook.ts';

export interface SinkSettings {
  readonly pushUrl: string | undefined;
  readonly pushSecret: string | undefined;
  readonly pushAllowPrivate: boolean;
  readonly pushFormat?: PushFormat;
  /** Kinds to push, as the feed's filter takes them; all where there are none. */
  readonly events?: readonly string[] | undefined;
  /** What entries carry besides what they are. */
  readonly include?: Included | undefined;
  readonly streamUrl: string | undefined;
  readonly streamKey: string;
  readonly streamMaxLength: number;
  readonly nats?: NatsOptions | undefined;
  readonly kafka?: KafkaOptions | undefined;
}

export interface NamedSink {
  readonly name: string;
  /** Where it sends to; the rest of the address may be a secret. */
  readonly host: string | null;
  readonly open: OpenSink;
}

export function sinksFor(settings: SinkSettings, nowMs: () => number): readonly NamedSink[] {
  const { pushUrl, pushSecret, pushAllowPrivate, pushFormat, streamUrl, streamKey, streamMaxLength } = settings;
  const { nats, kafka } = settings;
  const chosen: NamedSink[] = [];
  const add = (name: string, url: string, open: OpenSink) => chosen.push({ name, host: hostOf(url), open });
  if (pushUrl !== undefined && pushSecret !== undefined)
    add('webhook', pushUrl, async (needs) => {
      const outgoing = createOutgoing({}, { allowPrivate: pushAllowPrivate, setting: 'FEED_PUSH_ALLOW_PRIVATE' });
      const format = pushFormat && { format: pushFormat };
      return webhookSink({ outgoing, url: pushUrl, secret: pushSecret, nowMs, ...format })(needs);
    });
  if (streamUrl !== undefined)
    add('redis-stream', streamUrl, async (needs) => {
      const { redisStreamSink } = await import('#src/addons/brokers/redis-stream.ts');
      return redisStreamSink({ url: streamUrl, key: streamKey, maxLength: streamMaxLength })(needs);
    });
  if (nats !== undefined)
    add('nats', nats.url, async (needs) => (await import('#src/addons/brokers/nats.ts')).natsSink(nats)(needs));
  if (kafka !== undefined)
    add('kafka', kafka.url, async (needs) => (await import('#src/addons/brokers/kafka.ts')).kafkaSink(kafka)(needs));
  return chosen;
}

/** Loads the clients that the settings ask for, so that opening a sink later does not stop everything else. */
export async function loadClients({ streamUrl, nats, kafka }: SinkSettings): Promise<void> {
  if (streamUrl !== undefined) await import('#src/addons/brokers/redis-stream.ts');
  if (nats !== undefined) await import('#src/addons/brokers/nats.ts');
  if (kafka !== undefined) await import('#src/addons/brokers/kafka.ts');
}

const hostOf = (url: string): string | null =>
  readBrokers(url)?.hosts.join(', ') ?? (URL.canParse(url) ? new URL(url).host || null : null);
