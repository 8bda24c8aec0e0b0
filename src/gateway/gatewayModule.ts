import type { GatewayClient } from './client.ts';
import type { GatewayCommands } from './commands/register.ts';
import type { GatewayRoutes } from './routes.ts';

/** What `dist/gateway.cjs` exports. */
export interface GatewayModule {
  readonly gatewayCommands: GatewayCommands;
  routesOf(client: GatewayClient): GatewayRoutes;
}
