// The examples in TypeScript, as a reader would use them. test/installation.process.test.ts compiles them against the package.
import { describe, expect, it, vi } from 'vitest';
import type { EventKind } from '#schemas/events.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { signWebhook } from 'slotstream/webhooks';
import { createApp, invited, missed } from '../../../docs/examples/typescript/hono-app.ts';
import { POST, reasons } from '../../../docs/examples/typescript/next-route.ts';

const key = 'the signing key of the examples';
const sample = createSampler(1);

function delivery(kind: EventKind): { readonly uri: string; readonly request: Request } {
  const { payload, ...envelope } = sample(kind, { index: 0, now: new Date() });
  const body = JSON.stringify({ ...envelope, payload });
  const headers = signWebhook({ body, key });
  return {
    uri: (payload as { uri: string }).uri,
    request: new Request('http://localhost/hook', { method: 'POST', body, headers }),
  };
}

describe('the examples in TypeScript', () => {
  it('receive webhooks in a Hono app', async () => {
    const app = createApp(key);
    const send = async (kind: EventKind): Promise<string> => {
      const { uri, request } = delivery(kind);
      expect((await app.fetch(request)).status).toBe(200);
      return uri;
    };
    expect(invited.has(await send('invitee.created'))).toBe(true);
    expect(missed.has(await send('invitee_no_show.created'))).toBe(true);
    await send('invitee.canceled');
    expect((await app.request('/hook', { method: 'POST', body: '{}' })).status).toBe(401);
  });

  it('receive webhooks in a Next route', async () => {
    vi.stubEnv('SIGNING_KEY', key);
    const { uri, request } = delivery('invitee.canceled');
    expect((await POST(request)).status).toBe(200);
    expect(reasons.has(uri)).toBe(true);
    expect((await POST(new Request('http://localhost/', { method: 'POST', body: '{}' }))).status).toBe(401);
    vi.unstubAllEnvs();
  });
});
