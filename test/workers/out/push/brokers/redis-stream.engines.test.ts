// The feed pushed into a Redis Stream: every entry once and in order, whatever happens to Redis or to us.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { setPosition } from '#src/store/log/consumer-offsets.ts';
import { restartSink } from '#src/app/restart-sink.ts';
import { sinksFor } from '#src/app/sinks.ts';
import { loadConfig } from '#src/config/load.ts';
import type { PumpInput } from '#workers/out/push/pump.ts';
import { eventually } from '../../../../harness/moments.ts';
import { contact, contactUri, startPump, whole } from '../../../../harness/mirror/sink-pump.ts';
import { openedAnew, openedOnce } from '../../../../harness/opened.ts';
import { startRedis } from '../../../../harness/redis.ts';
import { freshSqlite, ingestBodies, receivedAt } from '../../../../harness/stores.ts';

const key = 'slotstream:feed';
const { feed: feedOff } = loadConfig({});
const some = (from: number, count: number) => Array.from({ length: count }, (_, n) => contact(from + n, 'n'));
const allOf = (count: number) => whole(count).map((seq) => `${seq}-0`);

describe.runIf(inject('redisUrl'))('the feed pushed into a Redis Stream', () => {
  const redis = openedOnce(startRedis);
  const opened = openedAnew(freshSqlite);
  beforeEach(() => redis.cli('flushall'));
  /** As the settings ask for it. */
  const settings = (streamMaxLength = 0) => ({
    pushAllowPrivate: false,
    streamUrl: redis.url,
    streamKey: key,
    streamMaxLength,
  });
  function sink(streamMaxLength = 0): PumpInput {
    const [chosen] = sinksFor(settings(streamMaxLength), Date.now);
    if (chosen === undefined) throw new Error('no sink was chosen');
    return chosen;
  }
  const ids = async () => (await redis.cli('xrange', key, '-', '+')).split('\n').filter((line) => /^\d+-0$/.test(line));

  it('holds each entry under its place, with its kind, its subject and the whole of it', async () => {
    await using pumping = await startPump(opened.store, sink());
    await ingestBodies(opened.store, [contact(1, 'Ada')]);
    await pumping.reaches(1);
    const [id, ...fields] = (await redis.cli('xrange', key, '-', '+')).split('\n');
    expect(id).toBe('1-0');
    expect(fields.slice(0, 4)).toEqual(['seq', '1', 'event', 'contact.updated']);
    expect(fields.slice(4, 7)).toEqual(['subject_uri', contactUri(1), 'entry']);
    expect(JSON.parse(fields[7] ?? '')).toMatchObject({ seq: 1, payload: { name: 'Ada' } });
  });

  it('needs no more rights than the manual lists (S7)', async () => {
    const manual = await readFile('docs/operations.md', 'utf8');
    const [, listed = ''] = /^The feed needs (.+)$/m.exec(manual) ?? [];
    const rights = [...listed.matchAll(/[~+][^\s`]+/g)].map(([right]) => right);
    expect(rights.length).toBeGreaterThan(5);
    await redis.cli('acl', 'setuser', 'feed', 'reset', 'on', '>pw', ...rights);
    const [chosen] = sinksFor({ ...settings(), streamUrl: redis.url.replace('//', '//feed:pw@') }, Date.now);
    if (chosen === undefined) throw new Error('no sink was chosen');
    await using pumping = await startPump(opened.store, chosen);
    await ingestBodies(opened.store, some(1, 2));
    await pumping.reaches(2);
    expect(pumping.failed).toEqual([]);
    expect(await redis.cli('acl', 'log')).toBe('');
  });

  it('holds what was sent twice once', async () => {
    await using first = await startPump(opened.store, sink());
    await ingestBodies(opened.store, some(1, 60));
    await first.reaches(60);
    await first.stop();
    // As after a crash between sending and noting.
    await opened.store.transaction((unit) =>
      setPosition(unit, { name: 'sink:redis-stream', position: 20, updated_at: receivedAt }),
    );
    await using second = await startPump(opened.store, sink());
    await ingestBodies(opened.store, some(61, 5));
    await second.reaches(65);
    expect(await ids()).toEqual(allOf(65));
    expect(second.failed).toEqual([]);
  });

  it('misses nothing while Redis is killed, and freezes, in the middle of it', async () => {
    await using pumping = await startPump(opened.store, sink());
    await ingestBodies(opened.store, some(1, 100));
    await pumping.reaches(100);
    await redis.kill9();
    await ingestBodies(opened.store, some(101, 100));
    await pumping.fails(0);
    await redis.restart();
    await pumping.reaches(200);
    const failures = pumping.failed.length;
    redis.freeze();
    await ingestBodies(opened.store, some(201, 100));
    // A send that met the frozen one gives up on it.
    await pumping.fails(failures);
    redis.thaw();
    await pumping.reaches(300);
    expect(await ids()).toEqual(allOf(300));
  });

  it('misses nothing when Redis is too full for one entry and not for those around it', async () => {
    await using pumping = await startPump(opened.store, sink());
    const used = Number(/used_memory:(\d+)/.exec(await redis.cli('info', 'memory'))?.[1]);
    // The large entry is a megabyte, and twice that while it is read.
    await redis.cli('config', 'set', 'maxmemory', String(used + 1_600_000));
    await ingestBodies(opened.store, [...some(1, 2), contact(3, 'n'.repeat(1_000_000)), ...some(4, 2)]);
    await eventually(() => pumping.failed.at(-1)?.code).toBe('OOM');
    await redis.cli('config', 'set', 'maxmemory', '0');
    await pumping.reaches(5);
    expect(await ids()).toEqual(allOf(5));
  });

  it('keeps about as many as it may', async () => {
    await using pumping = await startPump(opened.store, sink(100));
    await ingestBodies(opened.store, some(1, 400));
    await pumping.reaches(400);
    expect(Number(await redis.cli('xlen', key))).toBeLessThan(300);
    expect((await ids()).at(-1)).toBe('400-0');
  });

  const start = (input = sink()) => startPump(opened.store, input);
  const ingest = async (from: number, count: number) => {
    for (let at = 0; at < count; at += 50) await ingestBodies(opened.store, some(from + at, Math.min(50, count - at)));
  };
  /** Entries of a log that was lost: the numbers were given to others since. */
  const addLost = (from: number, upTo: number) => redis.cli('eval', addsLost, '1', key, String(from), String(upTo));
  const addsLost = `for seq = ARGV[1], ARGV[2] do
    local entry = '{"seq":' .. seq .. ',"received_at":"2025-04-14T11:59:00.000000Z"}'
    redis.call('xadd', KEYS[1], seq .. '-0', 'seq', seq, 'event', '', 'subject_uri', '', 'entry', entry)
  end`;
  const idsAndSeqs = async () =>
    [...(await redis.cli('xrange', key, '-', '+')).matchAll(/^(\d+-\d+)\nseq\n(\d+)$/gm)].map(
      ([, id, seq]) => `${id} #${seq}`,
    );

  it('stays refused when the log has caught up with entries of a lost one, and goes on when a person decides (S2)', async () => {
    await using first = await start();
    await ingest(1, 121);
    await first.reaches(121);
    await first.stop();
    await addLost(122, 241);
    for (const [from, count] of [
      [122, 3],
      [125, 348],
    ] as const) {
      await ingest(from, count);
      await using refused = await start();
      expect(await refused.fails()).toMatchObject({
        code: 'STREAM_AHEAD',
        hint: expect.stringMatching(/: \S*slotstream feed --sink redis-stream --restart-at 121$/),
      });
      expect(await refused.position()).toBe(121);
    }
    expect(await redis.cli('xlen', key)).toBe('241');

    await using waiting = await start();
    const restarted = await restartSink(
      { store: opened.store, config: { feed: { ...feedOff, ...settings() } } },
      { name: 'redis-stream', after: 121 },
    );
    expect(restarted).toEqual({ last: 472, aheadAt: '241-0' });
    await waiting.ended;
    await using last = await start();
    await last.reaches(472);
    const added = whole(472).slice(121);
    const expected = [
      ...whole(241).map((seq) => `${seq}-0 #${seq}`),
      ...added.map((seq) => `${seq > 241 ? `${seq}-0` : `241-${seq - 121}`} #${seq}`),
    ];
    expect(await idsAndSeqs()).toEqual(expected);
    await last.stop();
    // As after a crash between sending and noting: what is there is not added again, under whatever id.
    await opened.store.transaction((unit) =>
      setPosition(unit, { name: 'sink:redis-stream', position: 130, updated_at: receivedAt }),
    );
    await using again = await start();
    await ingest(473, 1);
    await again.reaches(473);
    expect(await idsAndSeqs()).toEqual([...expected, '473-0 #473']);
    expect(again.failed).toEqual([]);
  });

  it('goes on where a reader has deleted the entries, and a replay has moved some (S2)', async () => {
    await using first = await start();
    await ingest(1, 10);
    await first.reaches(10);
    await first.stop();
    await redis.cli('xdel', key, '8-0', '9-0');
    await sql`delete from ${sql.table('event_log')} where seq = 10`.execute(opened.store.db);
    await ingest(11, 2);
    await using second = await start();
    await second.reaches(12);
    await second.stop();
    await redis.cli('xtrim', key, 'MAXLEN', '0');
    await ingest(13, 1);
    await using third = await start();
    await third.reaches(13);
    expect(await idsAndSeqs()).toEqual(['13-0 #13']);
  });

  it('says so when the stream is ahead of the log, instead of taking everything for sent', async () => {
    await redis.cli('xadd', key, '900-0', 'seq', '900');
    await using pumping = await startPump(opened.store, sink());
    await ingestBodies(opened.store, some(1, 3));
    await eventually(() => pumping.failed.at(-1)?.code).toBe('STREAM_AHEAD');
    expect(await pumping.position()).toBe(0);
  });
});
