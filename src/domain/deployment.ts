/** The two deployments: the same program with a database and keys of its own for each. */
export const ENVIRONMENTS = ['production', 'staging'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];
