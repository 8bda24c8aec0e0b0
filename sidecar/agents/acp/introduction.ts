/** The parameters of `initialize`. */
export function introduction(): object {
  return {
    protocolVersion: 1,
    clientInfo: { name: 'switchboard', title: 'Switchboard', version: '1' },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: true,
      auth: { terminal: true },
      elicitation: { form: {}, url: {} },
      session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
      _meta: { 'terminal-auth': true },
    },
  };
}
