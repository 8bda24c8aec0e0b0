/** `dist/addagent.cjs`: loaded when somebody adds an agent. */
export { addAgent } from './agents/addAgent.ts';
