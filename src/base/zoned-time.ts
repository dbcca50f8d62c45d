// Times in the time zone of the host, which is named beside them.

/** `Mon, 16 Nov 2026, 15:00–15:30 (Europe/Berlin)`. An unknown zone is shown as UTC. */
export function zonedSpan(start: string, end: string | null, timezone: string | null): string {
  const zone = timezone !== null && formatIn(timezone) !== undefined ? timezone : 'UTC';
  const format = formatIn(zone);
  const [fromMs, toMs] = [Date.parse(start), Date.parse(end ?? start)];
  if (format === undefined || Number.isNaN(fromMs)) return 'unknown';
  const from = partsOf(format, fromMs);
  const to = Number.isNaN(toMs) || toMs <= fromMs ? undefined : partsOf(format, toMs);
  const until = to && (to.day === from.day ? `–${to.time}` : `–${to.day}, ${to.time}`);
  return `${from.day}, ${from.time}${until ?? ''} (${zone})`;
}

function partsOf(format: Intl.DateTimeFormat, ms: number): { readonly day: string; readonly time: string } {
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const { weekday, day, month, year, hour, minute } = parts;
  return { day: `${weekday}, ${day} ${month} ${year}`, time: `${hour}:${minute}` };
}

// Cached, one per zone: each formatter takes about 30 kB outside the heap, which is collected late.
const formats = new Map<string, Intl.DateTimeFormat | undefined>();
const maxFormats = 50;

/** Undefined for an unknown zone. Named zones only: the service sends names, and an offset has no daylight saving. */
function formatIn(timeZone: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(timeZone)) return undefined;
  if (formats.has(timeZone)) return formats.get(timeZone);
  if (formats.size >= maxFormats) formats.clear();
  const made = formatOf(timeZone);
  formats.set(timeZone, made);
  return made;
}

function formatOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const date = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      ...date,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  } catch {
    return undefined;
  }
}

/** `3 h 5 min`, `2 d 4 h`: the two largest units. */
export function durationText(ms: number): string {
  if (ms > 0 && ms < 60_000) return `${Math.ceil(ms / 1000)} s`;
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  return `${rest} min`;
}
