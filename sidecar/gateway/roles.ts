import type { GatewayRoles } from '../launch/gatewayContract.ts';
import { runAlone } from './alone.ts';
import { openPersonalGateway } from './personal.ts';

/** The gateway as the sidecar's entry knows it. */
export const gatewayRoles: GatewayRoles = { openPersonal: openPersonalGateway, runAlone };
