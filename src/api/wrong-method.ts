// What a path that is there answers to a method it does not take.
import type { Context } from 'hono';
import { titledError } from '#src/http/http-error.ts';

export function wrongMethod(context: Context, methods: readonly string[]): Response {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  const { body } = titledError(405, `This path takes ${allowed}.`);
  return context.json(body, 405, { allow: allowed });
}
