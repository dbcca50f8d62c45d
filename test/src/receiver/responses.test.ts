// The self-test delivery is recognized by its exact bytes only.
import { describe, expect, it } from 'vitest';
import { isSelfTest, selfTestBody } from '#src/receiver/responses.ts';

describe('the self-test delivery', () => {
  it('is recognized by its bytes', () => {
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
