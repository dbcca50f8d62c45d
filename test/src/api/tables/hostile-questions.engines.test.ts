// Hostile columns, operators, values, page tokens and encodings: an answer or a refusal that does not repeat a value, never a fault.
import { expect, it } from 'vitest';
import { errorBody } from '#schemas/errors.ts';
import { oddIdentifiers } from '../../../harness/data/hostile.ts';
import { fillReadWorld } from '../../../harness/data/read-world.ts';
import { bearer } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { availableEngines } from '../../../harness/stores.ts';

const canary = 'canary of a caller';
const encoded = encodeURIComponent;
const odd = [
  canary,
  '',
  ' ',
  '\0',
  'a\0b',
  '\u001b[31m',
  '\u0085',
  '\uFFFF',
  '👩‍👩‍👧',
  "' or 1=1 --",
  "'; drop table contacts; --",
  '"',
  '""',
  '\\',
  '%',
  '%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%a',
  '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b',
  '[',
  '[^',
  '(',
  ')',
  '()',
  '((((((((((',
  '(a,b',
  '("a,b)',
  '("a\\")',
  ',',
  '.',
  '..',
  'null',
  'NaN',
  'Infinity',
  '-Infinity',
  '1e308',
  '1e309',
  '1e-400',
  '-1',
  '0x10',
  '1_000',
  '９',
  '9223372036854775808',
  '999999999999999',
  '99999999999999999999999999999999',
  '2026-02-30',
  '0000-01-01',
  '9999-12-31T23:59:59.999999Z',
  '10000-01-01',
  '+275760-09-13T00:00:00Z',
  '2026-11-01T00:00:00+25:00',
  '2026-11-01T24:00:00Z',
  'true',
  'TRUE',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'x'.repeat(5_000),
  '%'.repeat(2_000),
  '_'.repeat(2_000),
];
const columns = ['uri', 'duration', 'position', 'active', 'created_at', 'profile', 'kind', 'deleted_source'];
const operators = ['eq', 'in', 'is', 'like', 'ilike', 'not.lt'];

const tables = [
  '__proto__',
  'constructor',
  'key_values',
  'sync_checkpoints',
  'sqlite_master',
  'pg_catalog.pg_authid',
  'contacts%00',
  'contacts%20',
  'CONTACTS',
  'contacts;',
  '%22contacts%22',
  'information_schema.tables',
  '..',
  '%2e%2e%2fcontacts',
  'contacts%2f..',
  '%ff',
  '%',
  '%zz',
  'x'.repeat(3_000),
  'dbstat',
  'temp.contacts',
  'contacts%27',
];
const questions = [
  ...columns.flatMap((column) => odd.map((value) => `${column}=eq.${encoded(value)}`)),
  ...operators.flatMap((operator) => odd.map((value) => `name=${operator}.${encoded(value)}`)),
  ...operators.flatMap((operator) => odd.map((value) => `name=${operator}.(${encoded(value)})`)),
  ...odd.flatMap((value) =>
    ['select', 'order', 'limit', 'or', 'and', 'not.or', 'page_token', 'raw', 'name'].map(
      (name) => `${name}=${encoded(value)}`,
    ),
  ),
  ...odd.map((value) => `${encoded(value)}=eq.1`),
  ...odd.map((value) => `or=(${encoded(value)},name.eq.a)`),
  ...odd.map((value) => `select=${encoded(value)},count()`),
  ...odd.map((value) => `select=sum(${encoded(value)})`),
  ...odd.map((value) => `order=${encoded(value)}.desc`),
  'name=%ff',
  'name=eq.%ED%A0%80',
  '%E0%80%80=eq.1',
  'name=eq.%',
  'name=eq.%zz',
  'limit=0',
  'limit=1001',
  'limit=-1',
  'limit=1e3',
  'limit=10&limit=10',
  'select=*,uri',
  'select=uri,uri',
  'select=count(),count()',
  'select=count(uri)',
  'select=sum(name)',
  'select=min(active)',
  'select=max(profile)',
  'select=profile,count()',
  'select=count()&order=name',
  'order=profile',
  'order=uri,uri',
  'order=uri.up',
  'order=uri.desc.nullsfirst',
  'name=eq',
  'name=is.true',
  'active=is.maybe',
  'or=()',
  'or=(name.eq.a',
  'or=(name.eq.a))',
  'or=(not.and(name.eq.a))&or=(name.eq.b)&or=(name.eq.c)',
  `or=${'(or'.repeat(500)}`,
  `or=(or(or(or(name.eq.a))))`,
  `or=(${Array.from({ length: 21 }, () => 'name.eq.a').join()})`,
  `name=in.(${Array.from({ length: 201 }, (_, n) => n).join()})`,
  Array.from({ length: 21 }, () => 'name=neq.a').join('&'),
  `name=eq.${'y'.repeat(8_200)}`,
  `page_token=${'A'.repeat(9_000)}`,
  `page_token=a&page_token=b`,
  'raw=yes',
  'raw=true&raw=true',
];
const rows = [...oddIdentifiers, ...odd].map((key) => `contacts/${encoded(key)}`);
const keys = ['a', 'a,b,c', 'a,', '("a",b', '"a,b', ',,,,,'].map((key) => `contact_emails/${encoded(key)}`);

const addresses = [
  ...tables,
  ...tables.map((table) => `${table}/1`),
  ...questions.map((question) => `event_types?${question}`),
  ...odd.map((value) => `bookings?uri=eq.${encoded(value)}`),
  ...odd.map((value) => `event_log/${encoded(value)}`),
  ...rows,
  ...keys,
].map((address) => `/api/tables/${address}`);

it.each(availableEngines)(
  'a hostile question is answered or refused on $name',
  { timeout: 120_000 },
  async ({ fresh }) => {
    await using api = await openReadApi(fresh, { readsApart: {} });
    await fillReadWorld(api.store);
    expect(addresses.length).toBeGreaterThan(300);
    const wrong: string[] = [];
    const seen = new Set<number>();
    for (const address of addresses) {
      for (const accept of ['application/json', 'text/csv']) {
        const answer = await api.behind.ask(address, { headers: { ...bearer, accept } });
        const text = await answer.text();
        seen.add(answer.status);
        const faults = [...api.heard.reported.splice(0), ...api.behind.heard.reported.splice(0)];
        const isRefusal = [400, 404, 414].includes(answer.status);
        const isSilent = answer.ok || (!text.includes(canary) && errorBody.safeParse(JSON.parse(text)).success);
        if (!(answer.ok || isRefusal) || !isSilent || faults.length > 0)
          wrong.push(`${address.slice(0, 120)}: ${answer.status} ${text.slice(0, 200)} ${String(faults[0])}`);
      }
    }
    expect(wrong).toEqual([]);
    expect([...seen].toSorted()).toEqual([200, 400, 404, 414]);
  },
);
