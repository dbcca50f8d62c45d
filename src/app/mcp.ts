// What MCP needs of a mirror, for the admin listener of a process and for the command `mcp`.
import { randomBytes } from 'node:crypto';
import type { AdminNeeds, ReadApi } from '#src/api/app.ts';
import { memoize } from '#src/base/memoize.ts';
import { minuteMs } from '#src/base/time.ts';
import type { Config } from '#src/config/load.ts';
import { throttled, type Log } from '#src/observability/log.ts';
import type { Store } from '#src/store/contract.ts';
import { makeKey } from '#workers/fold/privacy/erasure-index.ts';
import { errorLogger } from './mirror.ts';
import manifest from '../../package.json' with { type: 'json' };

interface MirrorNeeds {
  readonly config: Pick<Config, 'mcp'>;
  readonly log: Log;
  readonly store: Store;
}

export async function mcpNeeds({ config, log, store }: MirrorNeeds) {
  const write = throttled(log, minuteMs);
  return {
    // The key by which erased people are recognized, which every process on this mirror has.
    secret: await store.transaction((unit) => makeKey(unit, () => randomBytes(32).toString('hex'))),
    isRevealed: config.mcp.isRevealed,
    version: manifest.version,
    clock: Date.now,
    report: errorLogger(log, 'MCP server'),
    malformed: () => write('info', 'a client of MCP sent a message that is not of the protocol'),
  };
}

/** Loaded with the first request that has the token: most processes never get one. */
export function mcpOf(needs: MirrorNeeds, reads: () => Promise<ReadApi>): NonNullable<AdminNeeds['mcp']> {
  return {
    mcpToken: needs.config.mcp.token,
    open: memoize(async () => {
      const { createMcpEndpoint } = await import('#src/addons/mcp/server.ts');
      return createMcpEndpoint({ ...(await mcpNeeds(needs)), api: await reads() });
    }),
  };
}
