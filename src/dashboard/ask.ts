// Runs an operation of the API in this process, through the same checks as a request from outside.
import { z } from 'zod';
import type { Visitor } from '#src/api/app.ts';
import { listDeliveries } from '#src/api/deliveries/deliveries.ts';
import { answerSchema, type Operation, type TypedOperation } from '#src/http/operation.ts';
import { ApiError, type AnswerOf, type Ask, type Asked, type PageCall } from './page.ts';

type AnyOperation = Operation;

const refusal = z.looseObject({
  title: z.string().default('Error'),
  message: z.string().default('The request failed.'),
  details: z.array(z.looseObject({ message: z.string(), parameter: z.string().optional() })).default([]),
});

export function createAsk(api: Visitor['api'], { origin }: Pick<URL, 'origin'>): Ask {
  function ask<Answers extends Operation['answers'], Schema extends z.ZodType, Fields extends z.ZodRawShape>(
    operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
    asked?: Asked,
  ): Promise<AnswerOf<Answers, z.output<Schema>, Fields>>;
  async function ask(operation: AnyOperation, asked: Asked = {}): Promise<unknown> {
    const response = await api(requestFor(operation, asked, origin));
    const answer: unknown = response.status === 204 ? undefined : await response.json();
    if (!response.ok) {
      const { details, ...error } = refusal.parse(answer);
      const lines = details.map(({ message, parameter }) =>
        parameter && response.status !== 404 ? `${parameter}: ${message}` : message,
      );
      throw new ApiError(response.status, { ...error, details: lines });
    }
    return answerSchema(operation)?.parse(answer) ?? answer;
  }
  return ask;
}

/**
 * The newest entry of the log, for `liveAfter` of a page whose operation does not answer it: ask for it before anything else, so that nothing which is written meanwhile is missed. None
 * for a later page of a list, which does not change.
 */
export async function newestEntry({ ask, query }: Pick<PageCall, 'ask' | 'query'>): Promise<number | undefined> {
  if (query['page_token'] !== undefined) return undefined;
  return (await ask(listDeliveries, { query: { count: '1' } })).last_seq;
}

function requestFor({ method, path }: AnyOperation, { params = {}, query = {}, body }: Asked, origin: string) {
  const url = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    origin,
  );
  url.search = new URLSearchParams(query).toString();
  if (body === undefined) return new Request(url, { method });
  return new Request(url, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}
