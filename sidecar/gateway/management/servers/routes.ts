import type { Route } from '../route.ts';
import { accessRequestRoutes } from './accessRequests.ts';
import { catalogueRoutes } from './catalogue.ts';
import { importRoutes } from './import.ts';
import { reviewRoutes } from './review.ts';
import { toolsetRoutes } from './toolsets.ts';
import { userCredentialRoutes } from './userCredentials.ts';
import { userVariableRoutes } from './userVariables.ts';

/** What there is about servers beside their records, which most requests are for. */
export const moreServerRoutes: readonly Route[] = [
  ...reviewRoutes,
  ...importRoutes,
  ...catalogueRoutes,
  ...accessRequestRoutes,
  ...userCredentialRoutes,
  ...userVariableRoutes,
  ...toolsetRoutes,
];
