// The settings as people may see them: each with its value, where the value comes from and what it does. Secrets are replaced, and of
// an address that may contain one, only the scheme and the host are shown.
import type { Setting } from './readers.ts';
import { groupOf } from './setting-groups.ts';

export interface SettingView {
  readonly name: string;
  readonly group: string;
  /** Null when it is not set and has no default. */
  readonly value: string | null;
  /** `file`: the file that `NAME_FILE` names. `.env`: the file in the working folder. */
  readonly source: 'environment' | '.env' | 'file' | 'default';
  /** The variable that was read: the name, its alias, or `NAME_FILE`; null for a default. */
  readonly variable: string | null;
  /** What `value` shows: all of it, a part of an address, or nothing. */
  readonly shown: 'whole' | 'part' | 'hidden';
  readonly meaning: string;
}

export interface SettingSource {
  readonly name: string;
  readonly setting: Setting;
  readonly from: string;
  readonly text: string | undefined;
}

/** `inFile`: the names that the `.env` file has set. */
export function showSetting({ name, setting, from, text }: SettingSource, inFile: readonly string[]): SettingView {
  const fallback = setting.default.startsWith('–') ? null : setting.default;
  const common = { name, group: groupOf(name), meaning: setting.meaning };
  if (text === undefined) return { ...common, value: fallback, source: 'default', variable: null, shown: 'whole' };
  const value = setting.secret ? maskSecret(text) : withoutCredentials(text);
  const source = from.endsWith('_FILE') && from !== name ? 'file' : inFile.includes(from) ? '.env' : 'environment';
  const shown = value === text ? 'whole' : value === hidden ? 'hidden' : 'part';
  return { ...common, value, source, variable: from, shown };
}

const hidden = '••••••';

/** A local file has no secret in its path. */
const localPath = /^(sqlite|embedded):(?!\/\/)/i;
const addressForm = /^(?<scheme>[a-z][a-z\d+.-]*:\/\/)(?<authority>[^/?#]*)(?<rest>.*)$/is;
/** One or more hosts with their ports, and nothing that could be a part of a password. */
const hosts = /^[a-z\d._-]+(:\d{1,5})?(,[a-z\d._-]+(:\d{1,5})?)*$/i;

function maskSecret(text: string): string {
  if (localPath.test(text) && !text.includes('@')) return text;
  return addressForm.test(text) ? maskAddress(text) : hidden;
}

/** An address without a user name, a password or a query is shown as it is. */
function withoutCredentials(text: string): string {
  const { authority = '', rest = '' } = addressForm.exec(text)?.groups ?? {};
  return /@/.test(authority) || /[@?#]/.test(authority === '' ? '' : rest) ? maskAddress(text) : text;
}

/** `postgres://db.example.com:5432/…`: the path and the query may be secret too, as in the address of a chat webhook. */
function maskAddress(text: string): string {
  const { scheme = '', authority = '', rest = '' } = addressForm.exec(text)?.groups ?? {};
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  // An `@` behind the authority may belong to a password with a slash or a question mark. The sender of mail is harmless.
  const isClear = !rest.replaceAll(/[?&]from=[^&]*/g, '').includes('@') && hosts.test(host);
  return isClear ? `${scheme}${host}/…` : `${scheme}…`;
}
