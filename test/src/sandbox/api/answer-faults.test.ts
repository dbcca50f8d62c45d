// Faults of single answers: one path, one page of a list, for a number of times, with any status and body.
import { beforeEach, expect, it } from 'vitest';
import { openForSuite } from '../../../harness/sandbox.ts';

const sandbox = openForSuite({ contacts: 6, bookings: 3, rateLimits: false });
beforeEach(() => inject({}));

async function inject(faults: object): Promise<void> {
  expect(await sandbox.control('POST', '/faults', faults)).toMatchObject({ status: 200 });
}
const statusOf = async (method: string, path: string): Promise<number> => (await sandbox.call(method, path)).status;
const contactPage = (token?: string) =>
  sandbox.call('GET', '/contacts', { query: { count: 2, ...(token !== undefined && { page_token: token }) } });

it('an answer fault refuses one path with its status and body, and leaves the others alone', async () => {
  const body = { title: 'Permission Denied', message: 'Please upgrade to a paid Calendly account.' };
  await inject({ answers: [{ path: '/contacts', status: 403, body }] });
  for (const turn of [1, 2, 3]) expect([turn, await contactPage()]).toMatchObject([turn, { status: 403, body }]);
  expect(await statusOf('GET', '/contacts/custom_field_definitions')).toBe(200);
});

it('an answer fault ends after a number of times', async () => {
  await inject({ answers: [{ path: '/users/me', times: 2 }] });
  const statuses = [1, 2, 3].map(() => statusOf('GET', '/users/me'));
  expect((await Promise.all(statuses)).toSorted()).toEqual([200, 500, 500]);
});

it('an answer fault names a method, and any part of a path with a star', async () => {
  const [meeting] = sandbox.service.state.scheduledEvents.values();
  const path = new URL(meeting?.uri ?? '').pathname;
  const everyMeeting = { path: '/scheduled_events/*/invitees', status: 404 };
  await inject({ answers: [everyMeeting, { path: '/contacts', method: 'POST', status: 503 }] });
  const statuses = ['GET', 'POST'].map((method) => statusOf(method, '/contacts'));
  statuses.push(...[path, `${path}/invitees`].map((one) => statusOf('GET', one)));
  expect(await Promise.all(statuses)).toEqual([200, 503, 200, 404]);
});

it('an answer fault fails one page of a list, however often that page is asked for', async () => {
  await inject({ answers: [{ path: '/contacts', page: 3, status: 502, times: 3 }] });
  const thirdPage = async () => {
    const second = await contactPage((await contactPage()).body.pagination.next_page_token);
    expect(second.status).toBe(200);
    return second.body.pagination.next_page_token as string;
  };
  const third = await thirdPage();
  for (let turn = 0; turn < 2; turn += 1) expect((await contactPage(third)).status).toBe(502);
  const again = await thirdPage();
  expect([(await contactPage(again)).status, (await contactPage(again)).status]).toEqual([502, 200]);
});

it('an answer fault sends a body that no reader takes: of another shape, or no JSON', async () => {
  await inject({ answers: [{ path: '/users/me', status: 200, body: { resource: 7 } }] });
  expect(await sandbox.call('GET', '/users/me')).toMatchObject({ status: 200, body: { resource: 7 } });
  await inject({ answers: [{ path: '/users/me', status: 200, body: '<html>' }] });
  const answer = await sandbox.fetch(`${sandbox.handles.base_url}/users/me`);
  expect([answer.status, await answer.text()]).toEqual([200, '<html>']);
});

it('an answer fault is refused when it is not one', async () => {
  for (const answer of [{ path: 'contacts' }, { path: '/contacts', status: 204 }, { path: '/contacts', page: 0 }, {}])
    expect(await sandbox.control('POST', '/faults', { answers: [answer] })).toMatchObject({ status: 400 });
});

it('the origin of the next page is another one in the links, and the token leads on here', async () => {
  await inject({ next_page_origin: 'https://api.example.test' });
  const { pagination } = (await contactPage()).body;
  expect(pagination.next_page).toMatch(/^https:\/\/api\.example\.test\/contacts\?/);
  expect((await contactPage(pagination.next_page_token)).body.collection).toHaveLength(2);
});
