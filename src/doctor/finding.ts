// What a check of `doctor` says: one line, and what mends it.

export interface Finding {
  readonly name: string;
  readonly state: 'well' | 'doubtful' | 'ill';
  readonly message: string;
  readonly fix?: string;
}

export const well = (name: string, message: string): Finding => ({ name, state: 'well', message });
export const doubtful = (name: string, message: string, fix: string): Finding => ({
  name,
  state: 'doubtful',
  message,
  fix,
});
export const ill = (name: string, message: string, fix: string): Finding => ({ name, state: 'ill', message, fix });
