// What every call to another server says of its sender: some servers refuse the defaults of HTTP libraries.
import manifest from '../../package.json' with { type: 'json' };

export const userAgent = `slotstream/${manifest.version}`;
