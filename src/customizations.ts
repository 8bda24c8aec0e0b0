/** `dist/customizations.cjs`: read when the view Agents & Customizations is first seen. */
export { openCustomizations } from './views/customizations/openCustomizations.ts';
