import { describe, it } from 'mocha';
import {
  ChildCustomization,
  ClientPluginCustomization,
  Customization,
  CustomizationLoadState,
  DirectoryCustomization,
  McpServerCustomization,
  PluginCustomization,
} from '../../../../sidecar/protocol/channels/session/customizations.ts';
import { accepts, checkShape, refuses } from '../../../support/protocol/checkShape.ts';
import { verifies } from '../../../support/verifies.ts';

const base = { id: 'x', uri: 'file:///x', name: 'X' };
const baseOptional = {
  icons: [{ src: 'data:image/png;base64,AAAA' }],
  range: { start: { line: 0, character: 0 }, end: { line: 3, character: 0 } },
  enablement: [{ kind: 'workspace', uri: 'file:///w', enabled: false }],
  _meta: { a: 1 },
};
const skill = { ...base, type: 'skill' };
const container = { clientId: 'c1', load: { kind: 'loaded' }, children: [skill] };

describe('customizations', () => {
  it('a plugin has the members of base, container and its own', () => {
    verifies(
      'host.customization.id',
      'host.customization.uri',
      'host.customization.name',
      'host.customization.icons',
      'host.customization.range',
      'host.customization.meta',
      'host.customization.enablement',
      'host.container.enabled',
      'host.container.client-id',
      'host.container.load',
      'host.container.children',
      'host.customization.plugin',
    );
    const plugin = {
      required: { ...base, type: 'plugin', enabled: true },
      optional: { ...baseOptional, ...container, version: 'any text' },
    };
    checkShape(PluginCustomization, plugin);
    accepts(PluginCustomization, { ...plugin.required, children: [] });
    checkShape(Customization, plugin);
  });

  it('a version of a plugin is any text', () => {
    verifies('host.customization.plugin-version', 'host.version.plugin');
    for (const version of ['1.0.0', 'v1', 'not a version', ''])
      accepts(PluginCustomization, { ...base, type: 'plugin', enabled: true, version });
  });

  it('a plugin of a client may have a nonce', () => {
    verifies('host.customization.client-plugin');
    checkShape(ClientPluginCustomization, {
      required: { ...base, type: 'plugin', enabled: true },
      optional: { ...baseOptional, ...container, version: '1.0.0', nonce: 'n1' },
    });
  });

  it('a directory says what it holds and whether it may be written', () => {
    verifies('host.customization.directory');
    checkShape(DirectoryCustomization, {
      required: { ...base, type: 'directory', enabled: true, contents: 'skill', writable: true },
      optional: { ...baseOptional, ...container },
    });
  });

  it('children are of six types, and of types of tomorrow', () => {
    verifies('host.customization.child-types');
    for (const type of ['agent', 'skill', 'prompt', 'rule', 'hook']) {
      accepts(ChildCustomization, { ...base, type });
      accepts(ChildCustomization, { ...base, type, enabled: false });
      refuses(ChildCustomization, { ...base, type, enabled: 'no' }, 'enabled');
      refuses(ChildCustomization, { uri: base.uri, name: base.name, type }, 'id');
    }
    accepts(ChildCustomization, { ...base, type: 'mcpServer', enabled: true, state: { kind: 'ready' } });
    accepts(ChildCustomization, { type: 'of-tomorrow' });
  });

  it('an MCP server says whether it is enabled, at the top level too', () => {
    verifies('host.customization.mcp-enabled', 'host.customization.mcp-top-level');
    const server = {
      required: { ...base, type: 'mcpServer', enabled: false, state: { kind: 'stopped' } },
      optional: {
        ...baseOptional,
        channel: 'mcp://1',
        mcpApp: { capabilities: { serverTools: { listChanged: true } } },
      },
    };
    checkShape(McpServerCustomization, server);
    checkShape(Customization, server);
  });

  it('load states are four, two of them with a message', () => {
    verifies('host.load.states');
    accepts(CustomizationLoadState, { kind: 'loading' });
    accepts(CustomizationLoadState, { kind: 'loaded' });
    for (const kind of ['degraded', 'error']) {
      accepts(CustomizationLoadState, { kind, message: 'no such file' });
      refuses(CustomizationLoadState, { kind }, 'message');
    }
  });
});
