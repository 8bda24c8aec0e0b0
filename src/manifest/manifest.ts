/** Every id that package.json and the code share. An architecture test compares the two, both ways. */

export const commandIds = {
  newSession: 'switchboard.session.new',
  takeTour: 'switchboard.tour.take',
  openSession: 'switchboard.session.open',
  renameSession: 'switchboard.session.rename',
  configureSession: 'switchboard.session.configure',
  archiveSession: 'switchboard.session.archive',
  unarchiveSession: 'switchboard.session.unarchive',
  deleteSession: 'switchboard.session.delete',
  markRead: 'switchboard.session.markRead',
  markUnread: 'switchboard.session.markUnread',
  showMoreSessions: 'switchboard.sessions.showMore',
  stopTurn: 'switchboard.session.stopTurn',
  attachTranscript: 'switchboard.session.attachTranscript',
  reviewRequests: 'switchboard.requests.review',
  openRequest: 'switchboard.request.open',
  allowOnce: 'switchboard.request.allowOnce',
  allowSession: 'switchboard.request.allowSession',
  allowAlways: 'switchboard.request.allowAlways',
  deny: 'switchboard.request.deny',
  denyWithReason: 'switchboard.request.denyWithReason',
  answer: 'switchboard.request.answer',
  signIn: 'switchboard.request.signIn',
  allowAccess: 'switchboard.access.allow',
  denyAccess: 'switchboard.access.deny',
  manageApprovals: 'switchboard.approvals.manage',
  reviewChanges: 'switchboard.changes.review',
  keepAll: 'switchboard.changes.keepAll',
  undoAll: 'switchboard.changes.undoAll',
  redo: 'switchboard.changes.redo',
  openChange: 'switchboard.change.open',
  keepFile: 'switchboard.change.keep',
  undoFile: 'switchboard.change.undo',
  compareConflict: 'switchboard.change.compare',
  overwriteFile: 'switchboard.change.overwrite',
  openFolder: 'switchboard.folder.open',
  chooseFolder: 'switchboard.folder.choose',
  configureAgents: 'switchboard.agents.configure',
  openTerminal: 'switchboard.terminal.open',
  newTerminal: 'switchboard.terminal.new',
  takeTerminal: 'switchboard.terminal.take',
  giveTerminal: 'switchboard.terminal.give',
  endTerminal: 'switchboard.terminal.end',
  showProcesses: 'switchboard.host.showProcesses',
  configureHost: 'switchboard.host.configure',
  restartHost: 'switchboard.host.restart',
  stopHost: 'switchboard.host.stop',
  showLog: 'switchboard.host.showLog',
  openDataFolder: 'switchboard.host.openDataFolder',
  reloadWindow: 'switchboard.window.reload',
  refreshGateway: 'switchboard.gateway.refresh',
  addServer: 'switchboard.gateway.addServer',
  importServers: 'switchboard.gateway.importServers',
  editServer: 'switchboard.gateway.editServer',
  removeServer: 'switchboard.gateway.removeServer',
  signInToServer: 'switchboard.gateway.signInToServer',
  testTool: 'switchboard.gateway.testTool',
  addAgent: 'switchboard.gateway.addAgent',
  removeAgent: 'switchboard.gateway.removeAgent',
  newKey: 'switchboard.gateway.newKey',
  rotateKey: 'switchboard.gateway.rotateKey',
  revokeKey: 'switchboard.gateway.revokeKey',
  copyKey: 'switchboard.gateway.copyKey',
  copyEndpoint: 'switchboard.gateway.copyEndpoint',
  explainAccess: 'switchboard.gateway.explainAccess',
  openDashboard: 'switchboard.gateway.openDashboard',
  openGatewayConfiguration: 'switchboard.gateway.openConfiguration',
  openOwnGatewayConfiguration: 'switchboard.gateway.openOwnConfiguration',
} as const;

export const viewIds = {
  container: 'switchboard',
  sessions: 'switchboard.sessions',
  inbox: 'switchboard.inbox',
  changes: 'switchboard.changes',
  gateway: 'switchboard.gateway',
  chatContainer: 'switchboard-chat',
  /** The webview view; the panel in the editor area has the same id as its type. */
  chat: 'switchboard.chat',
} as const;

/** Types of editor panels that are no views. */
export const panelTypes = { dashboard: 'switchboard.dashboard' } as const;

/** What we offer to the editor's own MCP client. */
export const toolProviderIds = { gateway: 'switchboard.tools' } as const;

export const settingIds = {
  agents: 'switchboard.agents',
  permissionRules: 'switchboard.permissions.rules',
  idleExitMinutes: 'switchboard.host.idleExitMinutes',
  durability: 'switchboard.host.durability',
  chatLocation: 'switchboard.chat.location',
  inputNeeded: 'switchboard.notifications.inputNeeded',
  gatewayEnabled: 'switchboard.gateway.enabled',
  sessionTools: 'switchboard.gateway.sessionTools',
  provideToEditor: 'switchboard.gateway.provideToEditor',
  allowedCommands: 'switchboard.gateway.allowedCommands',
} as const;

/** Set with `setContext`; `when` clauses of package.json read them. */
export const contextKeys = {
  /** `stopped`, `starting`, `running` or `failed`. */
  hostState: 'switchboard.hostState',
} as const;
