// Loads bookings into a warehouse from the feed of a mirror. It can be stopped at any time, and continues where it was.
import { createClient } from 'slotstream/client';

export interface Warehouse {
  load(seq: number, payload: unknown): Promise<void>;
}

export async function consume(mirror: { url: string; token: string }, warehouse: Warehouse): Promise<void> {
  const feed = createClient(mirror).feed({ consumer: 'warehouse', event: ['invitee.*'], follow: false });
  for await (const entry of feed) {
    await warehouse.load(entry.seq, entry.payload);
    await entry.done();
  }
}
