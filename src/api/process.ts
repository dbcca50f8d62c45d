// The operations with which a process reports on itself. They need no store.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import { operationDefiner, type Operation } from '#src/http/operation.ts';
import type { Metrics } from '#src/observability/metrics/registry.ts';
import { healthCheck } from '#src/read/health/health-check.ts';
import { processRecord } from '#src/store/process-reports.ts';

export interface ProcessContext {
  status(): Promise<object>;
  readonly metrics: Pick<Metrics, 'read'> & Partial<Pick<Metrics, 'requested'>>;
  readonly health: {
    readiness(): Promise<{ readonly status: ReadyStatus; readonly engines: Readonly<Record<string, string>> }>;
  };
  /** The OpenAPI document, with the address at which this caller reaches the API. */
  openapi(request: Request): Promise<object>;
}

/** `degraded`: deliveries are accepted, but wait in the disk log. */
type ReadyStatus = keyof typeof readyTitles;

const readyTitles = { ready: 'Ready', degraded: 'Degraded', not_ready: 'Not Ready' } as const;

interface ProcessTraits {
  readonly tag: typeof processTag;
  readonly conventions?: never;
  readonly errors?: Readonly<Record<number, string>>;
  /** The schema of these errors, where it is not the common one. */
  readonly errorComponent?: string;
  /** For supervisors, which have no token. */
  readonly isOpen?: true;
}

export type ProcessOperation = Operation<ProcessContext, ProcessTraits>;

export const processTag = 'Process';

const defineOperation = operationDefiner<ProcessContext, ProcessTraits>();

const count = z.int().min(0);

export const statusRecord = z
  .looseObject({
    roles: z.strictObject({ receives: z.boolean(), works: z.boolean() }),
    started_at: z.iso.datetime(),
    host: z.string(),
    pid: z.int(),
    queue: z.looseObject({
      engine: z.string(),
      waiting: count.optional(),
      active: count.optional(),
      delayed: count.optional(),
      failed: count.optional(),
      state: z.literal('not answering').optional(),
    }),
    disk_log: z
      .looseObject({ waiting: count, batches: count, bytes: count, losses: count, is_full: z.boolean() })
      .optional(),
    store: z
      .union([
        z.strictObject({ state: z.literal('not answering') }),
        z.looseObject({
          engine: z.enum(['sqlite', 'postgres']),
          last_seq: count,
          last_received_at: instant.nullable(),
          quarantined: count,
          unhandled: count,
          unknown_kinds: z.array(z.string()),
          rows: z.record(z.string(), count),
          deleted: z.record(z.string(), count),
        }),
      ])
      .optional(),
    reconcile: z.looseObject({}).optional(),
    alerts: z
      .strictObject({ pending: count, sent: count, retracting: count, retracted: count, failed: count })
      .optional(),
    health: z.array(healthCheck).optional().meta({ description: 'Whether all is well, check by check' }),
    processes: z
      .array(processRecord)
      .optional()
      .meta({ description: 'Every process that reports to the database of this one, and this one' }),
  })
  .meta({ id: 'Status', description: 'The parts of this process' });

const common = { method: 'GET', tag: processTag } as const;

/** Answered without a token: they only say that the process runs and that its engines answer. */
export const openOperations: readonly ProcessOperation[] = [
  defineOperation({
    ...common,
    id: 'getHealth',
    path: '/healthz',
    summary: 'Whether the process runs.',
    isOpen: true,
    answers: 'object',
    schema: z.strictObject({ title: z.string(), message: z.string() }),
    run: () => ({ title: 'Alive', message: 'The process answers.' }),
  }),
  defineOperation({
    ...common,
    id: 'getReadiness',
    path: '/readyz',
    summary: 'Whether each of its engines answers, and whether it accepts work.',
    isOpen: true,
    errors: { 503: 'An engine does not answer and nothing replaces it, or the process is stopping.' },
    errorComponent: 'Readiness',
    answers: 'object',
    schema: z
      .strictObject({
        title: z.string(),
        status: z.enum(['ready', 'degraded', 'not_ready']),
        engines: z.record(z.string(), z.enum(['up', 'down'])),
      })
      .meta({ id: 'Readiness' }),
    async run({ health }) {
      const { status: ready, engines } = await health.readiness();
      const content = { title: readyTitles[ready], status: ready, engines };
      return Response.json(content, { status: ready === 'not_ready' ? 503 : 200 });
    },
  }),
];

const getStatus = defineOperation({
  ...common,
  id: 'getStatus',
  path: '/api/status',
  summary: 'Counts of received, queued and applied deliveries.',
  answers: 'object',
  schema: statusRecord,
  run: ({ status: read }) => read(),
});

export const processOperations: readonly ProcessOperation[] = [
  getStatus,
  defineOperation({
    ...common,
    id: 'getMetrics',
    path: '/metrics',
    summary: 'Counters and timings for Prometheus.',
    answers: 'text',
    contentType: 'text/plain',
    async run({ metrics }) {
      const { contentType, text } = await metrics.read();
      return new Response(text, { headers: { 'content-type': contentType } });
    },
  }),
  ...openOperations,
  defineOperation({
    ...common,
    id: 'getOpenApiDocument',
    path: '/openapi.json',
    summary: 'This description.',
    answers: 'object',
    schema: z.looseObject({ openapi: z.string() }),
    run: ({ openapi, request }) => openapi(request),
  }),
];
