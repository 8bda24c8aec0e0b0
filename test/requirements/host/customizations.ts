import { promisedBy } from '../promised.ts';
import { document } from './document.ts';

export const customizations = promisedBy(`${document}, Customizations`, {
  'host.customization.id': 'id is required, opaque and unique within the session; operations name it.',
  'host.customization.uri': 'uri is required: where the customization comes from.',
  'host.customization.name': 'name is required.',
  'host.customization.icons': 'A customization may have icons.',
  'host.customization.range': 'range is the span inside uri; absent where it covers the whole resource.',
  'host.customization.enablement':
    'What was decided about a customization for all, a workspace or a session is kept as a whole; what is closest to the session counts.',
  'host.customization.meta': 'A customization may have metadata of its provider.',
  'host.container.enabled': 'A container has enabled; required.',
  'host.container.client-id': 'clientId names the contributing client; absent on what the server initiated.',
  'host.container.load': 'load is the load state; absent while none is reported.',
  'host.container.children': 'children are absent while unresolved, and empty where it contributes nothing.',
  'host.customization.plugin': 'A plugin has the type plugin and may have a version.',
  'host.customization.plugin-version': 'The host neither parses nor enforces the version of a plugin.',
  'host.customization.client-plugin': 'A plugin of a client may have a nonce, by which the host sees changes.',
  'host.customization.directory': 'A directory has the type directory, contents and writable; all required.',
  'host.customization.directory-absent': 'A directory may not yet exist on disk.',
  'host.customization.writable':
    'Into a writable directory clients write with resourceWrite, and the host shows the children that result.',
  'host.customization.child-types': 'Children are agents, skills, prompts, rules, hooks, and MCP servers.',
  'host.customization.mcp-enabled': 'An MCP server always says whether it is enabled.',
  'host.customization.mcp-top-level': 'An MCP server may stand at the top level.',
  'host.hooks.narrowest': 'Where the answer of a hook decides twice, what narrows more counts.',
  'host.customization.client-hooks':
    'Hooks of a plugin that a client published do not run, and its entry and their rows say so and why.',
});
