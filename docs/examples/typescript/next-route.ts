// app/api/hook/route.ts of a Next app: verifies a delivery and reads it.
import { readWebhook } from 'slotstream/webhooks';

export async function POST(request: Request): Promise<Response> {
  const read = readWebhook({
    body: await request.arrayBuffer(),
    headers: request.headers,
    keys: [process.env['SIGNING_KEY'] ?? ''],
  });
  if (!read.ok) return new Response(null, { status: 401 });
  if (read.event === 'invitee.canceled') await cancel(read.payload.uri, read.payload.cancellation?.reason ?? null);
  // An unknown kind, too: sending it again would not help.
  return new Response(null, { status: 200 });
}

/** Your own code instead. */
export const reasons = new Map<string, string | null>();

async function cancel(booking: string, reason: string | null): Promise<void> {
  reasons.set(booking, reason);
}
