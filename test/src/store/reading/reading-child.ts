// A process of its own that asks a question without an end and says when it has begun.
import { openStore } from '#src/store/open-store.ts';
import { openReading } from '#src/store/reading/reading.ts';
import { asksWithoutEnd, readerScript } from '../../../harness/reading.ts';

const [url = ''] = process.argv.slice(2);
const report = () => undefined;
const store = await openStore({ report }, url);
const reading = await openReading({ store, url, readerScript, report });
process.send?.('asks');
await asksWithoutEnd(reading.searches);
