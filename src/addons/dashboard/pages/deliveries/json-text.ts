// Indents JSON text: every number and every string stays exactly as it was sent.
import { parseTree, type JSONPath, type Node } from 'jsonc-parser';

export interface JsonLine {
  readonly indent: number;
  /** The name of the field, as it was sent; empty for items of lists and closing brackets. */
  readonly name: string;
  readonly text: string;
  /** Where the value is that begins on this line; undefined for a closing bracket. */
  readonly path: JSONPath | undefined;
}

/** Deeper levels are not indented further. */
const mostIndent = 40;

/** One line per value. The text has to be JSON that `readJson` accepts: this is recursive, and every line holds its path. */
export function jsonLines(text: string): JsonLine[] {
  const root = parseTree(text);
  const sent = ({ offset, length }: Node): string => text.slice(offset, offset + length);

  function* linesOf(node: Node, at: { name: string; path: JSONPath; comma: string }): Generator<JsonLine> {
    const { name, path, comma } = at;
    const { type, children = [] } = node;
    const indent = Math.min(path.length, mostIndent);
    const brackets = type === 'object' ? '{}' : type === 'array' ? '[]' : undefined;
    if (brackets === undefined || children.length === 0)
      return yield { indent, name, text: (brackets ?? sent(node)) + comma, path };
    yield { indent, name, text: brackets.charAt(0), path };
    for (const [index, child] of children.entries()) {
      const [key, value = child] = type === 'object' ? (child.children ?? []) : [];
      yield* linesOf(value, {
        name: key === undefined ? '' : sent(key),
        path: [...path, key === undefined ? index : String(key.value)],
        comma: index < children.length - 1 ? ',' : '',
      });
    }
    yield { indent, name: '', text: brackets.charAt(1) + comma, path: undefined };
  }
  return root === undefined ? [] : [...linesOf(root, { name: '', path: [], comma: '' })];
}

/** The index of the line that a path leads to: of the value itself, or of the innermost value around it that exists. */
export function lineAt(lines: readonly JsonLine[], path: JSONPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const wanted = path.slice(0, length);
    const index = lines.findIndex(
      (line) => line.path?.length === length && wanted.every((key, n) => line.path?.[n] === key),
    );
    if (index !== -1) return index;
  }
  return 0;
}
