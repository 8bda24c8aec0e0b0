/** `dist/diagnostics.cjs`: read when somebody wants to know what is wrong. */
export { openDiagnostics } from './diagnostics/openDiagnostics.ts';
