// A plain table for terminals: columns line up also for wide and combining characters.
import stringWidth from 'string-width';

export function renderTable(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headers, ...rows];
  const widths = headers.map((_, column) => Math.max(...lines.map((cells) => stringWidth(cells[column] ?? ''))));
  return lines
    .map((cells) =>
      widths
        .map((width, column) => padded(cells[column] ?? '', width))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - stringWidth(text));
}
