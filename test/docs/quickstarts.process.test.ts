// docs/quickstarts: every command runs, in its order, in a fresh folder against the sandbox, and prints what the page shows.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openCallback } from '../harness/sandbox/callback-server.ts';
import { findPostgres } from '../harness/postgres.ts';
import { freePort, until } from '../harness/ports.ts';
import { missingLine, openReader, stepsOf } from '../harness/quickstart.ts';

const pageOf = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../docs/quickstarts', `${name}.md`), 'utf8');

/** The ports of the pages, and free ones. */
async function openTerminal(
  replaced: Readonly<Record<string, string>> = {},
  settings: Readonly<Record<string, string>> = {},
  account = '--contacts 10 --bookings 20',
) {
  const [port, adminPort, sandboxPort] = [await freePort(), await freePort(), await freePort()].map(String) as [
    string,
    string,
    string,
  ];
  const env = {
    PATH: `${findPostgres() ?? ''}:${process.env['PATH'] ?? ''}`,
    PORT: port,
    ADMIN_PORT: adminPort,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    PSQL_PAGER: 'cat',
    ...settings,
  };
  return openReader(env, {
    'slotstream sandbox': `slotstream sandbox --port ${sandboxPort} ${account}`,
    '127.0.0.1:8090': `127.0.0.1:${sandboxPort}`,
    '127.0.0.1:8081': `127.0.0.1:${adminPort}`,
    '0.0.0.0:8080': `0.0.0.0:${port}`,
    ...replaced,
  });
}

describe.runIf(existsSync('/usr/bin/script'))('the quickstart', () => {
  it.runIf(inject('postgresUrl'))('about contacts ends with a change of a contact in PostgreSQL', async () => {
    const { host } = new URL(inject('postgresUrl'));
    const database = `crm_${process.pid}`;
    const replaced = { '127.0.0.1:5432': host, '/crm': `/${database}`, 'database crm': `database ${database}` };
    // The page shows how many contacts there are.
    await using terminal = await openTerminal(replaced, {}, '');
    for (const step of stepsOf(pageOf('contacts-to-postgresql'))) await terminal.run(step);
  });

  it('about bookings ends with a program that reads the feed', async () => {
    await using terminal = await openTerminal();
    for (const step of stepsOf(pageOf('bookings-in-a-pipeline'))) await terminal.run(step);
  });

  it('about no-shows ends with a message in Slack and its retraction', async () => {
    await using slack = await openCallback();
    slack.answer = 200;
    slack.words = { body: 'ok' };
    await using terminal = await openTerminal(
      { 'https://hooks.slack.com/services/T000/B000/XXXX': slack.url, 'hooks.slack.com': new URL(slack.url).host },
      { ALERT_ALLOW_PRIVATE: 'true' },
    );
    for (const step of stepsOf(pageOf('no-shows-in-slack')))
      if (step.kind === 'slack') {
        const newest = () => (slack.received.at(-1)?.body as { text: string } | undefined)?.text ?? '';
        await until(
          () => missingLine(step.shown, newest()) === undefined,
          `Slack shows ${step.shown}, not ${newest()}`,
        );
      } else await terminal.run(step);
    expect(slack.received).toHaveLength(3);
  });

  describe('about moving a client', () => {
    const steps = stepsOf(pageOf('move-your-client'));
    const ofLanguage = (language: string) => steps.filter(({ kind }) => kind === `sh ${language}`);
    const languages = ['typescript', 'php', 'python'];
    const opened = new AsyncDisposableStack();
    let terminal: Awaited<ReturnType<typeof openTerminal>>;
    beforeAll(async () => {
      terminal = opened.use(await openTerminal());
      for (const step of steps.filter((each) => !languages.some((language) => ofLanguage(language).includes(each))))
        await terminal.run(step);
    });
    afterAll(() => opened.disposeAsync());

    const hasPhp = spawnSync('php', ['-r', '']).status === 0;
    const hasRequests = spawnSync('python3', ['-c', 'import requests']).status === 0;
    for (const { language, isHere } of [
      { language: 'typescript', isHere: true },
      { language: 'php', isHere: hasPhp },
      { language: 'python', isHere: hasRequests },
    ])
      it.runIf(isHere)(`ends with the same answers from the mirror, in ${language}`, async () => {
        const [step, ...others] = ofLanguage(language);
        expect(others).toEqual([]);
        await terminal.run(step ?? expect.fail(`The page has no step in ${language}.`));
      });
  });
});
