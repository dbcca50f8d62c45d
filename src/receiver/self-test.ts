// The delivery that `doctor` sends to itself, signed: these very bytes, which no service sends, are answered and not queued. So
// the way through the public address and the signing key are proved without a trace in the log.

export const selfTestBody = Buffer.from('{"event":"slotstream.self_test"}');
export const selfTestTitle = 'Self-Test';

/** To be asked of what is verified only. */
export function isSelfTest(body: Buffer): boolean {
  return body.length === selfTestBody.length && body.equals(selfTestBody);
}
