// With real servers and a pooler: test/src/store/engines/postgres-connections.engines.test.ts and the queue's test for PostgreSQL.
import { expect, it } from 'vitest';
import { directOption, isDirect } from '#src/base/direct-connection.ts';

it.each([
  [[{ direct: 'yes' }], true],
  [[{ direct: '' }], false],
  [[], false],
] as const)('a server that answers %j has a direct connection: %s', async (rows, direct) => {
  const asked: string[] = [];
  const query = async (text: string) => {
    asked.push(text);
    return { rows };
  };
  expect(await isDirect({ query })).toBe(direct);
  // It asks for the setting that the start-up message sets.
  expect(asked.join()).toContain(/-c (.+)=yes/.exec(directOption)?.[1]);
});
