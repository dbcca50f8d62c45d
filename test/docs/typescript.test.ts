// docs/typescript.md: every example is complete. The compiler reads each with the installed package (test/installation.process.test.ts);
// here those that need no database run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

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
