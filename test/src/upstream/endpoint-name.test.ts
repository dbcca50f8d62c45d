import { expect, it } from 'vitest';
import { endpointOf } from '#src/upstream/endpoint-name.ts';

it.each([
  ['GET', '/users/me', 'GET /users/me'],
  ['GET', '/scheduled_events/5f1c/invitees', 'GET /scheduled_events/:id/invitees'],
  ['DELETE', '/webhook_subscriptions/AAA/', 'DELETE /webhook_subscriptions/:id'],
  ['GET', '/a/b/c/d/e/f/g', 'GET /:id/:id/:id/:id/:id'],
])('%s %s is counted as %s', (method, path, name) => {
  expect(endpointOf(method, path)).toBe(name);
});
