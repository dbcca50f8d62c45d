// Receives webhooks in a Hono app.
import { Hono } from 'hono';
import { Webhooks } from 'slotstream/webhooks';

/** Your own code instead: who is invited, and who did not come. */
export const invited = new Map<string, string>();
export const missed = new Set<string>();

export function createApp(signingKey: string): Hono {
  const webhooks = new Webhooks({ keys: [signingKey] })
    .on('invitee.created', ({ payload }) => void invited.set(payload.uri, payload.email ?? ''))
    .on('invitee.canceled', ({ payload }) => void invited.delete(payload.uri))
    .on(['invitee_no_show.created', 'invitee_no_show.deleted'], ({ event, payload }) => {
      if (event === 'invitee_no_show.created') missed.add(payload.uri);
      else missed.delete(payload.uri);
    });
  return new Hono().post('/hook', (context) => webhooks.fetch(context.req.raw));
}
