// docs/typescript.md: every example is complete. The compiler reads each with the installed package (test/installation.process.test.ts);
// here those that need no database run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { startSandbox } from '#src/library/sandbox.ts';
import { fillReadWorld } from '../harness/data/read-world.ts';
import { listen, readToken } from '../harness/mirror/api-app.ts';
import { openReadApi } from '../harness/mirror/read-api.ts';
import { freePort, until } from '../harness/ports.ts';
import { freshMemory } from '../harness/stores.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(root, 'test/docs/examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const page = readFileSync(join(root, 'docs/typescript.md'), 'utf8');
const examples = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, code = '']) => code);

it('the examples of docs/typescript.md run', async () => {
  expect(examples.length).toBeGreaterThan(5);
  for (const [index, code] of examples.entries()) {
    const path = join(folder, `example-${index}.ts`);
    writeFileSync(path, code);
    await import(path);
  }
});

it('the first example receives each no-show of a simulated service (A19)', async () => {
  await using sandbox = await startSandbox({ as: 'public' });
  const [first = ''] = examples;
  const port = await freePort();
  const here = `apiBaseUrl: '${sandbox.url}', host: '127.0.0.1', minFreeDiskMb: 0, logLevel: 'error', `;
  const settings = "port: 8080, dataDir: 'data', ";
  expect(first).toContain(settings);
  const path = join(folder, 'first.ts');
  const code = first.replace(settings, `${here}port: ${port}, dataDir: '${join(folder, 'data')}', `);
  // It runs until its program ends.
  writeFileSync(path, code.replace('const mirror', 'const mirror = (globalThis as any).mirror'));
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  const { run } = (await import(path)) as { run(token: string, publicUrl: string): Promise<void> };
  try {
    await run(sandbox.token, `http://127.0.0.1:${port}`);
    const { uri } = await sandbox.book({ email: 'ada@example.test' });
    await sandbox.noShow(uri);
    await until(() => printed.mock.calls.length === 1, 'the function was called');
    expect(printed.mock.calls).toEqual([[uri, 'ada@example.test']]);
  } finally {
    printed.mockRestore();
    await (globalThis as { mirror?: AsyncDisposable }).mirror?.[Symbol.asyncDispose]();
  }
});

it('the example about no-shows prints them, by host, from a real mirror', async () => {
  await using api = await openReadApi(freshMemory);
  await fillReadWorld(api.store);
  await using listener = await listen(api.admin);
  const path = join(folder, 'rows.ts');
  const example = examples.find((code) => code.includes('printNoShows')) ?? '';
  // The world has meetings of January 2025.
  writeFileSync(path, example.replace('2026-11-01', '2025-01-01').replace('2026-12-01', '2025-02-01'));
  const { printNoShows } = (await import(path)) as { printNoShows(url: string, token: string): Promise<void> };
  const printed = vi.spyOn(console, 'log').mockReturnValue();
  try {
    await printNoShows(listener.url, readToken);
    const lines = printed.mock.calls.map(([line]) => String(line));
    const persons = lines.filter((line) => line.includes('did not meet'));
    expect(persons.length).toBeGreaterThan(1);
    expect(persons).toEqual(persons.toSorted().toReversed());
    const counted = lines.slice(persons.length, -1).map((line) => Number(line.split(': ')[1]));
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(persons.length);
    expect(lines.at(-1)).toBe(`No-shows: ${persons.length}.`);
  } finally {
    printed.mockRestore();
  }
});
