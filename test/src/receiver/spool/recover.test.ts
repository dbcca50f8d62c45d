// Recovery of damaged segments: every valid record comes back once, what cannot be read stays, and a receiver may be running.
import fc from 'fast-check';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { holdLock } from '#src/base/process-lock.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { createLog } from '#src/observability/log.ts';
import { packBatch } from '#src/queue/batch-codec.ts';
import type { DeliveryBatch } from '#src/queue/contract.ts';
import { encodeRecord } from '#src/receiver/segments/segment.ts';
import { recoverDamaged } from '#src/receiver/spool/recover.ts';
import { openSpool, type Spool } from '#src/receiver/spool/spool.ts';
import { runs } from '../../../harness/runs.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slotstream-recover-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const receivedAt = '2025-04-14T11:42:33.000000Z';
const batchOf = (...bodies: string[]): DeliveryBatch => ({
  v: 1,
  deliveries: bodies.map((body) => ({ body, receivedAt })),
});
const recordOf = (...bodies: string[]): Buffer => encodeRecord(batchOf(...bodies), bodies.length);
const log = createLog({ level: 'silent', pretty: false });
const openAt = (): Promise<Spool> =>
  openSpool({ log, metrics: { spooled: () => undefined } }, { root: join(dataDir, 'spool') });

function setAside(place: 'spool' | 'journal', name: string, bytes: Buffer): string {
  mkdirSync(join(dataDir, place), { recursive: true });
  const path = join(dataDir, place, `damaged-${name}.segment`);
  writeFileSync(path, bytes);
  return path;
}

const filesLeft = (): string[] =>
  ['spool', 'journal']
    .flatMap((place) => (existsSync(join(dataDir, place)) ? readdirSync(join(dataDir, place)) : []))
    .filter((name) => name.startsWith('damaged-'));

/** What a receiver finds in the spool. */
async function spooled(spool: Spool): Promise<string[]> {
  const bodies: string[] = [];
  for (let segment = await spool.oldest(); segment; segment = await spool.oldest()) {
    bodies.push(...(await spool.read(segment)).map(({ body }) => body));
    await spool.remove(segment);
  }
  return bodies;
}

async function spooledAfterStart(): Promise<string[]> {
  const spool = await openAt();
  const bodies = await spooled(spool);
  await spool.close();
  return bodies;
}

const damagedRecord = (): Buffer => {
  const record = recordOf('unreadable');
  record[20] = (record[20] ?? 0) ^ 1;
  return record;
};

describe('recovery of damaged segments', () => {
  it('puts every valid record back for the next receiver, and leaves only the unreadable bytes', async () => {
    const path = setAside('spool', 'a', Buffer.concat([recordOf('one'), damagedRecord(), recordOf('two', 'three')]));
    const { files } = await recoverDamaged({ dataDir, dryRun: false });
    const unreadable_bytes = damagedRecord().length;
    expect(files).toEqual([{ file: path, records: 2, deliveries: 3, unreadable_bytes, rest: `${path}.rest` }]);
    expect(filesLeft()).toEqual(['damaged-a.segment.rest']);
    expect(readFileSync(`${path}.rest`)).toEqual(damagedRecord());
    expect(statSync(`${path}.rest`).mode & 0o777).toBe(0o600);
    expect(await spooledAfterStart()).toEqual(['one', 'two', 'three']);
  });

  it('reads the journal too, packed batches and bodies that are no text included', async () => {
    const binary: DeliveryBatch = { v: 1, deliveries: [{ body: '/wA=', encoding: 'base64', receivedAt }] };
    const journaled = [packBatch(batchOf('p', 'q')), binary].map((batch, at) =>
      encodeRecord({ id: `x-${at}`, ...batch }, 1),
    );
    setAside('journal', 'j', Buffer.concat([damagedRecord(), ...journaled]));
    expect((await recoverDamaged({ dataDir, dryRun: false })).files).toMatchObject([{ records: 2, deliveries: 3 }]);
    expect(await spooledAfterStart()).toEqual(['p', 'q', '/wA=']);
  });

  it('recovers nothing twice, and a second run names what the first one left', async () => {
    const path = setAside('spool', 'a', Buffer.concat([recordOf('one'), damagedRecord()]));
    await recoverDamaged({ dataDir, dryRun: false });
    const second = await recoverDamaged({ dataDir, dryRun: false });
    expect(second).toEqual({ dry_run: false, files: [], earlier_rests: [`${path}.rest`] });
    expect(await spooledAfterStart()).toEqual(['one']);
  });

  it('changes nothing in a dry run, and creates nothing where nothing is damaged', async () => {
    expect(await recoverDamaged({ dataDir, dryRun: false })).toMatchObject({ files: [], earlier_rests: [] });
    expect(readdirSync(dataDir)).toEqual([]);
    const bytes = Buffer.concat([recordOf('one'), damagedRecord()]);
    const path = setAside('spool', 'a', bytes);
    expect((await recoverDamaged({ dataDir, dryRun: true })).files).toMatchObject([{ file: path, deliveries: 1 }]);
    expect(readdirSync(join(dataDir, 'spool'))).toEqual(['damaged-a.segment']);
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('works beside a running receiver, which adopts what was put back', async () => {
    const running = await openAt();
    await running.append(batchOf('own'));
    setAside('spool', 'a', Buffer.concat([damagedRecord(), recordOf('back')]));
    await recoverDamaged({ dataDir, dryRun: false });
    await running.adopt();
    expect((await spooled(running)).toSorted()).toEqual(['back', 'own']);
    await running.close();
  });

  it('refuses to run twice at the same time, and touches nothing then', async () => {
    const path = setAside('spool', 'a', recordOf('one'));
    using _other = holdLock(join(dataDir, 'spool', 'recover.lock'), new SlotstreamError('busy', 'held'));
    await expect(recoverDamaged({ dataDir, dryRun: false })).rejects.toMatchObject({ code: 'busy' });
    expect(existsSync(path)).toBe(true);
  });

  it('keeps a file that is garbage, and a valid record of an unknown form, as unreadable', async () => {
    const unknown = encodeRecord({ v: 2, something: 'else' }, 1);
    setAside('spool', 'a', Buffer.from('no record at all'));
    setAside('spool', 'b', Buffer.concat([unknown, recordOf('one')]));
    const { files } = await recoverDamaged({ dataDir, dryRun: false });
    expect(files.map(({ records, unreadable_bytes }) => [records, unreadable_bytes])).toEqual([
      [0, 16],
      [1, unknown.length - 12],
    ]);
    expect(await spooledAfterStart()).toEqual(['one']);
  });

  it('leaves a file as it was when the disk cannot be written', async () => {
    const path = setAside('spool', 'a', Buffer.concat([recordOf('one'), damagedRecord()]));
    // A folder in the way of the file for the unreadable bytes.
    mkdirSync(join(`${path}.rest`, 'in-the-way'), { recursive: true });
    await expect(recoverDamaged({ dataDir, dryRun: false })).rejects.toMatchObject({
      code: 'output',
      message: expect.stringContaining('damaged-a.segment was not recovered'),
    });
    expect(existsSync(path)).toBe(true);
  });

  it('loses no valid record and no unreadable byte, wherever the damage is', async () => {
    const records = ['a', 'bb', 'ccc', 'dddd'].map((body) => recordOf(body));
    const bytes = Buffer.concat(records);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ mask;
        const path = setAside('spool', 'p', damaged);
        const { files } = await recoverDamaged({ dataDir, dryRun: false });
        let end = 0;
        const hit = records.findIndex((record) => (end += record.length) > at);
        expect(await spooledAfterStart()).toEqual(['a', 'bb', 'ccc', 'dddd'].toSpliced(hit, 1));
        expect(files[0]?.unreadable_bytes).toBe(records[hit]?.length);
        expect(statSync(`${path}.rest`).size).toBe(records[hit]?.length);
      }),
      runs(40),
    );
  });
});
