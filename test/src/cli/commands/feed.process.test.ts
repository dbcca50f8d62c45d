// `slotstream feed`: the log as lines of JSON, followed while others write, and remembered for a consumer.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { openStore } from '#src/store/open-store.ts';
import { readPosition } from '#src/store/log/consumer-offsets.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { until } from '../../../harness/ports.ts';
import { runVerb } from '../../../harness/run-verb.ts';
import { productMain } from '../../../harness/running-verb.ts';
import { ingestBodies } from '../../../harness/stores.ts';

const contact = (n: number, name = `n${n}`) =>
  JSON.stringify({
    event: n % 2 === 0 ? 'contact.created' : 'contact.updated',
    created_at: '2025-04-14T11:43:10Z',
    payload: { uri: `https://api.example.test/contacts/${n}`, name },
  });

async function withEntries(count: number, name?: string) {
  const home = await openHome();
  const store = await openStore({ report: () => {} }, home.store);
  const bodies = Array.from({ length: count }, (_, n) => contact(n + 1, name));
  for (let at = 0; at < count; at += 100) await ingestBodies(store, bodies.slice(at, at + 100));
  return {
    home,
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await home[Symbol.asyncDispose]();
    },
  };
}

const lines = (out: string) => out.split('\n').filter((line) => line !== '');
const seqs = (out: string) => lines(out).map((line) => (JSON.parse(line) as { seq: number }).seq);
const printed = async (home: Home, ...args: string[]) => {
  const { code, out, err } = await home.run(['feed', ...args]);
  expect([code, err]).toEqual([0, '']);
  return seqs(out);
};

describe('slotstream feed', () => {
  it('prints one line per entry, filtered on request', async () => {
    await using world = await withEntries(7);
    expect(await printed(world.home)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await printed(world.home, '--after', '3', '--limit', '2')).toEqual([4, 5]);
    expect(await printed(world.home, '--event', 'contact.created')).toEqual([2, 4, 6]);
    expect(await printed(world.home, '--subject', 'https://api.example.test/contacts/3')).toEqual([3]);
    const { out } = await world.home.run(['feed', '--limit', '1', '--include', 'row']);
    expect(JSON.parse(out)).toMatchObject({ row: { contacts: { name: 'n1' } } });
  });

  it('suggests the kind that was meant by a misspelt one, and takes one that it does not know (A30)', async () => {
    await using world = await withEntries(2);
    const { home } = world;
    const ran = await home.run(['feed', '--event', 'invitee.createdd']);
    expect([ran.code, ran.out, ran.err]).toEqual([2, '', expect.stringContaining('Did you mean invitee.created?')]);
    expect((await home.run(['feed', '--event', 'invitee.created,invoice.paid'])).code).toBe(0);
  });

  it('prints one sentence per entry on a terminal, and JSON there when it is asked for', async () => {
    await using world = await withEntries(2, 'Ada\n\u202e');
    await ingestBodies(world.store, ['no JSON']);
    const onTerminal = async (...args: string[]) => {
      const around = { stopping: new AbortController().signal, isTerminal: true };
      return lines((await runVerb(['feed', ...args], world.home.settings, around)).out);
    };
    const time = '\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d UTC';
    expect(await onTerminal()).toEqual(
      [
        '#1  Contact Ada\\\\n\\\\u202e was changed',
        '#2  Ada\\\\n\\\\u202e is a new contact',
        '#3  A delivery that could not be parsed \\(quarantined\\)',
      ].map((line) => expect.stringMatching(new RegExp(`^${time}  ${line}$`))),
    );
    for (const asked of [['--json'], ['--include', 'none']])
      expect(seqs((await onTerminal(...asked)).join('\n'))).toEqual([1, 2, 3]);
  });

  it('continues at the position of a consumer, and acknowledges what it printed', async () => {
    await using world = await withEntries(5);
    expect(await printed(world.home, '--consumer', 'warehouse', '--limit', '2')).toEqual([1, 2]);
    expect(await readPosition(world.store, 'warehouse')).toBe(2);
    expect(await printed(world.home, '--consumer', 'warehouse')).toEqual([3, 4, 5]);
    expect(await printed(world.home, '--consumer', 'warehouse')).toEqual([]);
  });

  it('follows the log while others write, until it is stopped', async () => {
    await using world = await withEntries(2);
    await using following = world.home.openVerb(['feed', '--follow', '--consumer', 'warehouse']);
    await until(() => lines(following.out()).length === 2, 'what was there is printed');
    await ingestBodies(world.store, [contact(3), contact(4)]);
    await until(() => lines(following.out()).length === 4, 'what came is printed');
    expect(await following.signal('SIGINT')).toBe(0);
    expect(seqs(following.out())).toEqual([1, 2, 3, 4]);
    expect(following.err()).toBe('');
    expect(await readPosition(world.store, 'warehouse')).toBe(4);
  });

  it('waits for a slow reader, ends quietly when the reader closes the pipe, and acknowledges nothing the reader did not get', async () => {
    await using world = await withEntries(1_000, 'x'.repeat(4_000));
    const child = spawn(process.execPath, [productMain, 'feed', '--consumer', 'slow'], {
      env: { ...world.home.settings },
      cwd: tmpdir(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let complaint = '';
    child.stderr.on('data', (chunk) => (complaint += String(chunk)));
    const exit = once(child, 'exit');
    await once(child.stdout, 'readable');
    // The reader has stopped: the verb cannot have reached the end, which is megabytes ahead.
    expect((await readPosition(world.store, 'slow')) ?? 0).toBeLessThan(1_000);
    child.stdout.destroy();
    expect([await exit, complaint]).toEqual([[0, null], '']);
    expect((await readPosition(world.store, 'slow')) ?? 0).toBeLessThan(1_000);
  });
});
