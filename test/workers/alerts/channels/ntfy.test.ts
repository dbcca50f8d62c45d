import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openNtfy } from '#workers/alerts/channels/ntfy.ts';
import {
  hostileMessages,
  noShowMessage,
  openChannelWorld,
  retractionMessage,
} from '../../../harness/alerts/channel-sends.ts';
import { runs } from '../../../harness/runs.ts';

const openWorld = (token?: string) => openChannelWorld((needs, url) => openNtfy(needs, { url, token }));

describe('ntfy', () => {
  it('receives title, text and facts for the topic of its address; a tap opens the link', async () => {
    await using world = await openWorld();
    expect(await world.send(noShowMessage)).toEqual({ ok: true, answer: '202' });
    expect(world.web.received[0]?.body).toEqual({
      topic: 'hook',
      title: 'No-show: Ada Lovelace',
      message:
        'Ada Lovelace did not show up for Introduction.\n\nWho: Ada Lovelace\nHost: Grace Hopper\nReschedule: https://book.example.test/r/1',
      priority: 4,
      click: 'https://slots.example.test/',
    });
    expect(world.web.received[0]?.headers).not.toHaveProperty('authorization');
  });

  it('sends JSON to the address above the topic', async () => {
    const called: string[] = [];
    const outgoing = {
      post: async (url: string) => {
        called.push(url);
        return { ok: true as const, status: 200, headers: new Headers(), text: '' };
      },
      connect: () => Promise.reject(new Error('not over HTTP')),
      close: () => undefined,
    };
    for (const url of ['https://ntfy.sh/topic', 'https://ntfy.sh/topic/', 'https://example.test/push/topic'])
      await openNtfy({ outgoing, clock: Date.now }, { url, token: undefined }).send(noShowMessage, AbortSignal.any([]));
    expect(called).toEqual(['https://ntfy.sh/', 'https://ntfy.sh/', 'https://example.test/push/']);
  });

  it('sends its access token, and a retraction is less urgent than an alert', async () => {
    await using world = await openWorld('tk_canary');
    await world.send(retractionMessage);
    expect(world.web.received[0]?.headers['authorization']).toBe('Bearer tk_canary');
    expect(world.web.received[0]?.body.priority).toBe(3);
  });

  it('stays a message whatever the text is: Markdown is never on, and it is short enough not to become a file', async () => {
    await using world = await openWorld();
    await fc.assert(
      fc.asyncProperty(hostileMessages, async (message) => {
        expect(await world.send(message)).toMatchObject({ ok: true });
        const { raw, body } = world.web.received.pop() ?? { raw: Buffer.alloc(0), body: {} };
        expect(raw.length).toBeLessThan(8_192);
        expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(4_096);
        expect(Object.keys(body).toSorted()).toEqual(['click', 'message', 'priority', 'title', 'topic']);
        expect(body.click).toBe('https://slots.example.test/');
      }),
      runs(200),
    );
  });
});
