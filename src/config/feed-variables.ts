// The environment variables about where the feed is pushed to.
import { z } from 'zod';
import { readKafka, readNats } from '#src/egress/broker-url.ts';
import { address, calledAddress, commaList, text, wholeNumber, yesOrNo, type Setting } from './readers.ts';

export const feedSettings = {
  FEED_PUSH_URL: {
    reads: calledAddress.optional(),
    default: '–',
    meaning: 'Webhook that receives every new entry of the feed, signed (Standard Webhooks).',
    secret: true,
  },
  FEED_PUSH_SECRET: {
    reads: z.string().min(16, 'at least 16 characters').optional(),
    default: '–',
    meaning: 'Signing secret for FEED_PUSH_URL: `whsec_` and base64, or any text.',
    secret: true,
  },
  FEED_PUSH_ALLOW_PRIVATE: {
    reads: yesOrNo(false),
    default: 'false',
    meaning: 'Allow FEED_PUSH_URL to lead to a private network address.',
  },
  FEED_PUSH_FORMAT: {
    reads: z.enum(['slotstream', 'cloudevents'], 'slotstream or cloudevents').default('slotstream'),
    default: 'slotstream',
    meaning: 'What FEED_PUSH_URL receives: `slotstream` or `cloudevents` (CloudEvents 1.0, one event per request).',
  },
  FEED_PUSH_EVENTS: {
    reads: commaList
      .refine((names) => names.every((name) => /^[\w.-]*\*$|^[\w-]+(\.[\w-]+)+$/.test(name)), {
        message: 'kinds such as contact.updated, or contact.* for all of them',
      })
      .optional(),
    default: '–',
    meaning: 'Push only these kinds, to every sink: `invitee.*,contact.updated`. Default: all.',
  },
  FEED_INCLUDE: {
    reads: z.enum(['row'], 'row').optional(),
    default: '–',
    meaning: '`row`: entries that are pushed carry the rows they are about, as they are then.',
  },
  FEED_STREAM_URL: {
    reads: address('redis://', 'rediss://').optional(),
    default: '–',
    meaning: 'Redis with a stream to which every new entry of the feed is appended.',
    secret: true,
  },
  FEED_STREAM_KEY: {
    reads: z.string().max(500, 'at most 500 characters').default('slotstream:feed'),
    default: 'slotstream:feed',
    meaning: 'Name of that stream.',
  },
  FEED_STREAM_MAX_LENGTH: {
    reads: wholeNumber(0, 1_000_000_000).default(1_000_000),
    default: '1000000',
    meaning: 'Approximate maximum number of entries in that stream; 0 for all.',
  },
  FEED_NATS_URL: {
    reads: z
      .string()
      .refine((value) => readNats(value) !== undefined, 'an address such as nats://USER:PASSWORD@HOST:4222')
      .optional(),
    default: '–',
    meaning:
      'NATS with a JetStream stream to which every new entry of the feed is published: `nats://` or `tls://`, `USER:PASSWORD@` or `TOKEN@`, hosts separated by commas.',
    secret: true,
  },
  FEED_NATS_CREDENTIALS: { reads: text, default: '–', meaning: 'Credentials file (`.creds`) for that NATS.' },
  FEED_NATS_STREAM: {
    reads: z
      .string()
      .regex(/^[\w-]{1,255}$/, 'letters, digits, dashes and underscores')
      .default('slotstream'),
    default: 'slotstream',
    meaning: 'Name of that stream; created when there is none.',
  },
  FEED_NATS_SUBJECT: {
    reads: z
      .string()
      .regex(/^[\w-]+(\.[\w-]+)*$/, 'a subject such as slotstream or company.slotstream')
      .default('slotstream'),
    default: 'slotstream',
    meaning: 'Beginning of the NATS subjects, which end with the event: `slotstream.contact.updated`.',
  },
  FEED_KAFKA_URL: {
    reads: z
      .string()
      .refine((value) => readKafka(value) !== undefined, 'an address such as kafka://HOST:9092,HOST2:9092/TOPIC')
      .optional(),
    default: '–',
    meaning:
      'Kafka topic to which every new entry of the feed is sent: `kafka://USER:PASSWORD@HOST:9092,HOST2:9092/TOPIC`, `kafkas://` with TLS, `?sasl=SCRAM-SHA-512` for another login than `PLAIN`.',
    secret: true,
  },
} as const satisfies Record<string, Setting>;

type Values = {
  readonly [Name in keyof typeof feedSettings]: z.output<(typeof feedSettings)[Name]['reads']>;
};

export const feedOf = (values: Values) => ({
  pushUrl: values.FEED_PUSH_URL,
  pushSecret: values.FEED_PUSH_SECRET,
  pushAllowPrivate: values.FEED_PUSH_ALLOW_PRIVATE,
  pushFormat: values.FEED_PUSH_FORMAT,
  events: values.FEED_PUSH_EVENTS,
  include: values.FEED_INCLUDE,
  streamUrl: values.FEED_STREAM_URL,
  streamKey: values.FEED_STREAM_KEY,
  streamMaxLength: values.FEED_STREAM_MAX_LENGTH,
  nats:
    values.FEED_NATS_URL === undefined
      ? undefined
      : {
          url: values.FEED_NATS_URL,
          credentialsFile: values.FEED_NATS_CREDENTIALS,
          stream: values.FEED_NATS_STREAM,
          prefix: values.FEED_NATS_SUBJECT,
        },
  kafka: values.FEED_KAFKA_URL === undefined ? undefined : { url: values.FEED_KAFKA_URL },
});
