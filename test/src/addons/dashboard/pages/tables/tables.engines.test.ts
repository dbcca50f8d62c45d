// The pages of tables: the address holds the whole question, forms and headings lead to such addresses, and what a page shows can be read
// elsewhere: as CSV, with curl, and with SQL.
import { describe, expect, it } from 'vitest';
import type { ColumnKind } from '#src/store/columns.ts';
import { writeRows } from '#src/store/rows.ts';
import { runStatement } from '#src/read/tables/run-statement.ts';
import { uri } from '../../../../../harness/data/counted-bookings.ts';
import { fillReadWorld } from '../../../../../harness/data/read-world.ts';
import { readableText } from '../../../../../harness/golden.ts';
import { bearer } from '../../../../../harness/mirror/api-app.ts';
import { linksIn } from '../../../../../harness/mirror/every-page.ts';
import { openDashboard } from '../../../../../harness/mirror/dashboard.ts';
import { openedOnce } from '../../../../../harness/opened.ts';
import { availableEngines } from '../../../../../harness/stores.ts';

interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}
interface Table {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column[];
}

const many = 1_500;
const strange = `https://api.example.test/users/a,"b" c'd%2F\\é`;
const hostile = `<script>window.attacked=1</script>"' onload=x`;

const texts = (html: string): string =>
  html.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
const main = (html: string): string => /<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '';
/** The texts to copy, without their markup. */
const copied = (html: string): readonly string[] =>
  [...html.matchAll(/<pre[^>]*><code>(.*?)<\/code>/gs)].map(([, text = '']) =>
    texts(text.replaceAll('&lt;', '<').replaceAll('&gt;', '>')),
  );
/** The rows of the list: the texts of their cells. */
const rowsOf = (html: string): readonly string[] =>
  (/<tbody data-rows>(.*?)<\/tbody>/s.exec(html)?.[1] ?? '')
    .split('<tr')
    .slice(1)
    .map((row) => readableText(`<main><tr${row}</main>`).replaceAll(/\]\([^)]*\)/g, ']'));
const headingLink = (html: string, column: string): string => {
  const [, href = ''] = new RegExp(`<th[^>]*>\\s*<a href="([^"]*)"[^>]*>${column}\\b`).exec(html) ?? [];
  return texts(href);
};

describe.each(availableEngines)('the pages of tables on $name', ({ name: engine, fresh }) => {
  const dashboard = openedOnce(async () => {
    const opened = await openDashboard(fresh);
    await fillReadWorld(opened.store);
    const people = Array.from({ length: many }, (_, index) => ({
      uri: uri('users', `user${String(index).padStart(5, '0')}`),
      name: index % 2 === 0 ? '=1+1' : "O'Hara",
    }));
    await opened.store.transaction((unit) =>
      writeRows(unit, 'users', [...people, { uri: strange, name: hostile, slug: 'x'.repeat(500) }] as never),
    );
    return opened;
  });
  const page = async (address: string): Promise<string> => {
    const { status, html } = await dashboard.page(address);
    expect([address, status]).toEqual([address, 200]);
    return html;
  };
  const ledTo = async (address: string): Promise<string | null> => {
    const { status, headers } = await dashboard.page(address);
    expect(status).toBe(303);
    return headers.get('location');
  };
  const described = async (): Promise<readonly Table[]> => (await dashboard.get('/api/tables')).body.collection;

  it('list every table and view that the door has, with what each is for', async () => {
    const html = await page('/tables');
    const known = await described();
    expect(known.length).toBeGreaterThan(30);
    const text = readableText(html).replaceAll(/\s+/g, ' ');
    for (const { name, about } of known) {
      expect(linksIn(html)).toContain(`/tables/${name}`);
      expect(text).toContain(about.replaceAll('`', ' ').replaceAll(/\s+/g, ' ').trim().slice(0, 30).split(' (')[0]);
    }
  });

  it('show the rows of every table and view, and one of them', async () => {
    const shown: string[] = [];
    for (const { name } of await described()) {
      const html = await page(`/tables/${name}`);
      expect(html).toContain(`<h1>${name}</h1>`);
      const record = linksIn(main(html)).find((link) => link.startsWith(`/tables/${name}/`));
      if (record === undefined)
        expect([name, main(html)]).toEqual([name, expect.stringContaining('There is no row yet')]);
      else {
        shown.push(name);
        await page(record);
      }
    }
    expect(shown.length).toBeGreaterThan(25);
    expect(dashboard.reported).toEqual([]);
  });

  it('a heading sorts by its column, and turns the order around', async () => {
    const newest = await page('/tables/invitees?status=eq.active');
    expect(newest).toMatch(/aria-sort="descending"><a href="[^"]*order=created_at.asc"/);
    const toOldest = headingLink(newest, 'created_at');
    expect(toOldest).toBe('/tables/invitees?status=eq.active&order=created_at.asc');
    const oldest = await page(toOldest);
    expect(oldest).toMatch(/aria-sort="ascending"><a href="[^"]*order=created_at.desc"/);
    expect(rowsOf(oldest).length).toBeGreaterThan(3);
    expect(rowsOf(oldest)).toEqual(rowsOf(newest).toReversed());
    expect(headingLink(newest, 'name')).toBe('/tables/invitees?status=eq.active&order=name.asc');
    const json = await page('/tables/invitees?select=uri,tracking');
    expect([headingLink(json, 'tracking'), headingLink(json, 'uri')]).toEqual([
      '',
      '/tables/invitees?select=uri,tracking&order=uri.asc',
    ]);
  });

  it('the usual columns are few, with the key and what the rows are sorted by', async () => {
    const headsOf = async (address: string) =>
      [...(await page(address)).matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>|<span[^>]*>)(\w+)/g)].map(
        ([, name]) => name,
      );
    const usual = await headsOf('/tables/bookings');
    expect(usual).toHaveLength(8);
    expect(usual).toEqual(expect.arrayContaining(['uri', 'made_at', 'start_time', 'invitee_name', 'outcome']));
    expect(await headsOf('/tables/bookings?order=outcome')).toEqual(usual);
    const ofInvitees = await headsOf('/tables/invitees');
    expect(ofInvitees).toEqual(expect.arrayContaining(['name', 'email']));
    expect(ofInvitees).not.toContain('first_name');
    expect(await headsOf('/tables/bookings?order=moves.desc,uri')).toEqual(['uri', 'moves', ...usual.slice(1)]);
    const { body } = await dashboard.get('/api/tables/bookings?limit=1');
    expect(await headsOf('/tables/bookings?select=*')).toEqual(Object.keys(body.collection[0]));
  });

  it.each([
    ['.0.column=outcome&.0.operator=eq&.0.value=no_show', 'outcome=eq.no_show'],
    ['.0.column=&.0.operator=eq&.0.value=&.1.column=host&.1.operator=is.null', 'host=is.null'],
    ['.0.column=host&.0.operator=not.is.null&.0.value=', 'host=not.is.null'],
    ['.0.column=outcome&.0.operator=in&.0.value=came,no_show', 'outcome=in.(came,no_show)'],
    ['.0.column=invitee_name&.0.operator=contains&.0.value=50%25*', 'invitee_name=ilike.*50%5C%25%5C**'],
    ['.0.column=invitee_name&.0.operator=eq&.0.value=O%27Hara', 'invitee_name=eq.O%27Hara'],
    [
      '.0.column=start_time&.0.operator=gte&.0.value=2025-01-01&.1.column=start_time&.1.operator=lt&.1.value=2025-02-01',
      'start_time=gte.2025-01-01&start_time=lt.2025-02-01',
    ],
    ['.other=or%3D(moves.gt.0,host.is.null)&.limit=5', 'or=(moves.gt.0,host.is.null)&limit=5'],
    ['.sort=start_time&.direction=asc', 'order=start_time.asc'],
    ['.sort=start_time&.direction=desc&.order=start_time.desc,uri', 'order=start_time.desc,uri'],
    ['.sort=made_at&.direction=desc&.usual=made_at.desc', ''],
    ['.group.0=host_name&.group.1=&.aggregate.0=&.of.0=', 'select=host_name,count()&order=count.desc'],
    [
      '.group.0=outcome&.aggregate.0=sum&.of.0=moves&.aggregate.1=count&.of.1=&.order=outcome.asc',
      'select=outcome,sum(moves),count()&order=outcome.asc',
    ],
    ['.aggregate.0=count&.order=start_time.asc', 'select=count()'],
    ['.show=uri&.show=outcome', 'select=uri,outcome'],
  ])('the form with %s leads to the question in the grammar of the door: %s', async (sent, question) => {
    const address = question === '' ? '/tables/bookings' : `/tables/bookings?${question}`;
    expect(await ledTo(`/tables/bookings?.form=1&${sent}`)).toBe(address);
    await page(address);
  });

  it.each([
    'outcome=in.(no_show,came)&invitee_name=not.ilike.*zz*&moves=gte.0',
    'or=(moves.gt.0,host.is.null)&start_time=gte.2025-01-01&order=start_time.asc',
    'select=host_name,count(),max(start_time)&order=max_start_time.desc',
    'select=uri,outcome&host=is.null',
  ])('a form that is sent as it is shown asks the same: %s', async (question) => {
    const html = main(await page(`/tables/bookings?${question}`));
    const [form = ''] = /<form class="question".*?<\/form>/s.exec(html) ?? [];
    const sent = new URLSearchParams();
    for (const [, name = '', rest = ''] of form.matchAll(/<input[^>]*?name="([^"]*)"([^>]*)>/g)) {
      if (rest.includes('value=') && (name !== '.show' || / checked/.test(rest)))
        sent.append(name, texts(/value="([^"]*)"/.exec(rest)?.[1] ?? ''));
    }
    for (const [, name = '', options = ''] of form.matchAll(/<select name="([^"]*)"[^>]*>(.*?)<\/select>/gs))
      sent.append(name, /<option value="([^"]*)" selected/.exec(options)?.[1] ?? '');
    const address = await ledTo(`/tables/bookings?${sent}`);
    const asked = (text: string) => new URL(text, 'http://here').searchParams.toString().split('&').toSorted();
    expect(asked(address ?? '')).toEqual(asked(`?${question}`));
  });

  it('a group leads to its rows', async () => {
    for (const question of [
      'select=outcome,host_name,count()',
      'moves=gte.0&outcome=neq.moved&select=outcome,count()',
    ]) {
      const html = main(await page(`/tables/bookings?${question}&order=count.desc`));
      const { body } = await dashboard.get(`/api/tables/bookings?${question}&order=count.desc`);
      const groups = [...html.matchAll(/<tr data-href="([^"]*)"/g)].map(([, href = '']) => texts(href));
      expect(groups.length).toBe(body.collection.length);
      for (const [index, group] of groups.entries())
        expect(rowsOf(await page(group)).length).toBe(body.collection[index].count);
    }
    expect(linksIn(await page('/tables/bookings?select=host_name,count()'))).toContain(
      '/tables/bookings?host_name=is.null',
    );
  });

  it('a page leads to the next one, and a question without rows to all of them', async () => {
    const first = await page('/tables/users?name=eq.O%27Hara&limit=2&order=uri');
    const next = linksIn(first).find((link) => link.includes('page_token')) ?? '';
    expect(next).toMatch(/^\/tables\/users\?name=eq.O%27Hara&order=uri&limit=2&page_token=/);
    const second = await page(next);
    expect(rowsOf(second)).toHaveLength(2);
    expect(rowsOf(second)).not.toEqual(rowsOf(first));
    expect(linksIn(second)).toContain('/tables/users?name=eq.O%27Hara&order=uri&limit=2');
    expect(main(await page('/tables/users?name=eq.none&order=uri'))).toMatch(
      /No row matches. <a href="\/tables\/users\?order=uri">Remove all filters/,
    );
  });

  it('CSV has all pages, as the door writes them', async () => {
    const question = 'select=uri,name&order=uri.desc';
    const file = await dashboard.page(`/tables/users.csv?${question}&limit=10`);
    expect([file.status, file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="users.csv"',
    ]);
    let expected = '';
    for (let next = `/api/tables/users?${question}&limit=500`; next !== '';) {
      const answer = await dashboard.admin.ask(next, { headers: { ...bearer, accept: 'text/csv' } });
      const text = await answer.text();
      expected += expected === '' ? text : text.slice(text.indexOf('\n') + 1);
      next = /<https?:\/\/[^/]*(.*?)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
    }
    expect(file.html.split('\r\n').length).toBeGreaterThan(many);
    expect(file.html).toBe(expected);
    expect(file.html).toContain("'=1+1");
    const groups = await dashboard.page('/tables/users.csv?select=name,count()&order=name&limit=1');
    expect(groups.html.split('\r\n')).toEqual(['name,count', expect.stringMatching(/,\d+$/), '']);
    expect(await ledTo('/tables/users.csv?name=gt')).toBe('/tables/users?name=gt');
  });

  it.runIf(engine === 'sqlite')('a file with fewer rows than there are says so in its name', async () => {
    const rows = Array.from({ length: 50_001 }, (_, index) => ({
      contact_uri: uri('contacts', 'a'),
      phone_number: `+${index}`,
      position: index,
    }));
    await dashboard.store.transaction((unit) => writeRows(unit, 'contact_phone_numbers', rows as never));
    const { headers, html } = await dashboard.page('/tables/contact_phone_numbers.csv');
    expect(headers.get('content-disposition')).toBe('attachment; filename="contact_phone_numbers-first-50000.csv"');
    expect(html.split('\r\n')).toHaveLength(50_002);
  });

  it.each([
    ['users', "name=eq.O'Hara&order=uri.desc&limit=7"],
    ['users', 'name=like.*H*&select=uri,name,updated_at'],
    ['bookings', 'outcome=in.(came,no_show,unknown)&invitee_name=not.ilike.*B*&select=*'],
    ['bookings', 'start_time=gte.2025-01-03&or=(moves.gt.0,host.is.null)&order=invitee_name.asc'],
    ['bookings', 'select=outcome,count(),max(start_time),avg(moves)&order=count.desc'],
    ['invitees', 'rescheduled=is.true&select=uri,rescheduled,tracking,created_at'],
    ['scheduled_events', 'order=name.desc&limit=5'],
    ['event_log', 'duplicates=eq.0&redacted=is.false&select=seq,event,outcome&order=event,seq.desc'],
    ['event_log', 'event=in.()'],
  ])('the SQL and the curl of %s?%s have its rows', async (name, question) => {
    const html = await page(`/tables/${name}?${question.replaceAll("'", '%27')}`);
    const [curl = '', sql = ''] = copied(html);
    const [, token, address = ''] = /^curl -gH "(Authorization: Bearer [^"]*)" '(http:\/\/[^']*)'$/.exec(curl) ?? [];
    expect(token).toBe('Authorization: Bearer $(cat data/admin-token)');
    const { body } = await dashboard.get(new URL(address).pathname + new URL(address).search);
    const columns = (await described()).find((each) => each.name === name)?.columns ?? [];
    const { db, engine } = dashboard.store;
    const rows = await runStatement({ db, engine }, { sql: sql.replace(/;$/, ''), parameters: [] });
    const kindOf = (column: string): ColumnKind =>
      columns.find((each) => column.replace(/^max_/, '') === each.name)?.kind ?? 'number';
    const decoded = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, value]) => [column, engine.decode(kindOf(column), value ?? null)]),
      ),
    );
    expect(decoded).toEqual(body.collection);
    expect(rowsOf(html)).toHaveLength(rows.length);
    if (!question.includes('in.()')) expect(rows.length).toBeGreaterThan(0);
  });

  it('a record shows what it refers to, what refers to it, and its deliveries', async () => {
    const invitee = uri('invitees', 'A1');
    const html = await page(`/tables/invitees/${encodeURIComponent(invitee)}`);
    const links = linksIn(main(html));
    const { body } = await dashboard.get(`/api/tables/invitees/${encodeURIComponent(invitee)}`);
    const { event_uri: event, name } = body.resource;
    expect(main(html)).toContain(`<h1><bdi>${name}</bdi></h1>`);
    for (const link of [
      `/tables/scheduled_events/${encodeURIComponent(event)}`,
      `/why?${new URLSearchParams({ uri: invitee })}`,
      `/deliveries?${new URLSearchParams({ subject: invitee })}`,
      `/tables/bookings?last_invitee=eq.${encodeURIComponent(invitee).replaceAll(/%(?:3A|2F)/g, decodeURIComponent)}`,
      '/bookings/A1',
    ])
      expect(links).toContain(link);
    const meeting = await page(`/tables/scheduled_events/${encodeURIComponent(event)}`);
    expect(linksIn(main(meeting))).toContain(`/tables/invitees/${encodeURIComponent(invitee)}`);
    const entries = (await dashboard.get(`/api/tables/event_log?subject_uri=eq.${encodeURIComponent(invitee)}&limit=5`))
      .body;
    expect(entries.collection.length).toBeGreaterThan(0);
    for (const { seq } of entries.collection) expect(links).toContain(`/deliveries/${seq}`);
  });

  it('a key of several columns and strange characters leads to its row, and nothing of a stranger is markup', async () => {
    const list = main(await page('/tables/users?select=*&slug=not.is.null'));
    expect(list).toContain('&lt;script&gt;window.attacked=1&lt;/script&gt;&quot;');
    expect(list).not.toContain('<script');
    expect(list).not.toContain('x'.repeat(100));
    const record = linksIn(list).find((link) => link.startsWith('/tables/users/')) ?? '';
    const html = main(await page(record));
    expect(html).toContain('x'.repeat(500));
    expect(html).not.toContain('<script');
    const mark =
      linksIn(main(await page('/tables/no_shows'))).find((link) => link.startsWith('/tables/no_shows/')) ?? '';
    expect(decodeURIComponent(mark).split('","')).toHaveLength(3);
    await page(mark);
    expect((await dashboard.page('/tables/users/none')).status).toBe(404);
  });

  it('one who only reads sees no table and no column of administrators', async () => {
    const { reader } = dashboard;
    expect((await page('/tables')).includes('/tables/admin_actions')).toBe(true);
    expect((await reader.page('/tables')).html).not.toContain('/tables/admin_actions');
    const refused = await reader.page('/tables/admin_actions');
    expect([refused.status, refused.html]).toEqual([400, expect.stringContaining('needs the admin token')]);
    const log = await reader.page('/tables/event_log?select=*');
    expect(log.status).toBe(200);
    expect(copied(log.html)[0]).toContain('$ADMIN_READ_TOKEN');
    expect(log.html).not.toContain('value="body"');
    const body = await reader.page('/tables/event_log?select=seq,body');
    expect([body.status, body.html]).toEqual([
      400,
      expect.stringContaining('The column body of event_log needs the admin token.'),
    ]);
  });

  it.each([
    ['outcome=eq.no_shows', 'outcome: expected one of', 'Did you mean no_show?'],
    ['outcome=equals.no_show', 'expected an operator', 'the operators are eq, neq'],
    ['outcomes=eq.no_show', 'bookings has no column', 'Did you mean outcome?'],
    ['select=outcome,cuont()', 'There are count()', 'Did you mean count?'],
    ['limit=5000', 'a whole number from 1 to 1000', ''],
    ['page_token=wrong', 'begin again without it', ''],
  ])('a refusal is shown above the question: %s', async (question, sentence, nearest) => {
    const { status, html } = await dashboard.page(`/tables/bookings?${question}`);
    const text = texts(main(html));
    expect(status).toBe(400);
    expect(text).toContain(sentence);
    expect(text).toContain(nearest);
    expect(text).toMatch(/role="status".*<form class="question"/s);
    expect(text).toContain('<a href="/tables/bookings">Begin again');
    if (question.startsWith('outcome=')) expect(text).toContain('value="no_show');
  });

  it('an unknown table is not found, with the nearest name', async () => {
    const { status, html } = await dashboard.page('/tables/booking');
    expect([status, html]).toEqual([404, expect.stringContaining('Did you mean bookings?')]);
  });
});
