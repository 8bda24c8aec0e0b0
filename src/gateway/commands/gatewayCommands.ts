import { addServer } from './addServer.ts';
import { addAgent, removeAgent } from './agents.ts';
import { openConfiguration, openOwnConfiguration } from './configuration.ts';
import { connectModel } from './connectModel.ts';
import { explainAccess } from './explainAccess.ts';
import { importServers } from './importServers.ts';
import { copyKey, newKey, revokeKey, rotateKey } from './keys.ts';
import type { GatewayCommands } from './register.ts';
import { copyEndpoint, editServer, removeServer, signIn } from './servers.ts';
import { testTool } from './testTool.ts';

export const gatewayCommands: GatewayCommands = {
  addServer,
  importServers,
  editServer,
  removeServer,
  signInToServer: signIn,
  testTool,
  connectModel,
  addAgent,
  removeAgent,
  newKey,
  rotateKey,
  revokeKey,
  copyKey,
  copyEndpoint,
  explainAccess,
  openGatewayConfiguration: openConfiguration,
  openOwnGatewayConfiguration: openOwnConfiguration,
};
