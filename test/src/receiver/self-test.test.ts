// The delivery that doctor sends to itself is known by its very bytes, and by nothing else.
import { describe, expect, it } from 'vitest';
import { isSelfTest, selfTestBody } from '#src/receiver/self-test.ts';

describe('the self-test', () => {
  it('is known by its bytes', () => {
    expect(isSelfTest(Buffer.from(selfTestBody))).toBe(true);
  });

  it.each([
    ['with something added', `${selfTestBody.toString()} `],
    ['spelled another way', selfTestBody.toString().replace(':', ': ')],
    ['of another kind', selfTestBody.toString().replace('self_test', 'self_tesT')],
    ['that is empty', ''],
  ])('is not a delivery %s', (_what, text) => {
    expect(isSelfTest(Buffer.from(text))).toBe(false);
  });
});
