/** `dist/addagent.cjs`: read when somebody adds an agent. */
export { addAgent } from './agents/addAgent.ts';
