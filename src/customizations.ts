/** `dist/customizations.cjs`: loaded when the view Agents & Customizations is first seen. */
export { createCustomization, openCustomization } from './views/customizations/customizationCommands.ts';
export { moveServer } from './views/customizations/moveServer.ts';
export { openCustomizations } from './views/customizations/openCustomizations.ts';
