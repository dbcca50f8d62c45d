// Cancelling a whole meeting by the operation of the public service: who may, what it changes, and what subscribers hear.
import { describe, expect, it } from 'vitest';
import { openForSuite, openTestSandbox } from '../../../harness/sandbox.ts';
import { openCallback } from '../../../harness/sandbox/callback-server.ts';

const sandbox = openForSuite({ as: 'public' });

let booked = 0;
async function book(eventType: string, start_time: string): Promise<{ uri: string; event: string }> {
  booked += 1;
  const invitee = { email: `guest-${booked}@example.test`, name: `Guest ${booked}`, timezone: 'UTC' };
  const { status, body } = await sandbox.call('POST', '/invitees', {
    body: { event_type: eventType, start_time, invitee },
  });
  expect(status).toBe(201);
  return body.resource;
}

const inDays = (days: number) => new Date(sandbox.service.clock.nowMs() + days * 86_400_000).toISOString();
const cancel = (event: string, more: object = {}) => sandbox.call('POST', `${event}/cancellation`, more);
const refusal = (message: string) => ({ status: 403, body: { title: 'Permission Denied', message } });

describe('the cancellation of a meeting', () => {
  it('cancels everyone in it, also in a group, and sends each invitee', async () => {
    await using callback = await openCallback();
    const { organization, event_types } = sandbox.handles;
    const hook = { url: callback.url, events: ['invitee.canceled'], organization, scope: 'organization' };
    expect((await sandbox.call('POST', '/webhook_subscriptions', { body: hook })).status).toBe(201);
    const start = inDays(3);
    const all = [await book(event_types.group, start), await book(event_types.group, start)];
    const event = all[0]?.event ?? '';
    const { status, body } = await cancel(event, { body: { reason: 'The room is flooded' } });
    const name = (await sandbox.call('GET', '/users/me')).body.resource.name;
    const cancellation = { canceled_by: name, reason: 'The room is flooded', canceler_type: 'host' };
    expect([status, body.resource]).toEqual([201, { ...cancellation, created_at: expect.any(String) }]);
    const meeting = (await sandbox.call('GET', event)).body.resource;
    expect(meeting).toMatchObject({ status: 'canceled', cancellation, invitees_counter: { active: 0, total: 2 } });
    for (const { uri } of all)
      expect((await sandbox.call('GET', uri)).body.resource).toMatchObject({ status: 'canceled', cancellation });
    await sandbox.dispatcher.settled();
    const heard = callback.received.map((one) => one.body);
    expect(heard.map(({ payload }) => payload.uri).toSorted()).toEqual(all.map(({ uri }) => uri).toSorted());
    for (const { event: kind, payload } of heard)
      expect([kind, payload.cancellation, payload.scheduled_event.status]).toEqual([
        'invitee.canceled',
        expect.objectContaining(cancellation),
        'canceled',
      ]);
  });

  it('needs no body', async () => {
    const { event } = await book(sandbox.handles.event_types.solo, inDays(4));
    expect(await cancel(event)).toMatchObject({ status: 201, body: { resource: { reason: null } } });
  });

  it('is refused when it was canceled before, when it is over, and for everyone who does not host it', async () => {
    const { solo } = sandbox.handles.event_types;
    const { event } = await book(solo, inDays(5));
    expect(await cancel(event, { as: 'member' })).toMatchObject(refusal('You are not allowed to cancel this event'));
    expect(await cancel(event, { as: 'enterprise' })).toMatchObject(
      refusal('You are not allowed to cancel this event'),
    );
    expect(await cancel(event, { as: 'no_scopes' })).toMatchObject({
      status: 403,
      body: { required_scopes: ['scheduled_events:write'] },
    });
    expect((await cancel(event, { as: 'admin' })).status).toBe(201);
    expect(await cancel(event)).toMatchObject(refusal('Event is already canceled'));
    const other = await book(solo, inDays(1));
    await sandbox.control('POST', '/clock', { advance: '2d' });
    expect(await cancel(other.event)).toMatchObject(refusal('Event in the past'));
    expect((await cancel(`${sandbox.handles.base_url}/scheduled_events/none`)).status).toBe(404);
    expect((await cancel(event, { body: { reason: 'x'.repeat(10_001) } })).status).toBe(400);
  });

  it('is no operation of the specification', async () => {
    await using specified = await openTestSandbox();
    const [meeting] = specified.service.state.scheduledEvents.values();
    const path = `${meeting?.uri}/cancellation`;
    expect(await specified.call('POST', path, { body: {} })).toMatchObject({
      status: 404,
      body: { details: [{ message: 'No such path.' }] },
    });
  });
});
