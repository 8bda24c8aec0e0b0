import type { Mutant } from './mutant.ts';

/** Faults that were mended where a person meets the host: in the editor, and in what the host says there. */
export const editorMends: readonly Mutant[] = [
  {
    id: 'host-terminal-typed-early',
    file: 'src/terminals/typed.ts',
    old: 'const mayType = this.#deps.mayType();',
    new: 'const mayType = this.#deps.mayType() ?? false;',
    tests: ['test/unit/src/terminals/typed.test.ts'],
    breaks:
      'What is typed into a terminal before its state came is lost, and the person is told that somebody else types.',
  },
  {
    id: 'host-contents-twice',
    file: 'src/changes/keptContents.ts',
    old: 'this.#running.get(uri) ?? this.#start(uri, read)',
    new: 'this.#start(uri, read)',
    tests: ['test/unit/src/changes/keptContents.test.ts'],
    breaks: 'What a diff asks for twice at once is read twice and counted twice, so that less and less is kept.',
  },
  {
    id: 'host-watches-at-once',
    file: 'sidecar/host/resources/resourceWatches.ts',
    old: '[...this.#watches.values(), ...this.#opening]',
    new: '[...this.#watches.values()]',
    tests: ['test/unit/sidecar/host/resources/resourceWatch.test.ts'],
    breaks: 'A client that asks for many watches at once gets more than the fifty that it may have.',
  },
  {
    id: 'host-idle-longest',
    file: 'sidecar/launch/host/idleExit.ts',
    old: 'Math.min(minutes * 60_000, MAX_DELAY_MS)',
    new: 'minutes * 60_000',
    tests: ['test/unit/sidecar/launch/host/idleExit.test.ts'],
    breaks: 'A host that should stay idle for longer than 24 days leaves at once.',
  },
  {
    id: 'host-agent-unread',
    file: 'sidecar/host/turns/customizations.ts',
    old: "      if (isUnread(state?.customizations, uri)) throw new Fault('unavailable', UNREADABLE);\n",
    new: '',
    tests: ['test/unit/sidecar/host/customizations/firstAgent.test.ts'],
    breaks: 'A person whose client did not send its custom agent in time is told that the session has no such agent.',
  },
  {
    id: 'host-session-rule-unnamed',
    file: 'sidecar/host/turns/confirmTool.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a change
    old: 'session: (rule: string) => `Allow ${rule} in this session`',
    new: "session: (_rule: string) => 'Allow in this session'",
    tests: ['test/unit/sidecar/host/turns/approvalSources.test.ts'],
    breaks: 'Who allows a call for the session is not told that a whole pattern is allowed.',
  },
  {
    id: 'host-rule-of-which-session',
    file: 'sidecar/host/turns/approvalSources.ts',
    old: '{ ...rule, sessionTitle: (JSON.parse(row.summary) as SessionSummary).title }',
    new: 'rule',
    tests: ['test/unit/sidecar/host/turns/approvalSources.test.ts'],
    breaks: 'The list of approvals says of a rule that it holds in one session, and not in which.',
  },
  {
    id: 'host-operate-unseen',
    file: 'sidecar/host/rpc/handlers.ts',
    old: '!seesChangeset(client.baselines, params.channel)',
    new: 'false',
    tests: ['test/unit/sidecar/host/changes/undoThroughHost.test.ts'],
    breaks: 'A client undoes what an agent did in a session at which it does not look.',
  },
  {
    id: 'host-session-in-hooks',
    file: 'sidecar/host/resources/access.ts',
    old: '!(need.write && isRunByOthers(real)) && folders.some((it) => isIn(real, it))',
    new: 'folders.some((it) => isIn(real, it) && !(need.write && isRunByOthers(real.slice(it.length))))',
    tests: ['test/unit/sidecar/host/resources/resourceTrees.test.ts'],
    breaks:
      'In a session whose folder is `.git/hooks` or `.vscode` a client writes what others run, and nobody is asked.',
  },
  {
    id: 'host-agent-in-hooks',
    file: 'sidecar/host/permissions/decidePermission.ts',
    old: "comparable(resolvePath('/', it), { ...comparison, ignoreCase: true })",
    new: "comparable(folders.reduce((path, folder) => path.replace(folder, ''), resolvePath('/', it)), { ...comparison, ignoreCase: true })",
    tests: ['test/unit/sidecar/host/permissions/decidePermission.test.ts'],
    breaks: 'In a session whose folder is `.git/hooks` or `.vscode` a rule lets an agent write what others run.',
  },
  {
    id: 'host-worktree-came-meanwhile',
    file: 'src/client/worktrees.ts',
    old: 'while (this.#deps.isShown()) {\n        const next = this.#items.find(',
    new: 'const items = this.#items;\n      while (this.#deps.isShown()) {\n        const next = items.find(',
    tests: ['test/unit/src/client/worktrees.test.ts'],
    breaks: 'A worktree that is made while others are measured has no size.',
  },
  {
    id: 'host-chat-parts-failed',
    file: 'src/webviews/chat/packedParts.ts',
    old: 'if (this.#read === read) this.forget();',
    new: '',
    tests: ['test/unit/src/webviews/chat/packedParts.test.ts'],
    breaks: 'Once the file with the script of the chat page could not be read, every chat of the window stays empty.',
  },
];
