// Bodies that arrive in pieces are assembled, and limited together.
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createBodyBudget, type BodyBudget } from '#src/receiver/body-budget.ts';
import { readBody } from '#src/receiver/read-body.ts';

const readInBytes = (text: string, budget: BodyBudget) =>
  readBody(Readable.from(text.split('').map((letter) => Buffer.from(letter))), {
    maxBytes: 100_000,
    budget,
    declared: undefined,
  });

describe('a body sent byte by byte', () => {
  it('is assembled, and releases its share when it is complete', async () => {
    const budget = createBodyBudget({ maxBytes: 6_000, reservedBytes: 0 });
    const text = Array.from({ length: 5_000 }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
    for (let round = 0; round < 3; round += 1) expect(String(await readInBytes(text, budget))).toBe(text);
  });

  it('is given up when it exceeds the budget, and releases its share', async () => {
    const budget = createBodyBudget({ maxBytes: 1_000, reservedBytes: 0 });
    expect(await readInBytes('x'.repeat(2_000), budget)).toBe('body_budget');
    expect(String(await readInBytes('x'.repeat(1_000), budget))).toHaveLength(1_000);
  });
});
