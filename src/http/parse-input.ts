// Reading what a caller sent against a schema: what is wrong with it becomes a 400 that says what would have been right.
import type { z } from 'zod';
import { invalid } from './http-error.ts';
import type { Detail } from './http-error.ts';

export function readAs<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: ({ input }) => (input === undefined ? 'required' : undefined) });
  if (!result.success) throw invalid(...detailsOf(result.error));
  return result.data;
}

const mostDetails = 20;

/** Each with the parameter it is about. Never the value that was sent. */
function detailsOf(error: z.ZodError): readonly Detail[] {
  return error.issues.slice(0, mostDetails).map(({ message, path, code }) => {
    const parameter = path.map(String).join('.');
    return parameter === '' ? { message, code } : { message, parameter, code };
  });
}
