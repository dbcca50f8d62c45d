// What the door to tables and views shows, to whom, in which form, and how it refuses.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { fillBookingInvitees } from '#src/store/bookings/booking-invitees.ts';
import { writeRows, type StoredRow } from '#src/store/rows.ts';
import { declaredTables } from '#src/store/schema/tables.ts';
import type { DeclaredTable } from '#src/store/schema/declaration.ts';
import { describeError } from '#src/observability/redact.ts';
import { createReadApi } from '#src/api/operations.ts';
import { fillReadWorld } from '../../../harness/data/read-world.ts';
import { bearer, readToken } from '../../../harness/mirror/api-app.ts';
import { openReadApi } from '../../../harness/mirror/read-api.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { availableEngines, freshMemory } from '../../../harness/stores.ts';

const uri = (kind: string, id: string): string => `https://api.example.test/${kind}/${id}`;
const encoded = encodeURIComponent;

describe.each(availableEngines)('the tables over HTTP on $name', ({ fresh }) => {
  const api = openedOnce(async () => {
    const opened = await openReadApi(fresh, { readsApart: {} });
    await fillReadWorld(opened.store);
    return opened;
  });
  const asReader = (path: string) => api.behind.ask(path, { headers: { authorization: `Bearer ${readToken}` } });
  const textOf = async (path: string, accept: string) => {
    const answer = await api.behind.ask(path, { headers: { ...bearer, accept } });
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      link: answer.headers.get('link'),
      text: await answer.text(),
    };
  };
  const refusalOf = async (path: string): Promise<string> => {
    const { status, body } = await api.get(path);
    return `${status} ${body.message}`;
  };

  it('every table and view answers its rows with the columns that are listed, and one of its rows', async () => {
    const { body } = await api.get('/api/tables');
    expect(body.collection.length).toBeGreaterThan(30);
    for (const { name, key, columns } of body.collection) {
      const listed = await api.get(`/api/tables/${name}?limit=1`);
      expect([name, listed.status]).toEqual([name, 200]);
      const [row] = listed.body.collection;
      if (row === undefined) continue;
      expect(Object.keys(row)).toEqual(columns.map((column: { name: string }) => column.name));
      const parts = key.map((column: string) => (key.length === 1 ? row[column] : `"${row[column]}"`));
      const one = await api.get(`/api/tables/${name}/${encoded(parts.join())}`);
      expect([name, one.status, one.body.resource]).toEqual([name, 200, row]);
    }
  });

  it('what no one may read does not exist', async () => {
    const { body } = await api.get('/api/tables');
    const listed = new Map<string, string[]>(
      body.collection.map((table: { name: string; columns: { name: string }[] }) => [
        table.name,
        table.columns.map(({ name }) => name),
      ]),
    );
    const declared: readonly DeclaredTable[] = Object.values(declaredTables);
    const hidden = declared.filter(({ readable }) => readable === 'never');
    const secrets = declared.flatMap(({ name, columns }) =>
      Object.entries(columns).flatMap(([column, { holds }]) => (holds === 'secret' ? [{ name, column }] : [])),
    );
    expect(hidden.length).toBeGreaterThan(0);
    expect(secrets).toContainEqual({ name: 'key_values', column: 'value' });
    for (const { name } of hidden) {
      expect(listed.has(name)).toBe(false);
      for (const path of [`/api/tables/${name}`, `/api/tables/${name}/x`])
        expect((await api.get(path)).status).toBe(404);
    }
    for (const { name, column } of secrets) {
      expect(listed.get(name) ?? []).not.toContain(column);
      for (const question of [
        `select=${column}`,
        `select=max(${column})`,
        `order=${column}`,
        `${column}=not.is.null`,
        `or=(${column}.not.is.null)`,
      ])
        if (listed.has(name)) expect((await api.get(`/api/tables/${name}?${question}`)).status).toBe(400);
    }
  });

  it('the link to a meeting is read wherever the meeting is, also with the read-only token', async () => {
    const path = `/api/tables/scheduled_events?select=uri,location,join_url&join_url=not.is.null`;
    const answer = (await (await asReader(path)).json()) as {
      collection: { uri: string; location: { join_url: string }; join_url: string }[];
    };
    expect(answer.collection.length).toBeGreaterThan(0);
    const events = await (await asReader('/api/scheduled_events?count=100')).text();
    for (const { uri: meeting, location, join_url: link } of answer.collection) {
      expect(link).toBe(location.join_url);
      expect(JSON.parse(events).collection).toContainEqual(expect.objectContaining({ uri: meeting, location }));
    }
  });

  it('what is for administrators needs the admin token, wherever it is named', async () => {
    expect((await api.get('/api/tables/admin_actions')).status).toBe(200);
    expect((await api.get('/api/tables/event_log?limit=1')).body.collection[0].body).toEqual(expect.any(String));
    for (const path of [
      '/api/tables/admin_actions',
      '/api/tables/admin_actions/1',
      ...['select=body', 'order=body', 'body=like.*a*', 'or=(body.is.null)', 'select=min(body)'].map(
        (question) => `/api/tables/event_log?${question}`,
      ),
    ])
      expect([path, (await asReader(path)).status]).toEqual([path, 403]);
    const listed = await (await asReader('/api/tables')).json();
    expect(JSON.stringify(listed)).not.toContain('admin_actions');
    const whole = await (await asReader('/api/tables/event_log?limit=1')).json();
    expect(whole).toMatchObject({ collection: [{ seq: expect.any(Number) }] });
    expect(JSON.stringify(whole)).not.toContain('"body"');
    const one = await (await asReader('/api/tables/event_log/1')).json();
    expect(JSON.stringify(one)).not.toContain('"body"');
  });

  it('a refusal names what is wrong and the nearest right name', async () => {
    expect(await refusalOf('/api/tables/booking')).toBe(
      '404 There is no table or view of this name. Did you mean bookings? GET /api/tables lists them.',
    );
    expect(await refusalOf('/api/tables/bookings?otcome=eq.no_show')).toBe(
      '400 bookings has no column "otcome". Did you mean outcome?',
    );
    expect(await refusalOf('/api/tables/bookings?outcome=eq.no_sho')).toMatch(
      /^400 outcome: .* Did you mean no_show\?$/,
    );
    expect(await refusalOf('/api/tables/bookings?outcome=lk.no_show')).toMatch(/^400 outcome: .* Did you mean/);
    expect(await refusalOf('/api/tables/bookings?start_time=gte.yesterday')).toMatch(
      /^400 start_time: expected a time/,
    );
    expect(await refusalOf('/api/tables/bookings?select=host_nam')).toMatch(/Did you mean host_name\?$/);
    expect(await refusalOf('/api/tables/bookings?ordr=host')).toMatch(/Did you mean order\?$/);
    expect(await refusalOf('/api/tables/bookings?order=hosts')).toMatch(/^400 hosts is JSON/);
  });

  it('finds a booking by its URI however many invitees it has, by the row and by the filter', async () => {
    await api.store.transaction(async (unit) => {
      const ids = ['chain-1', 'chain-2', 'chain-3'];
      await writeRows(
        unit,
        'scheduled_events',
        ids.map((id) => ({ uri: uri('events', id), start_time: '2031-01-01T00:00:00.000000Z', version: '1' })),
      );
      await writeRows(
        unit,
        'invitees',
        ids.map((id, at) => ({
          uri: uri('invitees', id),
          event_uri: uri('events', id),
          old_invitee: at === 0 ? null : uri('invitees', ids[at - 1] ?? ''),
          new_invitee: at === 2 ? null : uri('invitees', ids[at + 1] ?? ''),
          rescheduled: at < 2,
        })),
      );
      await fillBookingInvitees(unit);
    });
    const first = uri('invitees', 'chain-1');
    const one = await api.get(`/api/tables/bookings/${encoded(first)}`);
    expect(one.body.resource).toMatchObject({ uri: first, last_invitee: uri('invitees', 'chain-3'), moves: 2 });
    expect(one.body.joins).toMatchObject({
      last_invitee: { table: 'invitees', rows: [{ uri: uri('invitees', 'chain-3') }] },
      event_uri: { table: 'scheduled_events', rows: [{ uri: uri('events', 'chain-3') }] },
    });
    const alone = uri('invitees', 'B1');
    const both = await api.get(`/api/tables/bookings?uri=in.(${encoded(`"${first}","${alone}"`)})&order=uri`);
    expect(both.body.collection.map((row: StoredRow) => row['uri'])).toEqual([alone, first].toSorted());
    expect((await api.get(`/api/tables/bookings/${encoded(uri('invitees', 'chain-2'))}`)).status).toBe(404);
  });

  it('leaves out meetings that nothing has described', async () => {
    await api.store.transaction((unit) => writeRows(unit, 'scheduled_events', [{ uri: uri('events', 'blank') }]));
    const blank = encoded(uri('events', 'blank'));
    expect((await api.get(`/api/tables/scheduled_events?uri=eq.${blank}`)).body.collection).toEqual([]);
    expect((await api.get(`/api/tables/scheduled_events/${blank}`)).status).toBe(404);
    const groups = await api.get('/api/tables/scheduled_events?version=is.null&select=count()');
    expect(groups.body.collection).toEqual([{ count: 0 }]);
  });

  it('answers as CSV guarded against formulas, raw for machines, and as one object a line', async () => {
    await api.store.transaction((unit) =>
      writeRows(unit, 'users', [
        { uri: uri('users', '1'), name: '=1+1', slug: null },
        { uri: uri('users', '2'), name: 'a,"b"', slug: '' },
      ]),
    );
    const path = `/api/tables/users?uri=in.(${encoded(uri('users', '1'))},${encoded(uri('users', '2'))})&select=name,slug&order=uri`;
    expect(await textOf(path, 'text/csv')).toMatchObject({
      status: 200,
      type: 'text/csv; charset=utf-8',
      text: 'name,slug\r\n\'=1+1,\r\n"a,""b""",""\r\n',
    });
    expect((await textOf(`${path}&raw=true`, 'text/csv')).text).toContain('\r\n=1+1,\r\n');
    const lines = await textOf(`${path}&limit=1`, 'application/x-ndjson');
    expect(lines).toMatchObject({ type: 'application/x-ndjson', text: '{"name":"=1+1","slug":null}\n' });
    const [, next = ''] = /^<(.*)>; rel="next"$/.exec(lines.link ?? '') ?? [];
    const { pathname, search } = new URL(next);
    const second = await textOf(pathname + search, 'application/x-ndjson');
    expect(second).toMatchObject({ link: null, text: '{"name":"a,\\"b\\"","slug":""}\n' });
  });

  it('a page token is enough, and belongs to its question', async () => {
    const first = await api.get('/api/tables/invitees?status=eq.active&order=uri&select=uri&limit=2');
    const { next_page_token: token, next_page: next } = first.body.pagination;
    const second = await api.get(`/api/tables/invitees?page_token=${token}&limit=2`);
    expect(second.body.collection).toHaveLength(2);
    const { pathname, search } = new URL(next);
    expect((await api.get(pathname + search)).body.collection).toEqual(second.body.collection);
    expect((await api.get(`/api/tables/invitees?status=eq.canceled&page_token=${token}`)).status).toBe(400);
    expect((await api.get(`/api/tables/contacts?page_token=${token}`)).status).toBe(400);
    expect((await api.get(`/api/tables/invitees?page_token=${token.slice(0, -1)}`)).status).toBe(400);
  });

  it('compares a column whose name is a word of the grammar within a group', async () => {
    await api.store.transaction(async (unit) => {
      await writeRows(unit, 'custom_field_definitions', [
        { uri: uri('fields', 'order'), label: 'Order', field_type: 'text' },
      ]);
      await writeRows(unit, 'contacts', [
        { uri: uri('contacts', 'ordered'), custom_fields: [{ uri: uri('fields', 'order'), value: 'two' }] },
      ]);
    });
    expect(await api.store.refreshViews()).toEqual([]);
    const found = await api.get('/api/tables/contacts_wide?and=(order.eq.two)&select=uri,order&order=order');
    expect(found.body.collection).toEqual([{ uri: uri('contacts', 'ordered'), order: 'two' }]);
    const listed = (await api.get('/api/tables')).body.collection;
    const wide = listed.find(({ name }: { name: string }) => name === 'contacts_wide');
    expect(wide.columns.map(({ name }: { name: string }) => name)).toContain('order');
  });

  it('a sum that is too large is refused', async () => {
    const large = ['1', '2'].map((id) => ({ uri: uri('event_types', `large-${id}`), duration: 1.7e308 }));
    await api.store.transaction((unit) => writeRows(unit, 'event_types', large));
    expect(await refusalOf('/api/tables/event_types?select=sum(duration)')).toBe(
      '400 A sum is larger than a number can be.',
    );
  });
});

it('an address with a question about a person is in no metric and no report', async () => {
  await using api = await openReadApi(freshMemory);
  const heard: string[] = [];
  const { fetch } = createReadApi({
    ...api.context,
    secret: 'signs page tokens',
    answered: (...given) => void heard.push(given.join(' ')),
    report: (error) => void heard.push(JSON.stringify(describeError(error as Error))),
    reading: {
      ...api.context.reading,
      engine: {
        ...api.store.engine,
        run: async (_db, { parameters }) => Promise.reject(new Error(`near ${parameters.join()}: failed`)),
      },
    },
  });
  for (const path of [
    'bookings?invitee_email=eq.ann@example.test',
    'contact_emails/x,ann@example.test',
    'ann@example.test',
  ])
    await fetch(new Request(`http://127.0.0.1/api/tables/${path}`));
  expect(heard).toContain('GET /api/tables/:name 500');
  expect(heard.join('\n')).not.toContain('ann');
});

describe('the limits of the tables over HTTP', () => {
  const api = openedOnce(async () => {
    const opened = await openReadApi(freshMemory);
    await sql`insert into contacts (uri, name, created_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n <= 50000)
      select 'https://api.example.test/contacts/' || n, 'n' || n, '2025-01-01T00:00:00.000000Z' from numbers`.execute(
      opened.store.db,
    );
    return opened;
  });

  it('sorts at most 50,000 rows where no index has the order, and says which filter or order to take', async () => {
    const { status, body } = await api.get('/api/tables/contacts?order=name&limit=1');
    expect([status, body.message]).toEqual([
      400,
      'More than 50000 rows of contacts match, and no index has them in this order: add a filter, such as created_at=gte.2026-11-01, or sort by created_at or uri.',
    ]);
    expect((await api.get('/api/tables/contacts?order=name&limit=1&name=neq.n1')).status).toBe(200);
    for (const order of ['created_at', 'uri.desc', 'created_at.desc,name'])
      expect([order, (await api.get(`/api/tables/contacts?order=${order}&limit=1`)).status]).toEqual([order, 200]);
  });

  it('answers at most 1,000 groups, or as many as a limit asks for', async () => {
    const { status, body } = await api.get('/api/tables/contacts?select=name,count()');
    expect([status, body.message]).toEqual([
      400,
      'There are more than 1000 groups: group by less, filter, or give a limit.',
    ]);
    const some = await api.get('/api/tables/contacts?select=name,count()&order=name.desc&limit=2');
    expect(some.body.collection.map((row: StoredRow) => row['name'])).toEqual(['n9999', 'n9998']);
  });
});
