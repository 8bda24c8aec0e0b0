/** `dist/gateway.cjs`: loaded with the first request to the gateway, or the first command for it. */
export { gatewayCommands } from './gateway/commands/gatewayCommands.ts';
export { routesOf } from './gateway/routes.ts';
