// Declares a tool: an operation of the API that reads, what a model may ask of it, and how its answer is presented.
import { z } from 'zod';
import { ApiError, type AnswerOf, type Ask } from '#src/api/ask.ts';
import { idOf } from '#schemas/wire.ts';
import type { Operation, TypedOperation } from '#src/http/operation.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { Presentation, RenderOptions } from './marked.ts';

/** Parameters of the operation by name, each with its description; `true` for the operation's own. */
type OfferedInputs = Readonly<Record<string, string | true>>;

interface Definition<Answer> {
  readonly name: string;
  /** One sentence on what it answers, and when to use it. */
  readonly description: string;
  readonly inputs?: OfferedInputs;
  /** Only where people are revealed: a search for a part of a text would find out a hidden text, letter by letter. */
  readonly revealedInputs?: OfferedInputs;
  /** The argument with the URI whose last part is the `uuid` in the path of the operation. */
  readonly record?: { readonly name: string; readonly description: string } | undefined;
  /** Sent with every call. */
  readonly fixed?: RawQuery;
  /** The parameters that select a page; none for an answer that has no pages. */
  readonly pages?: { readonly size: string; readonly from: string } | undefined;
  /** The answer has `eventTypeName`s. */
  readonly namesEventTypes?: true;
  present(answer: Answer): Presentation;
}

export interface ToolCall {
  readonly ask: Ask;
  eventTypeNames(): Promise<readonly string[]>;
  readonly input: Readonly<Record<string, unknown>>;
  /** How many records at most. */
  readonly rows: number;
  /** Where the page begins. */
  readonly from: string | undefined;
}

export interface Tool extends Pick<Definition<never>, 'name' | 'description' | 'record' | 'pages'> {
  readonly operation: Operation;
  input(isRevealed: boolean): z.ZodObject;
  answer(call: ToolCall): Promise<ToolAnswer>;
}

export interface ToolAnswer extends Pick<RenderOptions, 'eventTypes'> {
  readonly data: Presentation;
  readonly next: string | undefined;
}

export const defaultRows = 10;
const mostRows = 50;
export const byToken = { size: 'count', from: 'page_token' } as const;

export function defineTool<
  Answers extends Operation['answers'],
  Schema extends z.ZodType,
  Fields extends z.ZodRawShape,
>(
  operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
  definition: Definition<AnswerOf<Answers, z.output<Schema>, Fields>>,
): Tool {
  const {
    name,
    description,
    inputs = {},
    revealedInputs = {},
    record,
    fixed = {},
    pages,
    namesEventTypes,
    present,
  } = definition;
  return {
    name,
    description,
    record,
    pages,
    operation,
    input: (isRevealed) =>
      z.strictObject({
        ...(record && { [record.name]: z.string().min(1).max(1024).describe(record.description) }),
        ...parametersOf(operation, { ...inputs, ...(isRevealed && revealedInputs) }),
        ...(pages && {
          limit: z.int().min(1).max(mostRows).default(defaultRows).describe('How many records at most.'),
          cursor: z.string().max(16_384).optional().describe('`next_cursor` of the previous answer: the next page.'),
        }),
      }),
    async answer({ ask, eventTypeNames, input, rows, from }) {
      const query = Object.entries(input).filter(
        ([key, value]) => value !== undefined && key !== record?.name && key !== 'limit' && key !== 'cursor',
      );
      const answer = await ask(operation, {
        ...(record && { params: { uuid: idOf(String(input[record.name])) } }),
        query: {
          ...Object.fromEntries(query.map(([key, value]) => [key, String(value)])),
          ...fixed,
          ...(pages && { [pages.size]: String(rows), ...(from !== undefined && { [pages.from]: from }) }),
        },
      });
      const names = namesEventTypes ? await eventTypeNames() : [];
      return { data: present(answer), next: nextOf(answer), eventTypes: new Set(names) };
    },
  };
}

function parametersOf({ id, query }: Operation, offered: OfferedInputs): z.ZodRawShape {
  const shape = query instanceof z.ZodObject ? query.shape : {};
  return Object.fromEntries(
    Object.entries(offered).map(([name, description]) => {
      const schema: unknown = shape[name];
      if (!(schema instanceof z.ZodType)) throw new TypeError(`${id} has no parameter ${name}.`);
      return [name, description === true ? schema : schema.describe(description)];
    }),
  );
}

const ends = z.looseObject({
  pagination: z.looseObject({ next_page_token: z.string().nullable() }).optional(),
  next_after: z.int().nullable().optional(),
});

function nextOf(answer: unknown): string | undefined {
  const { pagination, next_after: after } = ends.safeParse(answer).data ?? {};
  return pagination?.next_page_token ?? (after === null || after === undefined ? undefined : String(after));
}

export const refusal = (status: number, message: string): ApiError =>
  new ApiError(status, { title: 'Error', message, details: [] });
