/** `dist/diagnostics.cjs`: loaded when somebody wants to know what is wrong. */
export { openDiagnostics } from './diagnostics/openDiagnostics.ts';
