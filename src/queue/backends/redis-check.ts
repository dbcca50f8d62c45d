// Whether a Redis keeps what it accepts: append-only file on, nothing evicted, room left.

import type { Redis } from 'ioredis';
import { withTimeout } from '#src/base/timeout.ts';
import type { EngineProblem } from '#src/queue/contract.ts';
import { codeOf } from '#src/base/errors.ts';
import { queueFailure } from '#src/queue/sanitize-error.ts';

const deadlineMs = 2000;
const nearlyFull = 0.8;

export async function checkRedis(nodes: readonly Redis[]): Promise<readonly EngineProblem[]> {
  try {
    // A Cluster that was never reached has no nodes yet, which says nothing about them.
    if (nodes.length === 0) throw new Error("Cluster isn't ready");
    const problems = await withTimeout(Promise.all(nodes.map(checkNode)), deadlineMs);
    return problems.flat();
  } catch (error) {
    throw queueFailure(error);
  }
}

async function checkNode(node: Redis): Promise<readonly EngineProblem[]> {
  return [...(await checkSettings(node)), ...checkMemory(await node.info('memory'))];
}

async function checkSettings(node: Redis): Promise<readonly EngineProblem[]> {
  const problems: EngineProblem[] = [];
  try {
    const appendonly = await setting(node, 'appendonly');
    const policy = await setting(node, 'maxmemory-policy');
    if (appendonly !== 'yes') {
      problems.push({
        fatal: true,
        message: `Redis keeps deliveries in memory only (appendonly ${appendonly}): a crash would lose every accepted one.`,
        hint: 'Start Redis with "--appendonly yes", or run CONFIG SET appendonly yes.',
      });
    }
    if (policy !== 'noeviction') {
      problems.push({
        fatal: true,
        message: `Redis throws data away when its memory is full (maxmemory-policy ${policy}).`,
        hint: 'Run CONFIG SET maxmemory-policy noeviction, and keep it in the configuration file.',
      });
    }
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'NOPERM' && code !== 'ERR') throw error;
    problems.push({
      fatal: false,
      message: 'Redis does not let us read its settings (CONFIG), so whether it keeps accepted deliveries is unknown.',
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
      message: `Redis uses ${Math.round((used / limit) * 100)} % of its maxmemory; when full it refuses deliveries.`,
      hint: 'Raise maxmemory, or add workers if the queue is long.',
    },
  ];
}
