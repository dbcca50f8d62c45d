// What a tool is: its name, what a model may say to it, and how it answers.
import { z } from 'zod';
import type { ReadApi } from '#src/api/app.ts';
import { ApiError, type Ask } from '#src/api/ask.ts';
import type { Presentation } from './marked.ts';

export interface ToolCall {
  /** Asks an operation of the API, in the name of the caller. */
  readonly ask: Ask;
  readonly context: ReadApi['context'];
  readonly isRevealed: boolean;
  /** How many records a page has at most. */
  readonly rows: number;
  /** As the model said. */
  readonly limit: number | undefined;
  /** Where the page begins. */
  readonly from: string | undefined;
}

export interface ToolAnswer {
  readonly data: Presentation;
  readonly next?: string | undefined;
  /** It has no pages: with fewer records it would be wrong. */
  readonly isWhole?: true;
}

export interface Tool {
  readonly name: string;
  /** What it answers, and when to use it. */
  readonly description: string;
  readonly input: z.ZodObject;
  /** How many records are an answer, unless the model says otherwise; absent where an answer has no pages. */
  readonly rows?: number;
  answer(call: ToolCall, input: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

export const defineTool = <Shape extends z.ZodRawShape>(definition: {
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly pages?: { readonly rows: number; readonly most: number; readonly limit: string };
  answer(call: ToolCall, input: z.output<z.ZodObject<Shape>>): Promise<ToolAnswer>;
}): Tool => {
  const { name, description, input: shape, pages, answer } = definition;
  const own = z.object(shape);
  return {
    name,
    description,
    ...(pages && { rows: pages.rows }),
    input: z.strictObject({
      ...shape,
      ...(pages && {
        limit: z.int().min(1).max(pages.most).optional().describe(pages.limit),
        cursor: z.string().max(16_384).optional().describe('`next_cursor` of the previous answer: the next page.'),
      }),
    }),
    answer: (call, input) => answer(call, own.parse(input)),
  };
};

export const refusal = (status: number, message: string): ApiError =>
  new ApiError(status, { title: 'Error', message, details: [] });
