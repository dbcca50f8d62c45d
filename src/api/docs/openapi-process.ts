// What the process says about itself, described by hand: these few are there without a store, and before anything is loaded.
import { z } from 'zod';
import { instant } from '#schemas/resources/values.ts';
import type { OperationDocs } from '#src/http/openapi/document.ts';
import type { SchemaBook } from '#src/http/openapi/json-schema.ts';

export const processTag = 'Process';

const count = z.int().min(0);

const statusAnswer = z
  .looseObject({
    roles: z.strictObject({ receives: z.boolean(), works: z.boolean() }),
    started_at: z.iso.datetime(),
    pid: z.int(),
    queue: z.looseObject({
      engine: z.string(),
      waiting: count.optional(),
      active: count.optional(),
      delayed: count.optional(),
      failed: count.optional(),
      state: z.literal('not answering').optional(),
    }),
    spool: z.looseObject({ deliveries: count, bytes: count }).optional(),
    store: z
      .looseObject({
        engine: z.enum(['sqlite', 'postgres']),
        last_seq: count,
        last_received_at: instant.nullable(),
        quarantined: count,
        unhandled: count,
        rows: z.record(z.string(), count),
      })
      .optional(),
    reconcile: z.looseObject({}).optional(),
    alerts: z.strictObject({ pending: count, sent: count, retracted: count, failed: count }).optional(),
  })
  .meta({ description: 'The parts this process has' });

const healthAnswer = z.strictObject({ title: z.string(), message: z.string() });
const readyAnswer = z.strictObject({ title: z.string(), engines: z.record(z.string(), z.enum(['up', 'down'])) });

interface ProcessDocs {
  readonly method: 'GET';
  readonly path: string;
  readonly docs: OperationDocs;
}

interface Told {
  readonly id: string;
  readonly summary: string;
  /** For supervisors, who hold no token. */
  readonly open?: true;
  readonly answers: OperationDocs['responses'];
}

export function processDocs(book: SchemaBook): readonly ProcessDocs[] {
  book.name('Status', statusAnswer);
  const json = (description: string, schema: z.ZodType) => ({
    description,
    content: { 'application/json': { schema: book.output(schema) } },
  });
  const text = (description: string, type: string) => ({
    description,
    content: { [type]: { schema: { type: 'string' } } },
  });
  const told: Readonly<Record<string, Told>> = {
    '/api/status': {
      id: 'getStatus',
      summary: 'What is received, queued and projected.',
      answers: { 200: json('How this process stands.', statusAnswer) },
    },
    '/metrics': {
      id: 'getMetrics',
      summary: 'Counters and timings for Prometheus.',
      answers: { 200: text('The text form of Prometheus.', 'text/plain') },
    },
    '/healthz': {
      id: 'getHealth',
      summary: 'Whether the process lives.',
      open: true,
      answers: { 200: json('It does.', healthAnswer) },
    },
    '/readyz': {
      id: 'getReadiness',
      summary: 'Whether its engines answer, each by name.',
      open: true,
      answers: {
        200: json('All of them do.', readyAnswer),
        503: json('Not all of them do, or the process is about to end.', readyAnswer),
      },
    },
    '/openapi.json': {
      id: 'getOpenApiDocument',
      summary: 'This description, for programs.',
      answers: { 200: json('An OpenAPI 3.1 document.', z.looseObject({ openapi: z.string() })) },
    },
    '/docs': {
      id: 'getDocumentation',
      summary: 'This description, for people.',
      answers: { 200: text('A page that needs nothing from elsewhere.', 'text/html') },
    },
  };
  return Object.entries(told).map(([path, { id, summary, open, answers }]) => ({
    method: 'GET',
    path,
    docs: {
      operationId: id,
      summary,
      tags: [processTag],
      security: open ? [] : [{ token: [] }, { session: [] }],
      responses: { ...answers, ...(!open && { 401: { $ref: '#/components/responses/Unauthenticated' } }) },
    },
  }));
}
