// An organization as the sandbox keeps it: what its account may do. None of this is a resource of the service.

export const plans = ['free', 'standard', 'teams', 'enterprise'] as const;
export type Plan = (typeof plans)[number];

/** `enterprise_only`: contacts ask for the enterprise level, as they may on accounts of another kind. */
export const contactsFeatures = ['enabled', 'disabled', 'enterprise_only'] as const;

export interface Organization {
  readonly uri: string;
  readonly name: string;
  plan: Plan;
  trial: boolean;
  seats: number;
  /** How many invitations a trial account may send. */
  trialInvitations: number;
  scim: boolean;
  contactsFeature: (typeof contactsFeatures)[number];
}

export const isPaid = ({ plan }: Organization): boolean => plan !== 'free';
