/** `dist/gateway.cjs`: read when the gateway is first asked something, or a person first does something about it. */
export { gatewayCommands } from './gateway/commands/gatewayCommands.ts';
export { routesOf } from './gateway/routes.ts';
