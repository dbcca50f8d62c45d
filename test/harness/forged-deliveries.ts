// Deliveries that must be refused, for everything that verifies signatures. The signatures are made by Node's own Hmac.
import { createHmac } from 'node:crypto';

export interface ForgedDelivery {
  readonly name: string;
  readonly body: string;
  /** Every value of the signature header. */
  readonly values: readonly string[];
  readonly refusal: 'missing' | 'malformed' | 'wrong' | 'stale' | 'stale_signed';
}

const body = '{"event":"invitee.created","created_at":"2025-04-14T11:42:33.000000Z","payload":{"name":"\\u00e9"}}';

export function genuineDelivery(key: string, seconds: number) {
  const mac = createHmac('sha256', key).update(`${seconds}.${body}`).digest('hex');
  return { body, mac, value: `t=${seconds},v1=${mac}` };
}

export function forgedDeliveries(key: string, now: number): readonly ForgedDelivery[] {
  const { mac, value } = genuineDelivery(key, now);
  const other = 'another key of a sufficient length';
  const zeros = `v1=${'0'.repeat(64)},`;
  const one = (name: string, header: string, refusal: ForgedDelivery['refusal'] = 'malformed'): ForgedDelivery => ({
    name,
    body,
    values: [header],
    refusal,
  });
  const both = (name: string, ...values: string[]): ForgedDelivery => ({ name, body, values, refusal: 'malformed' });
  const changed = (name: string, text: string): ForgedDelivery => ({ ...one(name, value, 'wrong'), body: text });
  return [
    { name: 'no header', body, values: [], refusal: 'missing' },
    one('an empty header', ''),
    one('no signature', 't=1'),
    one('no time', `v1=${mac}`),
    one('a short signature without a time', 'v1=00'),
    one('a time that is no number', 't=NaN,v1=00'),
    one('a signed time', `t=+${now},v1=${mac}`),
    one('an empty signature', `t=${now},v1=`),
    one('a digit missing', `t=${now},v1=${mac.slice(1)}`),
    one('a digit too many', `t=${now},v1=${mac}0`),
    one('upper case', `t=${now},v1=${mac.toUpperCase()}`),
    one('other letters', `t=${now},v1=${'zz'.repeat(32)}`),
    one('ten thousand zeros', `t=${now},v1=${'0'.repeat(10_000)}`),
    one('two times', `t=${now},t=${now},v1=${mac}`),
    one('an older version', `t=${now},v0=${mac}`),
    one('the version none', `t=${now},none=${mac}`),
    one('a version that begins alike', `t=${now},v1a=${mac}`),
    one('six candidates', `t=${now},${zeros.repeat(5)}v1=${mac}`),
    one('ten thousand commas', ','.repeat(10_000)),
    one('another time', `t=${now - 1},v1=${mac}`, 'wrong'),
    one('another time, too old', `t=${now - 301},v1=${mac}`, 'stale'),
    one('the signature of a wrong key', genuineDelivery(other, now).value, 'wrong'),
    one('too old', genuineDelivery(key, now - 301).value, 'stale_signed'),
    // A minute more than the limit: a verifier with a clock of its own may be asked a while after `now`.
    one('from the future', genuineDelivery(key, now + 360).value, 'stale_signed'),
    one('too old, by a wrong key', genuineDelivery(other, now - 301).value, 'stale'),
    both('the header twice', value, value),
    both('the header and a signature', value, `v1=${mac}`),
    both('a time and a signature apart', `t=${now}`, `v1=${mac}`),
    both('anything and the header', 'x', value),
    changed('an escaped letter as itself', body.replace('\\u00e9', 'é')),
    changed('a space', body.replace(':', ': ')),
    changed('a line break at the end', `${body}\n`),
    changed('another kind', body.replace('created', 'canceled')),
    changed('no body', ''),
  ];
}
