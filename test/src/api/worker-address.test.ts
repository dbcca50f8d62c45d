// A process without tables knows where a browser finds the pages, and does not lead it in a circle.
import { describe, expect, it } from 'vitest';
import { workerAddress } from '#src/api/worker-address.ts';
import { processRow } from '../../harness/data/process-row.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const receiver = processRow({ id: 'r', role: 'receive', pid: 7 });
const worker = processRow({ id: 'w', role: 'work', pid: 8, admin_url: 'http://127.0.0.1:8082' });
const far = processRow({ id: 'f', role: 'work', pid: 9, host: 'other', admin_url: 'http://127.0.0.1:8083' });
/** With the number of the receiver. */
const namesake = {
  ...receiver,
  host: 'other',
  started_at: '2026-01-01T11:00:00.000000Z',
  admin_url: 'http://127.0.0.1:9',
};
const gone = processRow({ ...worker, id: 'g', seen_at: '2026-01-01T11:50:00.000000Z' });

/** The receiver, and the worker beside it, by the name by which the visitor knows the machine. */
const [here, there] = ['http://10.0.0.5:8081', 'http://10.0.0.5:8082'];
const [loopback, local] = ['http://127.0.0.1:8081', 'http://127.0.0.1:8082'];

describe('the address of a worker', () => {
  it.each([
    ['is ADMIN_URL', here, 'https://mirror.example', [receiver, worker], 'https://mirror.example'],
    ['is ADMIN_URL where no process reports', 'http://127.0.0.1:8081', here, [], here],
    ['is that of a worker where ADMIN_URL leads to the receiver', here, here, [receiver, worker], there],
    ['is the same under every name of this machine', 'http://localhost:8081', loopback, [receiver, worker], local],
    ['does not have the secret name', 'http://slotstream-0f.localhost:8081', undefined, [receiver, worker], local],
    ['is not that of a worker on another machine', here, undefined, [receiver, far], undefined],
    ['is not taken from a namesake on another machine', here, undefined, [namesake, receiver, worker], there],
    ['is not that of a worker that is gone', here, undefined, [receiver, gone], undefined],
    ['is not known where the port is that of a proxy', 'http://m.example', undefined, [receiver, worker], undefined],
    ['is not ADMIN_URL that leads to the receiver', here, here, [receiver], undefined],
  ])('%s', (_, asked, adminUrl, processes, address) => {
    expect(workerAddress(new URL(asked), { adminUrl, processes, self: { host: 'one', pid: 7 }, nowMs })).toBe(address);
  });
});
