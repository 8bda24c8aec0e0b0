/** The functions of a turn for a sandbox. They are loaded with the first session that has one. */
export { askToConnect, connectionFacts, TOOL } from './askToConnect.ts';
export { decideConnection } from './decideConnection.ts';
export { startSandbox } from './startSandbox.ts';
