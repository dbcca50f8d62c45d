// calendly-mcp-server, for AI models: a program that its host starts, and whose tools answer with texts, most of them JSON.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Client, firstOf, idOf, type Named, urisOf } from '../client.ts';

interface Answer {
  readonly resource?: Named;
  readonly collection?: readonly Named[];
}

const name = 'calendly-mcp-server';

export const client: Client = {
  packages: [`${name}@2.0.0`],
  async open({ token, organization, folder, close }) {
    const { resolve } = createRequire(join(folder, 'program.js'));
    const host = new McpClient({ name: 'first-day', version: '1.0.0' });
    await host.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [...process.execArgv, resolve(`${name}/dist/index.js`)],
        env: { BASE_URL: process.env['BASE_URL'] ?? '', CALENDLY_API_KEY: token },
        stderr: 'ignore',
      }),
    );
    close(() => host.close());
    const call = async (tool: string, given: { [argument: string]: unknown }): Promise<string> => {
      const { content, isError } = await host.callTool({ name: tool, arguments: given });
      const text = (content as readonly { readonly text?: string }[]).map((part) => part.text ?? '').join('\n');
      if (isError) throw new Error(text);
      return text;
    };
    const read = async (tool: string, given: { [argument: string]: unknown } = {}): Promise<Answer> => {
      const text = await call(tool, given);
      return JSON.parse(text.slice(text.indexOf('{'))) as Answer;
    };
    const list = async (tool: string, given: { [argument: string]: unknown }) =>
      urisOf((await read(tool, given)).collection ?? []);
    const me = async () => {
      const { resource } = await read('get_current_user');
      if (resource === undefined) throw new Error('It does not say who it is.');
      return resource.uri;
    };
    let meetings: readonly string[] = [];
    return {
      me: async () => [await me()],
      members: () => list('list_organization_memberships', { organization_uri: organization }),
      // A text for people, with the URI of each.
      'event types': async () =>
        [...(await call('list_event_types', { user: await me() })).matchAll(/^ *- URI: (\S+)$/gm)].map(
          ([, uri = '']) => uri,
        ),
      async meetings() {
        meetings = await list('list_events', { organization_uri: organization, status: 'active', count: 50 });
        return meetings;
      },
      async 'one meeting'() {
        const { resource } = await read('get_event', { event_uuid: idOf(firstOf(meetings)) });
        return resource === undefined ? [] : [resource.uri];
      },
      invitees: () => list('list_event_invitees', { event_uuid: idOf(firstOf(meetings)) }),
    };
  },
};
