// Bodies that are no sound facts, or sound and hard to process: each is stored, most of them in quarantine.
import { serviceUrl, type World } from './world.ts';

/** All kinds by turns. No two are equal: each contains its number. */
export function poisonBody({ canaries, now }: World, n: number): string {
  const envelope = (event: string, payload: unknown, created_at: unknown = now()): string =>
    JSON.stringify({ event, created_at, payload });
  const uri = `${serviceUrl}/contacts/poison-${n}`;
  const name = `Ada ${canaries.name} ${n}`;
  const large = 'x'.repeat(990_000);
  const ways: readonly (() => string)[] = [
    () => `{"event": "contact.updated", no JSON ${name}`,
    () => `\u0000 ${name}`,
    () => JSON.stringify([name]),
    () => JSON.stringify(name),
    () => envelope('contact.merged', { uri, name }),
    () => envelope('', { uri, name }),
    () => envelope('contact.updated', { uri, name, emails: 'none' }),
    () => envelope('contact.updated', { uri: `no URI ${n}`, name }),
    () => envelope('contact.updated', { uri, name }, 'yesterday'),
    () => envelope('contact.updated', null).replace('null', `"${name}"`),
    () => `{"event":"contact.updated","created_at":"${now()}","payload":${'['.repeat(5000)}${n}${']'.repeat(5000)}}`,
    () => `{"event":"contact.updated","payload":${'{"a":'.repeat(200)}${n}${'}'.repeat(200)}}`,
    () => `${n}`,
    () => `${n}${canaries.token}`,
    // Large and sound, large and not.
    () => envelope('contact.updated', { uri, name, job_title: large }),
    () => `${large}${n}`,
  ];
  return ways[n % ways.length]?.() ?? '';
}
