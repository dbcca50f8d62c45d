// Runs an operation of the API in this process, through the same checks as a request from outside.
import { z } from 'zod';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { answerSchema, type Operation, type TypedOperation } from '#src/http/operation.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { Visitor } from './app.ts';

type AnyOperation = Operation;

/** What an operation answers, as its schema says. */
export type AnswerOf<Answers, Record, Fields extends z.ZodRawShape> = Answers extends 'collection'
  ? { readonly collection: readonly Record[]; readonly pagination: PaginationEnvelope } & FieldsOf<Fields>
  : Answers extends 'resource'
    ? { readonly resource: Record }
    : Answers extends 'object'
      ? Record
      : undefined;

/** The fields besides the records; most operations have none. */
type FieldsOf<Fields extends z.ZodRawShape> = [Fields] extends [never] ? unknown : z.output<z.ZodObject<Fields>>;

export interface OperationInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: RawQuery;
  readonly body?: unknown;
}

/** Runs an operation in this process, as the caller who asks. An error of the API becomes an `ApiError`. */
export type Ask = <Answers extends Operation['answers'], Schema extends z.ZodType, Fields extends z.ZodRawShape>(
  operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
  input?: OperationInput,
) => Promise<AnswerOf<Answers, z.output<Schema>, Fields>>;

/** The API refused what was asked. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly title: string;
  /** Each wrong parameter with what is wrong about it. */
  readonly details: readonly string[];

  constructor(
    status: number,
    { title, message, details }: { title: string; message: string; details: readonly string[] },
  ) {
    super(message);
    this.status = status;
    this.title = title;
    this.details = details;
  }
}

const refusal = z.looseObject({
  title: z.string().default('Error'),
  message: z.string().default('The request failed.'),
  details: z.array(z.looseObject({ message: z.string(), parameter: z.string().optional() })).default([]),
});

/** Of an error as the API answers it. */
export function apiErrorOf(status: number, body: unknown): ApiError {
  const { details, ...error } = refusal.parse(body);
  const lines = details.map(({ message, parameter }) =>
    parameter && status !== 404 ? `${parameter}: ${message}` : message,
  );
  return new ApiError(status, { ...error, details: lines });
}

export function createAsk(api: Visitor['api'], { origin }: Pick<URL, 'origin'>): Ask {
  function ask<Answers extends Operation['answers'], Schema extends z.ZodType, Fields extends z.ZodRawShape>(
    operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
    input?: OperationInput,
  ): Promise<AnswerOf<Answers, z.output<Schema>, Fields>>;
  async function ask(operation: AnyOperation, input: OperationInput = {}): Promise<unknown> {
    const response = await api(requestFor(operation, input, origin));
    const answer: unknown = response.status === 204 ? undefined : await response.json();
    if (!response.ok) throw apiErrorOf(response.status, answer);
    return answerSchema(operation)?.parse(answer) ?? answer;
  }
  return ask;
}

function requestFor({ method, path }: AnyOperation, { params = {}, query = {}, body }: OperationInput, origin: string) {
  const url = new URL(
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
    origin,
  );
  url.search = new URLSearchParams(query).toString();
  if (body === undefined) return new Request(url, { method });
  return new Request(url, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
}
