// Times as the host of a booking reads them: in their own zone, which is named.

/** `Mon, 16 Nov 2026, 15:00–15:30 (Europe/Berlin)`. A zone nobody knows is told in UTC. */
export function zonedSpan(start: string, end: string | null, timezone: string | null): string {
  const { format, zone } = formatIn(timezone);
  const [from, to] = [Date.parse(start), Date.parse(end ?? start)];
  if (Number.isNaN(from)) return 'unknown';
  const day = format.day(from);
  const until =
    Number.isNaN(to) || to <= from
      ? ''
      : format.day(to) === day
        ? format.time(to)
        : `${format.day(to)}, ${format.time(to)}`;
  return `${day}, ${format.time(from)}${until === '' ? '' : `–${until}`} (${zone})`;
}

function formatIn(timezone: string | null) {
  const zone = timezone !== null && isKnown(timezone) ? timezone : 'UTC';
  const day = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return { zone, format: { day: (ms: number) => day.format(ms), time: (ms: number) => time.format(ms) } };
}

/** Named zones only: the service sends names, and an offset would not say when clocks change. */
function isKnown(timeZone: string): boolean {
  if (!/^[A-Za-z]/.test(timeZone) || timeZone.length > 64) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }));
  } catch {
    return false;
  }
}

/** `3 h 5 min`, `2 d 4 h`: the two largest units say enough. */
export function lengthOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  if (days > 0) return hours > 0 ? `${days} d ${hours} h` : `${days} d`;
  if (hours > 0) return rest > 0 ? `${hours} h ${rest} min` : `${hours} h`;
  return `${rest} min`;
}
