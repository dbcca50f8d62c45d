// Where a text stops being JSON, for people who wrote it by hand.

/** `line 3, column 5`, and what is likely wrong there; undefined where the text is JSON. */
export function jsonMistake(text: string): string | undefined {
  const message = parseFailure(text);
  if (message === undefined) return undefined;
  const at = positionOf(text, message);
  const lines = text.slice(0, at).split('\n');
  const where = `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
  const isAfterComma = /,\s*$/.test(text.slice(0, at)) && /[\]}]/.test(text.charAt(at));
  if (isAfterComma) return `${where}: a comma after the last entry?`;
  return at >= text.length ? `${where}: it ends too early` : `${where}: unexpected ${JSON.stringify(text.charAt(at))}`;
}

function parseFailure(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

/** The parser does not tell the position of an unexpected token: it is the last character of the shortest text with that failure. */
function positionOf(text: string, message: string): number {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (!message.startsWith('Unexpected token')) return text.length;
  let [well, failing] = [0, text.length];
  while (failing - well > 1) {
    const middle = Math.floor((well + failing) / 2);
    if (parseFailure(text.slice(0, middle))?.startsWith('Unexpected token') === true) failing = middle;
    else well = middle;
  }
  return failing - 1;
}
