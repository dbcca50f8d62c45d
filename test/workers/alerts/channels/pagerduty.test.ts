import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openPagerDuty } from '#workers/alerts/channels/pagerduty.ts';
import {
  hostileMessages,
  noShowMessage,
  openChannelWorld,
  retractionMessage,
} from '../../../harness/alerts/channel-sends.ts';
import { runs } from '../../../harness/runs.ts';

const key = 'canary0123456789canary0123456789';
const openWorld = () =>
  openChannelWorld((needs, url) => openPagerDuty(needs, { url, key, source: 'hooks.example.test' }));

describe('pagerduty', () => {
  it('triggers an incident for an alert', async () => {
    await using world = await openWorld();
    expect(await world.send(noShowMessage)).toEqual({ ok: true, answer: '202' });
    expect(world.web.received[0]?.body).toEqual({
      routing_key: key,
      event_action: 'trigger',
      dedup_key: 'a1b2c3',
      client: 'Slotstream',
      client_url: 'https://slots.example.test/',
      links: [
        { href: 'https://book.example.test/r/1', text: 'Reschedule' },
        { href: 'https://slots.example.test/', text: 'Open Slotstream' },
      ],
      payload: {
        summary: 'No-show: Ada Lovelace',
        source: 'hooks.example.test',
        severity: 'warning',
        timestamp: '2026-11-16T15:10:00.000000Z',
        class: 'missed',
        custom_details: {
          text: 'Ada Lovelace did not show up for Introduction.',
          Who: 'Ada Lovelace',
          Host: 'Grace Hopper',
          Reschedule: 'https://book.example.test/r/1',
        },
      },
    });
  });

  it('resolves the incident of the alert for a retraction', async () => {
    await using world = await openWorld();
    await world.send(retractionMessage);
    expect(world.web.received[0]?.body).toEqual({ routing_key: key, event_action: 'resolve', dedup_key: 'a1b2c3' });
  });

  it('has no link where there is none, and a test message is information only', async () => {
    await using world = await openWorld();
    await world.send({ ...noShowMessage, kind: 'test', facts: [], link: undefined });
    const { payload, ...rest } = world.web.received[0]?.body ?? {};
    expect(payload).toMatchObject({ source: 'hooks.example.test', severity: 'info' });
    expect(rest.links).toEqual([]);
    expect(rest).not.toHaveProperty('client_url');
  });

  it('does not show its key when it is rejected, and does not try again', async () => {
    await using world = await openWorld();
    world.web.answer = 400;
    world.web.words = { body: JSON.stringify({ status: 'invalid event', errors: [`'${key}' is wrong`] }) };
    expect(await world.send(noShowMessage)).toEqual({ ok: false, answer: '400', retry: false });
  });

  it('accepts hostile text within its limits, and no text becomes a field of the event', async () => {
    await using world = await openWorld();
    await fc.assert(
      fc.asyncProperty(hostileMessages, async (message) => {
        expect(await world.send(message)).toMatchObject({ ok: true });
        const { raw, body } = world.web.received.pop() ?? { raw: Buffer.alloc(0), body: {} };
        // PagerDuty's limit is 512 kB.
        expect(raw.length).toBeLessThan(64_000);
        expect(body).toMatchObject({ routing_key: key, event_action: 'trigger', dedup_key: 'a1b2c3' });
        expect(body.payload.summary.length).toBeLessThanOrEqual(1_024);
        expect(body.links).toEqual([{ href: 'https://slots.example.test/', text: 'Open Slotstream' }]);
      }),
      runs(200),
    );
  });
});
