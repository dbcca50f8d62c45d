// The judge of fault tests, independent of the code under test, and questions to a database without the code under test.
import { expect } from 'vitest';
import { isDrained, judge as judgeRun } from '../chaos/oracle/judge.ts';
import { ask } from '../chaos/oracle/read.ts';
import { until } from '../harness/ports.ts';
import { isAccepted, type Sent } from '../harness/mirror/sender.ts';

export { ask };

/** Lets the leases of a killed process end at once. That they end by themselves is tested where two processes compete. */
export const endLeases = async (storeUrl: string): Promise<void> =>
  void (await ask(storeUrl, "delete from key_values where key like 'lease %'"));

/** Waits until the log holds every delivery answered with 2xx, then judges A to C as a chaos run is judged. */
export async function judge(storeUrl: string, sent: readonly Sent[], timeoutMs = 120_000): Promise<void> {
  const accepted = new Set(sent.filter(({ answers }) => isAccepted(answers.at(-1))).map(({ body }) => body));
  expect(accepted.size, 'something was accepted').toBeGreaterThan(0);
  // When the time is up, the verdict names what is missing.
  await until(() => isDrained(storeUrl, accepted), 'every accepted delivery is in the log', timeoutMs).catch(() => {});
  const offered = sent.map(({ body, answers }) => ({
    body,
    answers: answers.map((status) => ({ status, atMs: 0, tookMs: 0 })),
  }));
  expect((await judgeRun({ store: storeUrl, offered, outputs: {}, canaries: {} })).findings).toEqual([]);
}

/** (D) None of these may appear; what is found is named by its place in the list, so that a failure tells no secret either. */
export function expectNoTraceOf(
  canaries: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>>,
): void {
  const found = Object.entries(texts).flatMap(([where, text]) =>
    Object.entries(canaries).flatMap(([what, canary]) => (text.includes(canary) ? [`${what} in ${where}`] : [])),
  );
  expect(found).toEqual([]);
}
