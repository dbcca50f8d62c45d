// A delivery as a curl command that works when pasted into a shell, whatever its body holds.

export interface CurlRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function curlCommand({ url, headers, body }: CurlRequest): string {
  return [
    `curl --silent --show-error --request POST ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
    `--data-binary ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** Within single quotes a POSIX shell obeys nothing; the quote itself leaves and comes back. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
