// Checks that Redis does not lose what it accepts: append-only file on, no eviction, memory left.

import type { Redis } from 'ioredis';
import { withTimeout } from '#src/base/timeout.ts';
import type { EngineProblem } from '#src/queue/contract.ts';
import { codeOf } from '#src/base/errors.ts';
import { toQueueError } from '#src/queue/bullmq/connection.ts';

const timeoutMs = 2000;
const nearlyFull = 0.8;

export async function checkRedis(nodes: readonly Redis[]): Promise<readonly EngineProblem[]> {
  try {
    // A Cluster that was never reached has no nodes yet, so nothing can be checked.
    if (nodes.length === 0) throw new Error("Cluster isn't ready");
    const problems = await withTimeout(Promise.all(nodes.map(checkNode)), timeoutMs);
    return problems.flat();
  } catch (error) {
    throw toQueueError(error);
  }
}

async function checkNode(node: Redis): Promise<readonly EngineProblem[]> {
  return [...(await checkSettings(node)), ...checkMemory(await node.info('memory'))];
}

async function checkSettings(node: Redis): Promise<readonly EngineProblem[]> {
  const problems: EngineProblem[] = [];
  try {
    const appendonly = await setting(node, 'appendonly');
    const fsync = await setting(node, 'appendfsync');
    const policy = await setting(node, 'maxmemory-policy');
    if (appendonly !== 'yes') {
      problems.push({
        fatal: true,
        message: `Redis keeps deliveries in memory only (appendonly ${appendonly}): a crash would lose all accepted deliveries.`,
        hint: 'Start Redis with "--appendonly yes", or run CONFIG SET appendonly yes.',
      });
    }
    if (appendonly === 'yes' && fsync === 'no') {
      problems.push({
        fatal: true,
        message:
          'Redis leaves it to the system when its append-only file is written (appendfsync no): a crash would lose up to half a minute of accepted deliveries.',
        hint: 'Run CONFIG SET appendfsync everysec (or always), and keep it in the configuration file.',
      });
    }
    if (policy !== 'noeviction') {
      problems.push({
        fatal: true,
        message: `Redis evicts data when its memory is full (maxmemory-policy ${policy}).`,
        hint: 'Run CONFIG SET maxmemory-policy noeviction, and keep it in the configuration file.',
      });
    }
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'NOPERM' && code !== 'ERR') throw error;
    problems.push({
      fatal: false,
      message: 'Redis does not allow reading its settings (CONFIG), so its durability is unknown.',
      hint: 'Make sure that it persists (appendonly yes) and never evicts (maxmemory-policy noeviction).',
    });
  }
  return problems;
}

async function setting(node: Redis, name: string): Promise<string> {
  const answer: unknown = await node.config('GET', name);
  return Array.isArray(answer) ? String(answer[1]) : 'unknown';
}

function checkMemory(info: string): readonly EngineProblem[] {
  const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const used = number('used_memory');
  const limit = number('maxmemory');
  if (limit === 0 || used < limit * nearlyFull) return [];
  return [
    {
      fatal: false,
      message: `Redis uses ${Math.round((used / limit) * 100)} % of its maxmemory; when it is full it rejects deliveries.`,
      hint: 'Raise maxmemory, or add workers if the queue is long.',
    },
  ];
}
