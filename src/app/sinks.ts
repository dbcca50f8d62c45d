// The registry of sinks: which of them the settings ask for. The brokers are add-ons, loaded where they are configured.
import type { Config } from '#src/config/load.ts';
import { readBrokers } from '#src/egress/broker-url.ts';
import { createOutgoing } from '#src/egress/http.ts';
import type { OpenSink } from '#workers/out/push/sink.ts';
import { webhookSink } from '#workers/out/push/webhook.ts';

type Feed = Config['feed'];
export type SinkSettings = Partial<Feed> & Pick<Feed, 'pushAllowPrivate' | 'streamKey' | 'streamMaxLength'>;

const load = {
  redisStream: async () => (await import('#workers/out/push/brokers/redis-stream.ts')).redisStreamSink,
  nats: async () => (await import('#workers/out/push/brokers/nats.ts')).natsSink,
  kafka: async () => (await import('#workers/out/push/brokers/kafka.ts')).kafkaSink,
};

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
      const redisStreamSink = await load.redisStream();
      return redisStreamSink({ url: streamUrl, key: streamKey, maxLength: streamMaxLength })(needs);
    });
  if (nats !== undefined) add('nats', nats.url, async (needs) => (await load.nats())(nats)(needs));
  if (kafka !== undefined) add('kafka', kafka.url, async (needs) => (await load.kafka())(kafka)(needs));
  return chosen;
}

/** Loads the clients that the settings ask for, so that opening a sink later does not stop everything else. */
export async function loadClients({ streamUrl, nats, kafka }: SinkSettings): Promise<void> {
  if (streamUrl !== undefined) await load.redisStream();
  if (nats !== undefined) await load.nats();
  if (kafka !== undefined) await load.kafka();
}

const hostOf = (url: string): string | null =>
  readBrokers(url)?.hosts.join(', ') ?? (URL.canParse(url) ? new URL(url).host || null : null);
