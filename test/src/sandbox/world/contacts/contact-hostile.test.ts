// Whatever is sent to the contacts' operations is taken or refused as the specification says; a refusal changes nothing.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSandbox } from '../../../../harness/sandbox.ts';
import type { Answer, TestSandbox } from '../../../../harness/sandbox.ts';
import { propertyTimeoutMs, runs } from '../../../../harness/runs.ts';

let sandbox: TestSandbox;
beforeAll(async () => void (sandbox = await openTestSandbox({ contacts: 4, bookings: 0, rateLimits: false })));
afterAll(() => sandbox[Symbol.asyncDispose]());

const text = fc.string({ unit: 'binary', maxLength: 12 });
const names =
  'name timezone job_title company country state city linkedin emails phone_numbers custom_fields __proto__ constructor uri'.split(
    ' ',
  );
/** Anything, and things that are nearly right. */
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('JP', 'Europe/Berlin', 'https://network.example.test/in/x', null),
  fc.array(fc.record({ email: fc.oneof(fc.emailAddress(), text), is_primary: fc.boolean() }), { maxLength: 12 }),
  fc.array(fc.record({ phone_number: text }), { maxLength: 12 }),
  fc
    .array(fc.record({ field: fc.nat({ max: 9 }), value: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.array(text)) }))
    .map(
      (writes) =>
        writes.map(({ field, value }) => ({ uuid: { number: field }, value })) as unknown as readonly object[],
    ),
);
const bodies = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** Where a write names a field by its number, the URI of the sandbox's own takes its place. */
function naming(body: unknown): string {
  const definitions = [...sandbox.service.state.definitions.of('organization', sandbox.handles.organization)];
  return JSON.stringify(body, (_, value: unknown) => {
    const number = (value as { number?: unknown } | null)?.number;
    return typeof number === 'number' ? (definitions[number]?.uri ?? 'none') : value;
  });
}

const contacts = async (): Promise<unknown> => (await sandbox.control('GET', '/state')).body.contacts;

async function holdsFor(send: () => Promise<Answer>, taken: number): Promise<void> {
  const before = await contacts();
  const { status, body } = await send();
  expect([taken, 400]).toContain(status);
  if (status === taken) return;
  expect(body.details.length).toBeGreaterThan(0);
  expect(await contacts()).toEqual(before);
}

describe('odd requests about contacts', () => {
  it('are created or refused', { timeout: propertyTimeoutMs }, async () => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.boolean(), async (body, addressed) => {
        const emails = [{ email: `${sandbox.service.random.uuid()}@example.test`, is_primary: true }];
        const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
        const sent = addressed && isObject ? { ...body, emails } : body;
        await holdsFor(() => sandbox.call('POST', '/contacts', { body: naming(sent) }), 201);
      }),
      runs(60),
    );
  });

  it('change a contact or are refused', { timeout: propertyTimeoutMs }, async () => {
    const [{ uri }] = (await sandbox.call('GET', '/contacts')).body.collection;
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        await holdsFor(() => sandbox.call('PATCH', uri, { body: naming(body) }), 200);
      }),
      runs(60),
    );
  });

  it('list contacts or are refused', { timeout: propertyTimeoutMs }, async () => {
    const keys = [
      'name',
      'email',
      'phone_number',
      'country',
      'city',
      'sort',
      'count',
      'page_token',
      'exclude',
      'other',
    ];
    const near = fc.constantFrom('created_at:asc', 'updated_at:desc,', ',', 'custom_fields', '0', '100', '1e2', 'a,b');
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...keys), fc.oneof(text, near), { maxKeys: 4 }), async (query) => {
        await holdsFor(() => sandbox.call('GET', '/contacts', { query }), 200);
      }),
      runs(80),
    );
  });

  it('about a contact of an odd name find none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 40 }), async (name) => {
        const path = `/contacts/${encodeURIComponent(name)}`;
        fc.pre(!/^\.{1,2}$/.test(name) && name !== 'custom_field_definitions');
        expect(await sandbox.call('GET', path)).toMatchObject({ status: 404 });
        expect(await sandbox.call('DELETE', path)).toMatchObject({ status: 404 });
      }),
      runs(50),
    );
  });
});
