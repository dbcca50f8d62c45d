// A client of the service that others wrote: which packages it needs, and how its first day goes. Its code is installed, never copied.

/** What a client is asked for on its first day, in this order. */
export const operationNames = [
  'me',
  'members',
  'event types',
  'meetings',
  'one meeting',
  'invitees',
  'one invitee',
  'list webhooks',
  'register',
  'delete',
] as const;
export type OperationName = (typeof operationNames)[number];

/** These change the service: a mirror is not asked for them. */
export const writingOperations: readonly OperationName[] = ['register', 'delete'];

/** Answers the URIs that the client read. */
export type Operations = Partial<Record<OperationName, () => Promise<readonly string[]>>>;

export interface World {
  readonly token: string;
  readonly organization: string;
  /** Where the packages are installed. */
  readonly folder: string;
  /** To be called once the day is over. */
  close(end: () => Promise<void>): void;
  /** The module of an installed package, by the path that a program would import. */
  load<Module>(path: string): Promise<Module>;
}

export interface Client {
  /** Each with its exact version; the first is the one that the table names. */
  readonly packages: readonly string[];
  /** A package that is unpacked without its dependencies: those of all other nodes, for instance. */
  readonly unpacked?: string;
  open(world: World): Promise<Operations>;
}

/** Where clients register; nothing is sent there while they run. */
export const callbackUrl = 'https://hooks.example.test/client';
export const callbackEvents = ['invitee.created', 'invitee.canceled'];
/** A subscription to this address is there before them. */
export const knownCallbackUrl = 'https://hooks.example.test/known';

/** A record of the service. */
export interface Named {
  readonly uri: string;
}

export const urisOf = (records: readonly Named[]): readonly string[] => records.map(({ uri }) => uri);

/** The last part of a URI. */
export const idOf = (uri: string): string => uri.slice(uri.lastIndexOf('/') + 1);

/** The first one that has been read: what follows is about it. */
export function firstOf(uris: readonly string[]): string {
  const [first] = uris;
  if (first === undefined) throw new Error('There is none to go on with.');
  return first;
}
