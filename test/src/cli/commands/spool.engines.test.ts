// `spool recover` as a person types it: deliveries of a damaged file become rows once, and the output says what is left to do.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeRecord } from '#src/receiver/segments/segment.ts';
import { contactDelivery, contactUri } from '../../../harness/data/contact-deliveries.ts';
import { until } from '../../../harness/ports.ts';
import { openHome, type Home } from '../../../harness/product.ts';
import { ask } from '../../../oracle/deliveries.ts';

let home: Home;
beforeAll(async () => {
  home = await openHome();
});
afterAll(() => home[Symbol.asyncDispose]());

const receivedAt = '2025-04-14T11:42:33.000000Z';
const recordOf = (id: string): Buffer =>
  encodeRecord({ v: 1, deliveries: [{ body: contactDelivery({ id, version: 1 }), receivedAt }] }, 1);

function setAside(name: string, records: readonly Buffer[]): string {
  const folder = join(home.dataDir, 'spool');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `damaged-${name}.segment`);
  writeFileSync(path, Buffer.concat(records));
  return path;
}

describe('spool recover', () => {
  it('rejects an unknown action, and says where nothing is damaged', async () => {
    expect((await home.run(['spool', 'delete'])).code).toBe(2);
    const { code, out } = await home.run(['spool', 'recover']);
    expect([code, out]).toEqual([0, `No damaged segment in ${home.dataDir}/spool or ${home.dataDir}/journal.\n`]);
  });

  it('puts deliveries back that become rows, once however often they are recovered', async () => {
    const damaged = recordOf('lost');
    damaged[30] = 0;
    const records = [recordOf('before'), damaged, recordOf('behind')];
    const path = setAside('one', records);
    const dryRun = await home.run(['spool', 'recover', '--dry-run']);
    expect(dryRun.out).toContain(
      'Nothing was changed: this is a dry run. Would put back: 2 deliveries in 2 valid records.',
    );

    const { code, out } = await home.run(['spool', 'recover']);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(
        `Put back into the spool: 2 deliveries in 2 valid records. ${damaged.length} bytes cannot be read.`,
      ),
    ]);
    expect(out).toContain(`  ${path}.rest\n`);
    expect(out).toContain('./bin/slotstream reconcile --repair, then delete these files.');

    // The same file again, as after a crash in the middle of a recovery.
    setAside('two', records);
    const again = await home.run(['spool', 'recover', '--json']);
    expect(JSON.parse(again.out)).toEqual({
      dry_run: false,
      files: [expect.objectContaining({ records: 2, deliveries: 2, unreadable_bytes: damaged.length })],
      earlier_rests: [`${path}.rest`],
    });

    await home.open('start');
    const entries = async () => ask(home.store, 'select subject_uri, duplicates from event_log order by subject_uri');
    await until(
      async () => (await entries()).reduce((sum, { duplicates }) => sum + Number(duplicates), 0) === 2,
      'both copies are recognized',
    );
    expect((await entries()).map(({ subject_uri }) => subject_uri)).toEqual(['before', 'behind'].map(contactUri));
    expect(await ask(home.store, 'select uri from contacts')).toHaveLength(2);
  });

  it('is what doctor advises', async () => {
    const { out } = await home.run(['doctor']);
    expect(out).toContain('./bin/slotstream spool recover');
  });
});
