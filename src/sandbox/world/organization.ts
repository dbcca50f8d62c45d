// An organization as the sandbox keeps it: what its account may do. None of this is a resource of the service.

export const plans = ['free', 'standard', 'teams', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** `enterprise_only`: contacts ask for the enterprise level, as they may on accounts of another kind. */
export const contactsFeatures = ['enabled', 'disabled', 'enterprise_only'] as const;

export interface Account {
  readonly plan: Plan;
  readonly trial: boolean;
  readonly seats: number;
  /** How many invitations a trial account may send. */
  readonly trialInvitations: number;
  readonly scim: boolean;
  readonly contactsFeature: (typeof contactsFeatures)[number];
}

export interface Organization extends Account {
  readonly uri: string;
  readonly name: string;
}

export const isPaid = ({ plan }: Organization): boolean => plan !== 'free';

/** The one the world is about is founded first. */
export function mainOrganization(organizations: ReadonlyMap<string, Organization>): Organization {
  const [main] = organizations.values();
  if (main === undefined) throw new Error('The world has no organization.');
  return main;
}
