import type { Route } from '../route.ts';
import { scimTokenRoutes } from '../scim/tokens.ts';
import { budgetRoutes } from './budgets.ts';
import { customerRoutes } from './customers.ts';
import { invitationRoutes } from './invitations.ts';
import { organizationRoutes } from './organizations.ts';
import { userRoutes } from './users.ts';

export const peopleRoutes: readonly Route[] = [
  ...organizationRoutes,
  ...userRoutes,
  ...invitationRoutes,
  ...scimTokenRoutes,
  ...customerRoutes,
  ...budgetRoutes,
];
