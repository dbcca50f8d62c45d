// Whether an address is one of this machine, by its host alone. Pure.

/** RFC 6761: `localhost` and the names below it are always this machine. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  /^((.*\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
