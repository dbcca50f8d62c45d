// A process that no model asks does not load the MCP server.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

/** Every module that is loaded with this one, and the packages. */
function loadedWith(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  const text = readFileSync(join(root, path), 'utf8');
  for (const [, target = ''] of text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from\s'([^']+)'/gm)) {
    if (!/^[.#].*\.ts$/.test(target)) found.add(target);
    else loadedWith(target.startsWith('#') ? target.slice(1) : join(dirname(path), target), found);
  }
  return found;
}

describe('the MCP server', () => {
  it('is not loaded when a process starts, only by the command and by the first request', () => {
    const started = loadedWith('src/cli/commands/serve.ts');
    expect(started).toContain('src/app/mcp.ts');
    expect([...started].filter((path) => /modelcontextprotocol|^src\/addons/.test(path))).toEqual([]);
    expect(loadedWith('src/cli/commands/mcp.ts')).toContain('@modelcontextprotocol/server');
  });
});
