import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { allEventKinds } from '#schemas/events.ts';
import { readWebhook, signWebhook, Webhooks } from '#src/library/webhooks.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { forgedDeliveries, genuineDelivery } from '../../harness/forged-deliveries.ts';
import { openServer } from '../../harness/ports.ts';

const header = 'Calendly-Webhook-Signature';
const key = 'a signing key of thirty-two bytes';
const keys = ['the next key of thirty-two bytes!', key];
const now = new Date(1_760_000_000_000);
const seconds = now.getTime() / 1000;

const sample = createSampler(1);
const sampled = allEventKinds.map((kind) => JSON.stringify(sample(kind, { index: 0, now })));

const signed = (body: string | Uint8Array<ArrayBuffer>, more: RequestInit = {}): Request => {
  const { headers, ...init } = more;
  const all = { ...signWebhook({ body, key }), ...Object.fromEntries(new Headers(headers)) };
  return new Request('http://localhost/hook', { method: 'POST', body, headers: all, ...init });
};

describe('readWebhook', () => {
  it('reads every kind as the mirror does, from text, bytes and buffers', () => {
    for (const body of sampled) {
      const read = readDelivery(body);
      const bytes = new TextEncoder().encode(body);
      for (const form of [body, bytes, bytes.buffer]) {
        const headers = signWebhook({ body: form, key, timestamp: seconds });
        const result = readWebhook({ body: form, headers, keys, now });
        expect(result).toMatchObject({
          ok: true,
          known: true,
          id: read.deliveryId,
          event: read.event,
          name: read.event,
        });
        if (read.state === 'known' && result.known) expect(result.payload).toEqual(read.payload);
      }
    }
  });

  it('refuses every forged delivery for the same reason, from each kind of headers', () => {
    for (const { name, body, values, refusal } of forgedDeliveries(key, seconds)) {
      const web = new Headers(values.map((value) => [header, value]));
      const node = { host: 'a', [header.toLowerCase()]: values.length > 0 ? values.join(', ') : undefined };
      for (const headers of [web, node, { [header]: values }])
        expect([name, readWebhook({ body, headers, keys, now })]).toMatchObject([name, { ok: false, refusal }]);
    }
    const { body, value } = genuineDelivery(key, seconds);
    expect(readWebhook({ body, headers: { [header]: value }, keys, now })).toMatchObject({ ok: true });
  });

  it('returns what it does not know or cannot read as unknown', () => {
    const cases = [
      ['{"event":"invoice.paid","payload":{}}', { name: 'invoice.paid', problem: null }],
      ['{"event":"constructor"}', { name: 'constructor', problem: null }],
      ['not JSON', { name: null, problem: 'not JSON' }],
      [genuineDelivery(key, 1).body, { name: 'invitee.created', problem: 'payload.uri: expected string' }],
    ] as const;
    for (const [body, expected] of cases)
      expect(readWebhook({ body, headers: signWebhook({ body, key }), keys })).toEqual({
        ok: true,
        known: false,
        event: null,
        id: readDelivery(body).deliveryId,
        ...expected,
      });
  });

  it('follows the options: scheme, header and tolerance', () => {
    const body = sampled[0] ?? '';
    for (const options of [{ scheme: 'standard-webhooks' }, { header: 'X-Signature' }] as const) {
      const headers = signWebhook({ body, key, timestamp: 1, ...options });
      expect(readWebhook({ body, headers, keys, toleranceSeconds: 0, ...options })).toMatchObject({ ok: true });
      expect(readWebhook({ body, headers, keys, ...options })).toMatchObject({ refusal: 'stale_signed' });
      expect(readWebhook({ body, headers, keys })).toMatchObject({ refusal: 'missing' });
    }
  });

  it('is never open: a missing or blank key, and a parsed body, are mistakes of the program', () => {
    const body = '{}';
    for (const wrong of [[], [''], [' '], [undefined], undefined, key] as unknown as string[][]) {
      expect(() => readWebhook({ body, headers: {}, keys: wrong })).toThrow('is the variable set?');
      expect(() => new Webhooks({ keys: wrong })).toThrow('is the variable set?');
    }
    expect(() => readWebhook({ body: {} as unknown as string, headers: {}, keys })).toThrow('bytes that arrived');
  });

  it('takes no number and no time that would turn a check off: each is a mistake of the program (N2)', () => {
    const body = sampled[0] ?? '';
    const old = { body, headers: signWebhook({ body, key, timestamp: 1000 }), keys };
    const noTimes = [NaN, -1, Infinity, null, '300', 'abc', {}, Number(process.env['NOT_SET'])] as number[];
    for (const toleranceSeconds of noTimes) {
      expect(() => readWebhook({ ...old, toleranceSeconds })).toThrow(TypeError);
      expect(() => readWebhook({ ...old, toleranceSeconds })).toThrow('toleranceSeconds must be a number');
      expect(() => new Webhooks({ keys, toleranceSeconds })).toThrow('toleranceSeconds must be a number');
    }
    for (const maxBodyBytes of [...noTimes, 0])
      expect(() => new Webhooks({ keys, maxBodyBytes })).toThrow('maxBodyBytes must be a number');
    for (const wrong of [new Date(NaN), null, 1_000_000, '1970-01-01'] as Date[])
      expect(() => readWebhook({ ...old, now: wrong })).toThrow('now must be a valid date');
    const unset = { toleranceSeconds: undefined, maxBodyBytes: undefined } as unknown as { toleranceSeconds: number };
    expect(readWebhook({ ...old, ...unset })).toMatchObject({ ok: false, refusal: 'stale_signed' });
    expect(() => new Webhooks({ keys, ...unset })).not.toThrow();
  });

  it('refuses the keys that the mirror refuses, and never says one (N2)', () => {
    const weak = [
      'a',
      'fifteen bytes..',
      'whsec_AA==',
      'whsec_????????????????????????',
      'CHANGE-ME-CHANGE-ME-CHANGE-ME',
    ];
    for (const wrong of weak)
      for (const use of [
        () => readWebhook({ body: '{}', headers: {}, keys: [key, wrong] }),
        () => new Webhooks({ keys: [wrong] }),
        () => signWebhook({ body: '{}', key: wrong }),
      ]) {
        expect(use).toThrow(TypeError);
        expect(use).toThrow(/^a signing key (is|begins|has)/);
        expect(use).not.toThrow(wrong.length > 1 ? wrong : 'never');
      }
  });
});

describe('Webhooks', () => {
  const [created = '', canceled = '', other = ''] = ['invitee.created', 'invitee.canceled', 'contact.created'].map(
    (kind) => sampled[allEventKinds.findIndex((each) => each === kind)],
  );

  it('calls the handlers of a kind in order, with its payload', async () => {
    const calls: string[] = [];
    const webhooks = new Webhooks({ keys })
      .on(['invitee.created', 'invitee.canceled'], ({ event, payload }) => calls.push(`1 ${event} ${payload.uri}`))
      .on('invitee.canceled', async ({ payload }) => calls.push(`2 ${payload.cancellation?.canceler_type}`));
    for (const body of [created, canceled, other]) expect((await webhooks.fetch(signed(body))).status).toBe(200);
    expect(calls).toEqual([
      expect.stringMatching(/^1 invitee\.created https:/),
      expect.stringMatching(/^1 invitee\.canceled https:/),
      expect.stringMatching(/^2 (host|invitee)$/),
    ]);
  });

  it('answers each mistake by its status, before a handler runs', async () => {
    let calls = 0;
    const webhooks = new Webhooks({ keys, maxBodyBytes: 5000 }).on(allEventKinds, () => (calls += 1));
    const large = 'a'.repeat(5001);
    const answers = [
      [new Request('http://localhost/hook'), 405],
      [signed(created, { headers: { 'content-encoding': 'gzip' } }), 415],
      [signed(large), 413],
      [signed(created, { headers: { 'content-length': '5001' } }), 413],
      [signed(created, { headers: { [header]: 't=1,v1=00' } }), 401],
      [new Request('http://localhost/hook', { method: 'POST' }), 401],
      [signed('not JSON'), 200],
    ] as const;
    for (const [request, status] of answers) expect((await webhooks.fetch(request)).status).toBe(status);
    expect(calls).toBe(0);
    const used = signed(created);
    await used.text();
    await expect(webhooks.fetch(used)).rejects.toThrow('read before');
  });

  it('answers 500 when a handler fails, so that the delivery is sent again, and reports the error', async () => {
    const errors: unknown[] = [];
    const webhooks = new Webhooks({ keys, onError: (...all) => errors.push(all) }).on('invitee.created', () => {
      throw new Error('the database is down');
    });
    expect((await webhooks.fetch(signed(created))).status).toBe(500);
    expect(errors).toEqual([
      [new Error('the database is down'), expect.objectContaining({ event: 'invitee.created' })],
    ]);
  });

  it("reads Node's requests, also with a raw body, and refuses every forged one", async () => {
    const events: string[] = [];
    const webhooks = new Webhooks({ keys }).on('invitee.created', ({ event }) => events.push(event));
    await using server = await openServer((request, response) => {
      const answering = webhooks.node(request, response);
      answering.catch((error: Error) => response.writeHead(418).end(error.message));
    });
    const { port } = server;
    const send = async (body: string, values: readonly string[]): Promise<number | undefined> => {
      const request = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '/', agent: false });
      if (values.length > 0) request.setHeader(header, values);
      request.end(body);
      const [response] = await once(request, 'response');
      response.resume();
      return response.statusCode;
    };
    const at = Math.floor(Date.now() / 1000);
    const valid = signWebhook({ body: created, key, timestamp: at })[header] ?? '';
    expect(await send(created, [valid])).toBe(200);
    for (const { name, body, values } of forgedDeliveries(key, at))
      expect([name, await send(body, values.filter(Boolean))]).toEqual([name, 401]);
    expect(events).toEqual(['invitee.created']);

    const statuses: number[] = [];
    const response = { writeHead: (status: number) => statuses.push(status), end: () => {} };
    const parsed = { method: 'POST', rawHeaders: [header, valid], readableDidRead: true, ...emptyBody };
    await webhooks.node({ ...parsed, body: Buffer.from(created) }, response);
    await expect(webhooks.node({ ...parsed, body: { event: 'x' } }, response)).rejects.toThrow('mount webhooks before');
    expect([statuses, events.length]).toEqual([[200], 2]);
  });
});

const emptyBody = { async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {} };
