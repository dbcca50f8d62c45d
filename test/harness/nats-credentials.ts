// An account of NATS and a credentials file for a user of it, as the tools of NATS write them, for tests.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token that `issuer` signs about the key `subject`. */
function token(issuer: KeyPair, subject: KeyPair, claims: object): string {
  const nats = { ...claims, version: 2 };
  const content = {
    jti: 'a',
    iat: 1_700_000_000,
    iss: issuer.getPublicKey(),
    sub: subject.getPublicKey(),
    name: 'a',
    nats,
  };
  const text = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(content)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}

const counts = { subs: -1, data: -1, payload: -1 };
const connections = { imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };

/** The paths of the configuration of a server and of the credentials that it accepts. */
export async function writeNatsCredentials(): Promise<{ readonly config: string; readonly credentials: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'slotstream-creds-'));
  const [config, credentials] = [join(dir, 'server.conf'), join(dir, 'user.creds')];
  const operator = nkeys.createOperator();
  const [account, system, user] = [nkeys.createAccount(), nkeys.createAccount(), nkeys.createUser()];
  const limits = { ...counts, ...connections };
  const preloaded = [
    `${account.getPublicKey()}: ${token(operator, account, { type: 'account', limits: { ...limits, ...storage } })}`,
    `${system.getPublicKey()}: ${token(operator, system, { type: 'account', limits })}`,
  ];
  const lines = [
    `operator: ${token(operator, operator, { type: 'operator', system_account: system.getPublicKey() })}`,
    `system_account: ${system.getPublicKey()}`,
    'resolver: MEMORY',
    `resolver_preload: { ${preloaded.join(', ')} }`,
  ];
  await writeFile(config, lines.join('\n'));
  const parts = [
    ['NATS USER JWT', token(account, user, { type: 'user', ...counts })],
    ['USER NKEY SEED', new TextDecoder().decode(user.getSeed())],
  ];
  const text = parts.map(([name, part]) => `-----BEGIN ${name}-----\n${part}\n------END ${name}------\n`).join('\n');
  await writeFile(credentials, text);
  return { config, credentials };
}
