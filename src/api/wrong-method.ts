// What a path that is there answers to a method it does not take.
import type { Context } from 'hono';
import { ownRefusal } from '#src/http/error-titles.ts';

export function wrongMethod(context: Context, methods: readonly string[]): Response {
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ');
  const { body } = ownRefusal(405, `This path takes ${allowed}.`);
  return context.json(body, 405, { allow: allowed });
}
