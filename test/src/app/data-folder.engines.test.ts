// The data folder of a running process: for its owner alone, whatever the umask is.
import { chmodSync, globSync, mkdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contactDelivery } from '../../harness/data/contact-deliveries.ts';
import { openSender } from '../../harness/mirror/sender.ts';
import { until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { ask } from '../../oracle/deliveries.ts';

/** What others may do with the folder and everything in it. */
const readableByOthers = (folder: string): string[] =>
  ['', ...globSync('**/*', { cwd: folder })]
    .filter((path) => (statSync(join(folder, path), { throwIfNoEntry: false })?.mode ?? 0) & 0o077)
    .toSorted();

describe('the data folder', () => {
  it('is created for its owner alone, with everything in it', async () => {
    await using home = await openHome();
    const folder = join(home.dataDir, 'made', 'by-start');
    const store = `sqlite:${join(folder, 'mirror.db')}`;
    const product = await home.open('start', { settings: { DATA_DIR: folder, DATABASE_URL: store } });
    const sender = openSender({ url: product.webhook, key: home.signingKey });
    await sender.send([contactDelivery({ id: 'a', version: 1 })]);
    sender.close();
    await until(async () => (await ask(store, 'select uri from contacts')).length === 1, 'the delivery is a row');
    expect(globSync('**/*', { cwd: folder }).length).toBeGreaterThan(4);
    expect(readableByOthers(folder)).toEqual([]);
  });

  it.each([
    ['/etc/passwd', 'is a file, not a folder.', '→ Set DATA_DIR to a folder'],
    ['/etc/passwd/folder', `the user ${userInfo().username}`, '→ Give the folder to that user'],
  ])('that cannot be used, such as %s, is named at once, with what to do', async (folder, what, hint) => {
    await using home = await openHome();
    const { code, err } = await home.run(['start'], { DATA_DIR: folder });
    expect([code, err]).toEqual([2, expect.stringContaining(`✗ DATA_DIR ${folder} `)]);
    expect(err).toContain(what);
    expect(err).toContain(hint);
  });

  it('keeps the mode that the operator gave it; its files are for the owner alone', async () => {
    await using home = await openHome();
    const folder = join(home.dataDir, 'existing');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    const DATABASE_URL = `sqlite:${join(folder, 'mirror.db')}`;
    await home.open('start', { settings: { DATA_DIR: folder, DATABASE_URL } });
    expect(readableByOthers(folder)).toEqual(['']);
  });
});
