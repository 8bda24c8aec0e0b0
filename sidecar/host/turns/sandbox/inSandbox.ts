/** The functions of a turn for a sandbox. They are loaded with the first session that has one. */
export { connectInTurn } from './connectInTurn.ts';
export { askAboutMissed, decideConnection } from './decideConnection.ts';
export { startSandbox } from './startSandbox.ts';
