/** What a turn does for a sandbox, loaded together with the first session that is in one. */
export { askToConnect } from './askToConnect.ts';
export { decideConnection } from './decideConnection.ts';
export { startSandbox } from './startSandbox.ts';
