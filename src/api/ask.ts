// Runs an operation of the API in this process, through the same checks as a request from outside.
import type { z } from 'zod';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import { HttpError } from '#src/http/http-error.ts';
import type { Operation, TypedOperation } from '#src/http/operation.ts';
import type { RawQuery } from '#src/http/request.ts';

/** What an operation answers, as its schema says. Tests hold every answer against it; a page does not check it again. */
export type AnswerOf<Answers, Record, Fields extends z.ZodRawShape> = Answers extends 'collection'
  ? { readonly collection: readonly Record[]; readonly pagination: PaginationEnvelope } & FieldsOf<Fields>
  : Answers extends 'resource'
    ? { readonly resource: Record }
    : Answers extends 'object'
      ? Record
      : undefined;

/** The fields besides the records; most operations have none. */
type FieldsOf<Fields extends z.ZodRawShape> = [Fields] extends [never] ? unknown : z.output<z.ZodObject<Fields>>;

export interface OperationArguments {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: RawQuery;
  /** Instead of `query`, of an operation that takes a name twice. */
  readonly search?: URLSearchParams;
  readonly body?: unknown;
}

/** Runs an operation in this process, as the caller who asks. An error of the API becomes an `ApiError`. */
export type Ask = <Answers extends Operation['answers'], Schema extends z.ZodType, Fields extends z.ZodRawShape>(
  operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
  input?: OperationArguments,
) => Promise<AnswerOf<Answers, z.output<Schema>, Fields>>;

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

export function apiErrorOf({ status, body: { title, message, details } }: HttpError): ApiError {
  const lines = (details ?? []).map((each) =>
    each.parameter && status !== 404 ? `${each.parameter}: ${each.message}` : each.message,
  );
  return new ApiError(status, { title, message, details: lines });
}

export function createAsk(run: (id: string, input: OperationArguments) => Promise<unknown>): Ask {
  function ask<Answers extends Operation['answers'], Schema extends z.ZodType, Fields extends z.ZodRawShape>(
    operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
    input?: OperationArguments,
  ): Promise<AnswerOf<Answers, z.output<Schema>, Fields>>;
  async function ask(operation: Operation, input: OperationArguments = {}): Promise<unknown> {
    try {
      return await run(operation.id, input);
    } catch (error) {
      throw error instanceof HttpError ? apiErrorOf(error) : error;
    }
  }
  return ask;
}
